// Puts addresses on the list by hand.

import { Button, Group, Modal, Select, Stack, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { common } from '../../texts/en/common.ts'
import { suppressions as words } from '../../texts/en/suppressions.ts'
import { streamsQuery } from '../streams/calls.ts'
import { addSuppressions, reasonChoices, type Suppression } from './calls.ts'
import { ImportResult } from './import-result.tsx'

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
  const emails = typed.split(/[\s,;]+/).filter((email) => email !== '')
  const adding = useMutation({
    mutationFn: () =>
      addSuppressions(
        domainId,
        emails.map((email) => ({ email, stream, reason: reason as Suppression['reason'] })),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['domains', domainId, 'suppressions'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    adding.mutate()
  }
  if (adding.data !== undefined) return <ImportResult result={adding.data} onClose={onClose} />
  return (
    <form onSubmit={submit}>
      <Stack>
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
