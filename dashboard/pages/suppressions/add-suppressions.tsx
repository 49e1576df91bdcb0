// Form that adds typed addresses to the suppression list.

import { Button, Group, Modal, Select, Stack, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { common } from '../../texts/en/common.ts'
import { suppressions as words } from '../../texts/en/suppressions.ts'
import { streamsQuery } from '../streams/calls.ts'
import { addSuppressions, reasonChoices, type Suppression } from './calls.ts'
import { ImportResult, ResultInWords } from './import-result.tsx'
import { entriesOf, type RefusedEntry, refusedEntries } from './refused-entries.ts'

interface AddProps {
  readonly domainId: string
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddSuppressions({ domainId, opened, onClose }: AddProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={words.suppressAddresses}>
      <Form domainId={domainId} onClose={onClose} />
    </Modal>
  )
}

function Form({ domainId, onClose }: Omit<AddProps, 'opened'>) {
  const queries = useQueryClient()
  const streams = useQuery(streamsQuery(domainId))
  const [typed, setTyped] = useState('')
  const [stream, setStream] = useState('*')
  const [reason, setReason] = useState('manual')
  const [refused, setRefused] = useState<readonly RefusedEntry[]>([])
  const emails = entriesOf(typed)
  const adding = useMutation({
    mutationFn: () =>
      addSuppressions(
        domainId,
        emails.map((email) => ({ email, stream, reason: reason as Suppression['reason'] })),
      ),
    onSuccess: ({ problems }) => {
      const refused = refusedEntries(emails, problems)
      setRefused(refused)
      // Refused entries stay in the field, so that the user can correct them.
      if (refused.length > 0) setTyped(refused.map(({ text }) => text).join('\n'))
      return queries.invalidateQueries({ queryKey: ['domains', domainId, 'suppressions'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    adding.mutate()
  }
  if (adding.data !== undefined && refused.length === 0) {
    return <ImportResult result={adding.data} refused={refused} onClose={onClose} />
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {adding.data !== undefined && <ResultInWords result={adding.data} refused={refused} />}
        <Textarea
          label={words.addresses}
          description={words.onePerLine}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          required
          data-autofocus
        />
        <Select
          label={words.stream}
          data={[
            { value: '*', label: words.allStreams },
            ...(streams.data?.data ?? []).map(({ alias, name }) => ({ value: alias, label: name })),
          ]}
          value={stream}
          onChange={(value) => setStream(value ?? '*')}
          allowDeselect={false}
        />
        <Select
          label={words.reason}
          data={reasonChoices()}
          value={reason}
          onChange={(value) => setReason(value ?? 'manual')}
          allowDeselect={false}
        />
        <ErrorNotice error={adding.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={adding.isPending} disabled={emails.length === 0}>
            {words.suppress}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
