// The accounts of the installation: made, suspended, limited, given credits.

import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { IconPlus } from '../../parts/icons.tsx'
import { octets, share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { accountsQuery, type OperatedAccount } from './calls.ts'
import { EditAccount } from './edit-account.tsx'
import { NewAccount } from './new-account.tsx'
import { OperatorTabs } from './operator-tabs.tsx'

export function Component() {
  const accounts = useQuery(accountsQuery(useCursor()))
  const [making, { open, close }] = useDisclosure(false)
  const [editing, setEditing] = useState<OperatedAccount>()
  return (
    <Page
      title="Operator"
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          New account
        </Button>
      }
    >
      <OperatorTabs />
      <Card flush>
        <DataTable
          label="Accounts"
          query={accounts}
          keyOf={({ account_id }) => account_id}
          columns={[
            {
              title: 'Account',
              cell: ({ name, account_id, operates }) => (
                <>
                  <Text fw={500} inherit>
                    {name}
                    {operates && (
                      <Text span inherit c="dimmed" fw={400}>
                        {' '}
                        (operates this installation)
                      </Text>
                    )}
                  </Text>
                  <Text fz="xs" c="dimmed" className="code-line">
                    {account_id}
                  </Text>
                </>
              ),
            },
            { title: 'Users', number: true, from: 'md', cell: ({ users }) => whole(users) },
            { title: 'Domains', number: true, from: 'md', cell: ({ domains }) => whole(domains) },
            {
              title: 'Sent in 30 days',
              number: true,
              from: 'sm',
              cell: ({ accepted_30_days: sent, bounced_30_days: bounced }) => (
                <>
                  {whole(sent)}
                  {bounced > 0 && (
                    <Text fz="xs" c="dimmed">
                      {share(bounced, sent)} bounced
                    </Text>
                  )}
                </>
              ),
            },
            { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
            {
              title: 'Allowance',
              number: true,
              from: 'sm',
              cell: ({ sending_allowance: allowance }) =>
                allowance === null ? 'No limit' : whole(allowance),
            },
            {
              title: 'Stored',
              number: true,
              from: 'md',
              cell: ({ stored_bytes: bytes, stored_bytes_limit: limit }) =>
                limit === null ? octets(bytes) : `${octets(bytes)} of ${octets(limit)}`,
            },
            {
              title: 'Credits',
              number: true,
              from: 'sm',
              cell: ({ verification_credits }) => whole(verification_credits),
            },
            { title: 'Created', from: 'xl', cell: ({ created_at }) => <Time at={created_at} /> },
            {
              title: '',
              number: true,
              cell: (account) => (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={`Edit ${account.name}`}
                  onClick={() => setEditing(account)}
                >
                  Edit
                </Button>
              ),
            },
          ]}
          empty={null}
        />
      </Card>
      <NewAccount opened={making} onClose={close} />
      <EditAccount account={editing} onClose={() => setEditing(undefined)} />
    </Page>
  )
}
