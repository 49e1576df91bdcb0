// The sending domains of the account.

import { Anchor } from '@mantine/core'
import { IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { domainsQuery } from './calls.ts'

export function Component() {
  return (
    <Page title="Domains" intro="Mail is sent from a domain that is yours. Each has a workspace of its own.">
      <section className="card">
        <DataTable
          label="Domains"
          query={useQuery(domainsQuery)}
          keyOf={({ domain_id }) => domain_id}
          linkOf={({ domain_id }) => `/domains/${domain_id}`}
          columns={[
            {
              title: 'Domain',
              cell: ({ domain_id, domain }) => (
                <Anchor component={Link} to={`/domains/${domain_id}`} fw={500} c="inherit">
                  {domain}
                </Anchor>
              ),
            },
            { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
            { title: 'Added', from: 'sm', cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
          empty={
            <EmptyState icon={<IconWorld size={36} stroke={1.2} />} title="No domain yet">
              Add the domain that your mail comes from, and publish the records that it is given.
            </EmptyState>
          }
        />
      </section>
    </Page>
  )
}
