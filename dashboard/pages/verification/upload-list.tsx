// Takes a table of addresses by drag and drop, or chosen by hand.

import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { IconFileSpreadsheet, IconUpload, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ProblemError } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { TABLE_TYPES } from '../../parts/table-file.ts'
import { uploadTable } from './calls.ts'

/** The service takes 100,000 addresses; what is longer is no such file. */
const MAX_BYTES = 10 * 1024 * 1024

export function UploadList() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [unclear, setUnclear] = useState<Unclear>()
  const upload = useMutation({
    mutationFn: async ({ file, column }: { readonly file: File | undefined; readonly column?: string }) => {
      setUnclear(undefined)
      if (file === undefined) throw new Error('Upload one CSV, TSV, TXT or XLSX file of at most 10 MiB.')
      return uploadTable(file, column)
    },
    onError(error, { file }) {
      const columns = error instanceof ProblemError ? error.errors[0]?.choices : undefined
      if (columns !== undefined && file !== undefined) setUnclear({ file, columns })
    },
    onSuccess: async ({ verification_id }) => {
      await queries.invalidateQueries({ queryKey: ['verification', 'lists'] })
      navigate(`/verification/lists/${verification_id}`)
    },
  })
  return (
    <Stack gap="sm">
      <Dropzone
        onDrop={([file]) => upload.mutate({ file })}
        onReject={() => upload.mutate({ file: undefined })}
        accept={TABLE_TYPES}
        maxSize={MAX_BYTES}
        maxFiles={1}
        multiple={false}
        loading={upload.isPending}
        p="xl"
        inputProps={{ 'aria-label': 'File of addresses' }}
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
            <Text fw={500}>Drop a CSV, TSV, TXT or XLSX file here, or click to choose one</Text>
            <Text fz="sm" c="dimmed">
              Other columns are kept. Each address takes one credit; duplicates are verified once.
            </Text>
          </div>
        </Group>
      </Dropzone>
      {unclear === undefined ? (
        <ErrorNotice error={upload.error} />
      ) : (
        <ChooseColumn
          unclear={unclear}
          onChosen={(column) => upload.mutate({ file: unclear.file, column })}
        />
      )}
    </Stack>
  )
}

/** A file in which no column is called like one of addresses. */
interface Unclear {
  readonly file: File
  /** Names in its first line. */
  readonly columns: readonly string[]
}

interface ChooseColumnProps {
  readonly unclear: Unclear
  readonly onChosen: (column: string) => void
}

function ChooseColumn({ unclear: { file, columns }, onChosen }: ChooseColumnProps) {
  const [column, setColumn] = useState<string | null>(null)
  return (
    <Group align="flex-end" role="alert">
      <Select
        label={`Which column of ${file.name} has the addresses?`}
        placeholder="Column"
        data={[...columns]}
        value={column}
        onChange={setColumn}
        flex={1}
        maw={420}
      />
      <Button disabled={column === null} onClick={() => column !== null && onChosen(column)}>
        Verify
      </Button>
    </Group>
  )
}
