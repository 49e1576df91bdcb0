// The list of the sending domains of the account.

import { Anchor, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { withQuery } from '../../client.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconPlus, IconWorld } from '../../parts/icons.tsx'
import { share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { domains as words } from '../../texts/en/domains.ts'
import { fill } from '../../texts/texts.ts'
import { AddDomain } from './add-domain.tsx'
import { domainsQuery } from './calls.ts'
import { type DomainFigures, domainFiguresQuery } from './domain-figures.ts'
import { DomainStatus } from './domain-status.tsx'

export function Component() {
  const [search] = useSearchParams()
  const mayAdd = useMay('admin')
  const [adding, { open, close }] = useDisclosure(mayAdd && search.has('add'))
  const { data: figures } = useQuery(domainFiguresQuery)
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
              title: words.sent,
              from: 'sm',
              number: true,
              cell: ({ domain_id }) =>
                figures === undefined ? null : <Sent domainId={domain_id} figures={figures} />,
            },
            {
              title: words.lastChecked,
              from: 'md',
              // The domain of the playground is verified without a check.
              cell: ({ checked_at, status }) =>
                checked_at === null ? status === 'pending' ? words.never : null : <Time at={checked_at} />,
            },
            { title: words.added, from: 'md', cell: ({ created_at }) => <Time at={created_at} /> },
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

interface SentProps {
  readonly domainId: string
  readonly figures: DomainFigures
}

/** Number of accepted recipients of a domain and its bounce rate, with a link to the statistics of the domain. */
function Sent({ domainId: domain, figures }: SentProps) {
  const { accepted = 0, bounce_rate: bounceRate = null } = figures.get(domain) ?? {}
  if (accepted === 0) return whole(0)
  return (
    <>
      <Anchor component={Link} to={withQuery('/statistics', { range: '30d', domain })} fz="sm">
        {whole(accepted)}
      </Anchor>
      {bounceRate !== null && bounceRate > 0 && (
        <Text fz="xs" c="dimmed">
          {fill(words.bounced, { share: share(bounceRate, 1) })}
        </Text>
      )}
    </>
  )
}
