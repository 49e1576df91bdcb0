// Upload of a table of addresses by drag and drop or by selection; the list is verified after the user has confirmed.

import { Group, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { useMutation } from '@tanstack/react-query'
import { ChooseColumn, choicesOf } from '../../parts/choose-column.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconFileSpreadsheet, IconUpload, IconX } from '../../parts/icons.tsx'
import { InputError } from '../../parts/problem-words.ts'
import { asUtf8, requireContent, TABLE_TYPES } from '../../parts/table-file.ts'
import { verification } from '../../texts/en/verification.ts'
import { checkTable } from './calls.ts'
import { VerifyQuestion } from './verify-question.tsx'

const texts = verification.lists

/** Maximum file size in bytes; a list of 100,000 addresses, which is the limit of the service, is smaller. */
const MAX_BYTES = 10 * 1024 * 1024

export function UploadList() {
  const checking = useMutation({
    mutationFn: async ({ file, column }: { readonly file: File | undefined; readonly column?: string }) => {
      if (file === undefined) throw new InputError(texts.wrongFile)
      await requireContent(file)
      const table = await asUtf8(file)
      return { file, table, column, check: await checkTable(table, column) }
    },
  })
  const [file, columns] = [checking.variables?.file, choicesOf(checking.error)]
  return (
    <Stack gap="sm">
      <Dropzone
        onDrop={([file]) => checking.mutate({ file })}
        onReject={() => checking.mutate({ file: undefined })}
        accept={TABLE_TYPES}
        maxSize={MAX_BYTES}
        maxFiles={1}
        multiple={false}
        loading={checking.isPending}
        p="xl"
        inputProps={{ 'aria-label': texts.file }}
      >
        <Group justify="center" gap="lg" mih={72} style={{ pointerEvents: 'none' }}>
          <Dropzone.Accept>
            <IconUpload size={36} stroke={1.3} />
          </Dropzone.Accept>
          <Dropzone.Reject>
            <IconX size={36} stroke={1.3} />
          </Dropzone.Reject>
          <Dropzone.Idle>
            <IconFileSpreadsheet size={36} stroke={1.3} />
          </Dropzone.Idle>
          <div>
            <Text fw={500}>{texts.drop}</Text>
            <Text fz="sm" c="dimmed">
              {texts.dropHint}
            </Text>
          </div>
        </Group>
      </Dropzone>
      {file === undefined || columns === undefined ? (
        <ErrorNotice error={checking.error} />
      ) : (
        <ChooseColumn
          file={file}
          columns={columns}
          action={texts.useColumn}
          onChosen={(column) => checking.mutate({ file, column })}
        />
      )}
      {checking.data !== undefined && (
        <VerifyQuestion
          {...checking.data}
          onColumn={(column) => checking.mutate({ file: checking.data.file, column })}
          onCancel={() => checking.reset()}
        />
      )}
    </Stack>
  )
}
