// The list of the sending domains of the account.

import { Anchor, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconPlus, IconWorld } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { domains as words } from '../../texts/en/domains.ts'
import { AddDomain } from './add-domain.tsx'
import { domainsQuery } from './calls.ts'
import { DomainStatus } from './domain-status.tsx'

export function Component() {
  const [search] = useSearchParams()
  const mayAdd = useMay('admin')
  const [adding, { open, close }] = useDisclosure(mayAdd && search.has('add'))
  const add = mayAdd && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {words.add}
    </Button>
  )
  return (
    <Page title={words.title} intro={words.intro} actions={add}>
      <AddDomain opened={adding} onClose={close} />
      <section className="card">
        <DataTable
          label={words.title}
          query={useQuery({ ...domainsQuery, refetchInterval: 10_000 })}
          keyOf={({ domain_id }) => domain_id}
          linkOf={({ domain_id, status }) =>
            `/domains/${domain_id}/${status === 'pending' ? 'dns' : 'messages'}`
          }
          columns={[
            {
              title: words.domain,
              cell: ({ domain_id, domain_unicode, status }) => (
                <Anchor
                  component={Link}
                  to={`/domains/${domain_id}/${status === 'pending' ? 'dns' : 'messages'}`}
                  fw={500}
                  c="inherit"
                >
                  {domain_unicode}
                </Anchor>
              ),
            },
            { title: words.status, cell: (domain) => <DomainStatus domain={domain} /> },
            {
              title: words.lastChecked,
              from: 'sm',
              cell: ({ checked_at }) => (checked_at === null ? words.never : <Time at={checked_at} />),
            },
            { title: words.added, from: 'sm', cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
          empty={
            <EmptyState
              icon={<IconWorld size={36} stroke={1.2} />}
              title={words.empty}
              action={add || words.adminAdds}
            >
              {words.emptyHint}
            </EmptyState>
          }
        />
      </section>
    </Page>
  )
}
