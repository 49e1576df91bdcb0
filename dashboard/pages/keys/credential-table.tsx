// Table of keys or credentials of one kind, with the time of the last use, and buttons that change and revoke a credential.

import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { keys as words } from '../../texts/en/keys.ts'
import { fill, parts } from '../../texts/texts.ts'
import { type Credential, credentialsQuery, type Place, revokeCredential } from './calls.ts'
import { EditKey } from './edit-key.tsx'

interface CredentialTableProps {
  readonly place: Place
  readonly label: string
  /** Returns the visible part of a credential, such as "send_…1a2b". */
  readonly mark: (credential: Credential) => string
  readonly empty: ReactNode
}

export function CredentialTable({ place, label, mark, empty }: CredentialTableProps) {
  const query = useQuery(credentialsQuery(place))
  const may = useMay('developer')
  const [editing, setEditing] = useState<Credential>()
  const [revoking, setRevoking] = useState<Credential>()
  return (
    <>
      <Card flush>
        <DataTable
          label={label}
          query={query}
          keyOf={({ id }) => id}
          columns={[...columns(mark), ...(may ? [actColumn(setEditing, setRevoking)] : [])]}
          empty={empty}
        />
      </Card>
      <EditKey place={place} value={editing} onClose={() => setEditing(undefined)} />
      <RevokeCredential place={place} value={revoking} onClose={() => setRevoking(undefined)} />
    </>
  )
}

const columns = (mark: CredentialTableProps['mark']): readonly Column<Credential>[] => [
  {
    title: words.name,
    cell: (credential) => (
      <div className="two-lines">
        <Text fz="sm" fw={500}>
          {credential.name}
        </Text>
        <Text c="dimmed" className="code-line">
          {mark(credential)}
        </Text>
      </div>
    ),
  },
  { title: words.status, cell: (credential) => <CredentialState credential={credential} /> },
  {
    title: words.lastUsed,
    from: 'sm',
    cell: ({ last_used_at: at }) => (at === null ? words.never : <Time at={at} />),
  },
  { title: words.rateLimit, from: 'md', cell: ({ rate }) => rate ?? words.defaultRate },
  { title: words.created, from: 'sm', cell: ({ created_at }) => <Time at={created_at} /> },
]

type Choose = (credential: Credential) => void

const actColumn = (edit: Choose, revoke: Choose): Column<Credential> => ({
  title: '',
  number: true,
  cell: (credential) =>
    credential.revoked_at === null && (
      <Group gap={4} justify="flex-end">
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => edit(credential)}
          aria-label={fill(words.editOne, { name: credential.name })}
        >
          {words.edit}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => revoke(credential)}
          aria-label={fill(words.revokeOne, { name: credential.name })}
        >
          {words.revoke}
        </Button>
      </Group>
    ),
})

interface CredentialStateProps {
  readonly credential: Pick<Credential, 'revoked_at' | 'expires_at'>
}

export function CredentialState({ credential: { revoked_at, expires_at } }: CredentialStateProps) {
  if (revoked_at !== null) return <StatusBadge status="revoked" tone="quiet" />
  if (expires_at === null) return <StatusBadge status="active" />
  if (Date.parse(expires_at) <= Date.now()) return <StatusBadge status="expired" tone="quiet" />
  return (
    <div>
      <StatusBadge status="active" />
      <Text fz="xs" c="dimmed">
        {parts(words.expires, { time: <Time key="time" at={expires_at} /> })}
      </Text>
    </div>
  )
}

interface RevokeCredentialProps {
  readonly place: Place
  readonly value: Pick<Credential, 'id' | 'name'> | undefined
  readonly onClose: () => void
}

/** Asks before a credential is revoked. */
export function RevokeCredential({ place, value, onClose }: RevokeCredentialProps) {
  const queries = useQueryClient()
  const revoking = useMutation({
    mutationFn: (id: string) => revokeCredential(place, id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: credentialsQuery(place).queryKey })
      tell.done(fill(words.revoked, { name: value?.name ?? '' }))
      onClose()
    },
  })
  return (
    <Confirm
      opened={value !== undefined}
      onClose={() => {
        revoking.reset()
        onClose()
      }}
      title={fill(words.revokeQuestion, { name: value?.name ?? '' })}
      action={words.revoke}
      busy={revoking.isPending}
      error={revoking.error}
      onConfirm={() => value !== undefined && revoking.mutate(value.id)}
    >
      {words.revokeHint}
    </Confirm>
  )
}
