// The last step of a new bulk: checks all rows, asks, and sends.

import { Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { bulk as words } from '../../texts/en/bulk.ts'
import { checkBulk, createBulk } from './calls.ts'
import { SendQuestion } from './send-question.tsx'

interface SendStepProps {
  readonly domainId: string
  readonly bulk: {
    /** Returns the list with the column names that the service expects. */
    readonly csv: () => Blob
    /** The message. */
    readonly query: Parameters<typeof createBulk>[2] & {
      readonly from: string
      readonly send_at: string | undefined
    }
    readonly key: string
  }
  /** Name of the stream. */
  readonly stream: string
  /** Subject of the first row; undefined if the subject is not known. */
  readonly subject: string | undefined
  /** Reason why the bulk cannot be sent yet. */
  readonly problem: string | undefined
}

export function SendStep({ domainId, bulk, stream, subject, problem }: SendStepProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [asks, setAsks] = useState(false)
  const { csv, query, key } = bulk
  const checking = useMutation({
    mutationFn: () => checkBulk(domainId, csv(), query),
    onSuccess: () => setAsks(true),
  })
  const sending = useMutation({
    mutationFn: () => createBulk(domainId, csv(), query, key),
    onSuccess: async ({ bulk_id }) => {
      await queries.invalidateQueries({ queryKey: ['domains', domainId, 'bulks'] })
      navigate(`/domains/${domainId}/bulk/${bulk_id}`)
    },
  })
  return (
    <>
      <ErrorNotice error={checking.error} />
      <Group justify="flex-end">
        {problem !== undefined && (
          <Text fz="sm" c="dimmed">
            {problem}
          </Text>
        )}
        <ActionButton
          loading={checking.isPending}
          disabled={problem !== undefined}
          onClick={() => {
            sending.reset()
            checking.mutate()
          }}
        >
          {words.new.send}
        </ActionButton>
      </Group>
      {checking.data !== undefined && (
        <SendQuestion
          check={checking.data}
          from={query.from}
          stream={stream}
          subject={subject}
          sendAt={query.send_at}
          opened={asks}
          onClose={() => setAsks(false)}
          onConfirm={() => sending.mutate()}
          busy={sending.isPending}
          error={sending.error}
        />
      )}
    </>
  )
}
