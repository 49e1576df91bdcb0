// The Verification API keys of the account: made here, shown once, revoked.

import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { keysQuery, revokeKey, type VerificationKey } from './calls.ts'
import { NewKey } from './new-key.tsx'
import { VerificationTabs } from './verification-tabs.tsx'

export function Component() {
  const keys = useQuery(keysQuery)
  const may = useMay('developer')
  const [making, { open, close }] = useDisclosure(false)
  const [revoking, setRevoking] = useState<VerificationKey>()
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New key
    </Button>
  )
  return (
    <Page
      title="Email Verification"
      intro="A Verification API key checks addresses for the whole account. It cannot send mail."
      actions={create}
    >
      <VerificationTabs />
      <Card flush>
        <DataTable
          label="Verification API keys"
          query={keys}
          keyOf={({ key_id }) => key_id}
          columns={[
            {
              title: 'Name',
              cell: ({ name, last4 }) => (
                <>
                  <Text fw={500} inherit>
                    {name}
                  </Text>
                  <Text fz="sm" c="dimmed" className="code-line">
                    verify_…{last4}
                  </Text>
                </>
              ),
            },
            { title: 'Status', cell: (key) => <KeyStatus value={key} /> },
            {
              title: 'Last used',
              from: 'sm',
              cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={at} />),
            },
            { title: 'Made', from: 'sm', cell: ({ created_at }) => <Time at={created_at} /> },
            ...(may
              ? [
                  {
                    title: '',
                    number: true,
                    cell: (key: VerificationKey) =>
                      key.revoked_at === null && (
                        <Button size="compact-sm" variant="subtle" onClick={() => setRevoking(key)}>
                          Revoke
                        </Button>
                      ),
                  },
                ]
              : []),
          ]}
          empty={
            <EmptyState icon={<IconKey size={36} stroke={1.2} />} title="No key yet" action={create}>
              Your programs need one to check addresses through the API.
            </EmptyState>
          }
        />
      </Card>
      <NewKey opened={making} onClose={close} />
      <RevokeKey value={revoking} onClose={() => setRevoking(undefined)} />
    </Page>
  )
}

function KeyStatus({ value }: { readonly value: VerificationKey }) {
  if (value.revoked_at !== null) return <StatusBadge status="revoked" tone="quiet" />
  const expired = value.expires_at !== null && Date.parse(value.expires_at) <= Date.now()
  return expired ? <StatusBadge status="expired" tone="quiet" /> : <StatusBadge status="active" />
}

interface RevokeKeyProps {
  readonly value: VerificationKey | undefined
  readonly onClose: () => void
}

function RevokeKey({ value, onClose }: RevokeKeyProps) {
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: (id: string) => revokeKey(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keysQuery.queryKey })
      onClose()
    },
  })
  return (
    <Confirm
      opened={value !== undefined}
      onClose={onClose}
      title={`Revoke ${value?.name ?? ''}`}
      action="Revoke the key"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => value !== undefined && revoke.mutate(value.key_id)}
    >
      Programs that use it are refused from now on. It cannot be brought back.
    </Confirm>
  )
}
