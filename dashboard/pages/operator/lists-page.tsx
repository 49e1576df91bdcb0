// The own addresses and domains in block lists: listings first, then lookups without a result.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconServer } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { operator } from '../../texts/en/operator.ts'
import { type Listing, listingsQuery } from './calls.ts'
import { OperatorTabs } from './operator-tabs.tsx'

const TONES = { listed: 'bad', not_known: 'quiet', not_listed: 'good' } as const

export function Component() {
  const words = operator.lists
  return (
    <Page title={operator.title} size={1280}>
      <OperatorTabs />
      <Card flush>
        <DataTable
          label={operator.tabs.lists}
          query={useQuery(listingsQuery(useCursor()))}
          keyOf={({ address, domain, zone }) => `${address ?? domain} ${zone}`}
          columns={[
            {
              title: words.subject,
              width: '26%',
              cell: ({ address, domain }) => (
                <>
                  <Text fw={500} inherit className="code-line">
                    {address ?? domain}
                  </Text>
                  <Text fz="xs" c="dimmed">
                    {address === null ? words.domain : words.address}
                  </Text>
                </>
              ),
            },
            { title: words.list, cell: ({ zone }) => zone },
            {
              title: words.state,
              cell: ({ state }) => (
                <StatusBadge status={state} label={words.states[state]} tone={TONES[state]} />
              ),
            },
            { title: words.answer, width: '30%', cell: (listing) => <Answer listing={listing} /> },
            { title: words.since, from: 'sm', cell: ({ since }) => <Time at={since} /> },
            { title: words.checked, from: 'md', cell: ({ checked_at }) => <Time at={checked_at} /> },
          ]}
          empty={
            <EmptyState icon={<IconServer size={36} stroke={1.2} />} title={words.none}>
              {words.noneHint}
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}

/** The answer of a list, and the page for the removal of a listed address or domain. */
function Answer({ listing: { state, answer, delist_url } }: { readonly listing: Listing }) {
  return (
    <>
      {answer ?? '–'}
      {state === 'listed' && delist_url !== null && (
        <Text fz="xs" component="div">
          <Anchor href={delist_url} target="_blank" rel="noreferrer" inherit>
            {operator.lists.remove}
          </Anchor>
        </Text>
      )}
    </>
  )
}
