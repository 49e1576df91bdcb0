// Takes a CSV file by drag and drop, or chosen by hand.

import { Group, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { IconFileSpreadsheet, IconUpload, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { uploadCsv } from './calls.ts'

/** The service takes 100,000 addresses; what is longer is no such file. */
const MAX_BYTES = 10 * 1024 * 1024

/** Office programs register their own type for the ending. */
const ACCEPTED = { 'text/csv': ['.csv'], 'text/plain': ['.txt'], 'application/vnd.ms-excel': ['.csv'] }

export function UploadList() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const [file] = files
      if (file === undefined) throw new Error('Upload one CSV file of at most 10 MiB.')
      return uploadCsv(file)
    },
    onSuccess: async ({ verification_id }) => {
      await queries.invalidateQueries({ queryKey: ['verification', 'lists'] })
      navigate(`/verification/lists/${verification_id}`)
    },
  })
  return (
    <Stack gap="sm">
      <Dropzone
        onDrop={(files) => upload.mutate(files)}
        onReject={() => upload.mutate([])}
        accept={ACCEPTED}
        maxSize={MAX_BYTES}
        maxFiles={1}
        multiple={false}
        loading={upload.isPending}
        p="xl"
        inputProps={{ 'aria-label': 'CSV file of addresses' }}
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
            <Text fw={500}>Drop a CSV file here, or click to choose one</Text>
            <Text fz="sm" c="dimmed">
              With a column named email. Each address takes one credit; duplicates are verified once.
            </Text>
          </div>
        </Group>
      </Dropzone>
      <ErrorNotice error={upload.error} />
    </Stack>
  )
}
