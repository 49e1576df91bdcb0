// Form that creates a Sending key for a test inbox, and the new key, which is shown once.

import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Secret } from '../../parts/secret.tsx'
import { common } from '../../texts/en/common.ts'
import { inboxes as words } from '../../texts/en/inboxes.ts'
import { domainsQuery } from '../domains/calls.ts'
import { credentialsQuery, type KeyMade, keysOf } from '../keys/calls.ts'
import { SecretDialog } from '../keys/secret-dialog.tsx'
import { createTestKey, type Inbox } from './calls.ts'

interface NewTestKeyProps {
  readonly inbox: Inbox | undefined
  readonly onClose: () => void
}

export const NewTestKey = ({ inbox, onClose }: NewTestKeyProps) => (
  <SecretDialog<KeyMade>
    opened={inbox !== undefined}
    onClose={onClose}
    titles={[words.newKey, words.keyMade]}
    form={(onMade, close) => inbox !== undefined && <Form inbox={inbox} onMade={onMade} onClose={close} />}
    shown={({ key }) => <Secret what={words.theKey} value={key} />}
  />
)

const FIELDS = ['name', 'domains', 'domains[0]']

interface FormProps {
  readonly inbox: Inbox
  readonly onMade: (made: KeyMade) => void
  readonly onClose: () => void
}

function Form({ inbox, onMade, onClose }: FormProps) {
  const queries = useQueryClient()
  const domains = useQuery(domainsQuery)
  const [name, setName] = useState(inbox.name)
  const [chosen, setChosen] = useState<string | null>(null)
  const domain = chosen ?? domains.data?.data[0]?.domain_id ?? ''
  const creating = useMutation({
    mutationFn: () => createTestKey(inbox.inbox_id, domain, name.trim()),
    onSuccess: (made) => {
      onMade(made)
      void queries.invalidateQueries({ queryKey: credentialsQuery(keysOf(domain)).queryKey })
    },
  })
  const problem = (field: string) =>
    creating.error instanceof ProblemError ? creating.error.field(field) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text fz="sm">{words.keyHint}</Text>
        <TextInput
          label={words.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem('name')}
          maxLength={100}
          required
          data-autofocus
        />
        <Select
          label={words.domain}
          data={(domains.data?.data ?? []).map(({ domain_id, domain_unicode }) => ({
            value: domain_id,
            label: domain_unicode,
          }))}
          value={domain}
          onChange={setChosen}
          error={problem('domains') ?? problem('domains[0]')}
          allowDeselect={false}
          required
        />
        <ErrorNotice error={creating.error ?? domains.error} except={FIELDS} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={creating.isPending} disabled={domain === ''}>
            {words.createKey}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
