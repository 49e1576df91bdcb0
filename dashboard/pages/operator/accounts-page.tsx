// The accounts of the installation; an operator can create, suspend and limit accounts, and grant credits.

import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { IconPlus } from '../../parts/icons.tsx'
import { byteSize, share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { operator } from '../../texts/en/operator.ts'
import { fill } from '../../texts/texts.ts'
import { accountsQuery, type OperatedAccount } from './calls.ts'
import { EditAccount } from './edit-account.tsx'
import { NewAccount } from './new-account.tsx'
import { OperatorTabs } from './operator-tabs.tsx'

export function Component() {
  const words = operator.accounts
  const accounts = useQuery(accountsQuery(useCursor()))
  const [making, { open, close }] = useDisclosure(false)
  const [editing, setEditing] = useState<OperatedAccount>()
  return (
    <Page
      title={operator.title}
      size={1280}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          {words.new}
        </Button>
      }
    >
      <OperatorTabs />
      <Card flush>
        <DataTable
          label={operator.tabs.accounts}
          query={accounts}
          keyOf={({ account_id }) => account_id}
          columns={[
            {
              title: words.account,
              cell: ({ name, account_id, operates }) => (
                <>
                  <Text fw={500} inherit>
                    {name}
                    {operates && (
                      <Text span inherit c="dimmed" fw={400}>
                        {' '}
                        {words.operates}
                      </Text>
                    )}
                  </Text>
                  <Text fz="xs" c="dimmed" className="code-line nowrap">
                    {account_id}
                  </Text>
                </>
              ),
            },
            { title: words.users, number: true, from: 'md', cell: ({ users }) => whole(users) },
            { title: words.domains, number: true, from: 'xl', cell: ({ domains }) => whole(domains) },
            {
              title: words.sent,
              number: true,
              from: 'sm',
              cell: ({ accepted_30_days: sent, bounced_30_days: bounced }) => (
                <>
                  {whole(sent)}
                  {bounced > 0 && (
                    <Text fz="xs" c="dimmed">
                      {fill(words.bounced, { share: share(bounced, sent) })}
                    </Text>
                  )}
                </>
              ),
            },
            { title: words.status, cell: ({ status }) => <StatusBadge status={status} /> },
            {
              title: words.allowance,
              number: true,
              from: 'sm',
              cell: ({ sending_allowance: number, sending_allowance_left: left, allowance_renews }) =>
                number === null || left === null
                  ? words.noLimit
                  : allowance_renews === 'never'
                    ? whole(left)
                    : fill(words.leftOfMonth, { count: whole(left), number: whole(number) }),
            },
            {
              title: words.stored,
              number: true,
              from: 'md',
              cell: ({ stored_bytes: bytes, stored_bytes_limit: limit }) =>
                limit === null
                  ? byteSize(bytes)
                  : fill(words.storedOf, { size: byteSize(bytes), limit: byteSize(limit) }),
            },
            {
              title: words.credits,
              number: true,
              from: 'sm',
              cell: ({ verification_credits }) => whole(verification_credits),
            },
            { title: words.created, from: 'xl', cell: ({ created_at }) => <Time at={created_at} /> },
            {
              title: '',
              number: true,
              cell: (account) => (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={fill(words.editOne, { name: account.name })}
                  onClick={() => setEditing(account)}
                >
                  {words.edit}
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
