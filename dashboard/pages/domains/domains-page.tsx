// The sending domains of the account.

import { Anchor, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { AddDomain } from './add-domain.tsx'
import { domainsQuery } from './calls.ts'
import { DomainStatus } from './domain-status.tsx'

export function Component() {
  const [search] = useSearchParams()
  const mayAdd = useMay('admin')
  const [adding, { open, close }] = useDisclosure(mayAdd && search.has('add'))
  const add = mayAdd && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Add a domain
    </Button>
  )
  return (
    <Page
      title="Domains"
      intro="Sending domains. Each has its own API keys, templates, streams and messages."
      actions={add}
    >
      <AddDomain opened={adding} onClose={close} />
      <section className="card">
        <DataTable
          label="Domains"
          query={useQuery({ ...domainsQuery, refetchInterval: 10_000 })}
          keyOf={({ domain_id }) => domain_id}
          linkOf={({ domain_id, status }) =>
            `/domains/${domain_id}/${status === 'pending' ? 'dns' : 'messages'}`
          }
          columns={[
            {
              title: 'Domain',
              cell: ({ domain_id, domain, status }) => (
                <Anchor
                  component={Link}
                  to={`/domains/${domain_id}/${status === 'pending' ? 'dns' : 'messages'}`}
                  fw={500}
                  c="inherit"
                >
                  {domain}
                </Anchor>
              ),
            },
            { title: 'Status', cell: (domain) => <DomainStatus domain={domain} /> },
            {
              title: 'Last checked',
              from: 'sm',
              cell: ({ checked_at }) => (checked_at === null ? 'Never' : <Time at={checked_at} />),
            },
            { title: 'Added', from: 'sm', cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
          empty={
            <EmptyState
              icon={<IconWorld size={36} stroke={1.2} />}
              title="No domains yet"
              action={add || 'An admin of the account can add a domain.'}
            >
              Add the domain you send from and publish its DNS records.
            </EmptyState>
          }
        />
      </section>
    </Page>
  )
}
