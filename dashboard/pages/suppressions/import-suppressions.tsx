// Form that imports a suppression list as CSV or XLSX, exported from another service or from this installation.

import { Button, FileInput, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { ChooseColumn, choicesOf } from '../../parts/choose-column.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconFileTypeCsv } from '../../parts/icons.tsx'
import { requireContent, TABLE_TYPES } from '../../parts/table-file.ts'
import { common } from '../../texts/en/common.ts'
import { suppressions as words } from '../../texts/en/suppressions.ts'
import { parts } from '../../texts/texts.ts'
import { importSuppressions } from './calls.ts'
import { ImportResult } from './import-result.tsx'
import { refusedLines } from './refused-entries.ts'

interface ImportProps {
  readonly domainId: string
  readonly opened: boolean
  readonly onClose: () => void
}

export function ImportSuppressions({ domainId, opened, onClose }: ImportProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={words.importTitle}>
      <Form domainId={domainId} onClose={onClose} />
    </Modal>
  )
}

function Form({ domainId, onClose }: Omit<ImportProps, 'opened'>) {
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const bringing = useMutation({
    mutationFn: async ({ chosen, column }: { readonly chosen: File; readonly column?: string }) => {
      await requireContent(chosen)
      const result = await importSuppressions(domainId, chosen, column)
      return { ...result, refused: await refusedLines(chosen, result.problems) }
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['domains', domainId, 'suppressions'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file !== null) bringing.mutate({ chosen: file })
  }
  const [unclear, columns] = [bringing.variables?.chosen, choicesOf(bringing.error)]
  if (bringing.data !== undefined)
    return <ImportResult result={bringing.data} refused={bringing.data.refused} onClose={onClose} />
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text fz="sm">
          {parts(words.importHint, {
            stream: <code key="stream">{'stream'}</code>,
            reason: <code key="reason">{'reason'}</code>,
          })}
        </Text>
        <FileInput
          label={words.file}
          placeholder={words.chooseFile}
          accept={Object.entries(TABLE_TYPES).flat(2).join(',')}
          value={file}
          onChange={setFile}
          leftSection={<IconFileTypeCsv size={16} stroke={1.6} />}
          clearable
        />
        {unclear !== undefined && unclear === file && columns !== undefined ? (
          <ChooseColumn
            file={unclear}
            columns={columns}
            action={words.importColumn}
            onChosen={(column) => bringing.mutate({ chosen: unclear, column })}
          />
        ) : (
          <ErrorNotice error={bringing.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={bringing.isPending} disabled={file === null}>
            {words.import}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
