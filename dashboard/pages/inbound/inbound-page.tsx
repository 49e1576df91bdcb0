// The inbound messages of a domain: by sender, kind and stream, and live while looked at.

import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ProblemError } from '../../client.ts'
import { type Column, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FilteredTable } from '../../parts/filtered-table.tsx'
import { allEmpty, Choice, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconMailDown } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useDomainId } from '../domains/workspace.ts'
import { streamsQuery } from '../streams/calls.ts'
import { AuthenticationBadge } from './authentication.tsx'
import { FILTERS, type Filter, type InboundLine, inboundListQuery, KINDS } from './calls.ts'

export function Component() {
  const domainId = useDomainId()
  const [filter, change] = useAddressFilter(FILTERS)
  const query = useQuery(inboundListQuery(domainId, filter, useCursor()))
  const linkOf = ({ inbound_id }: InboundLine) => `/domains/${domainId}/inbound/${inbound_id}`
  return (
    <Page
      title="Inbound"
      intro="Messages received by the inbound streams of this domain, newest first."
      size={1240}
    >
      <FilteredTable
        label="Inbound messages"
        query={query}
        columns={columns(linkOf)}
        keyOf={({ inbound_id }) => inbound_id}
        linkOf={linkOf}
        fields={<Fields filter={filter} change={change} error={query.error} />}
        filtered={Object.keys(filter).length > 0}
        clear={() => change(allEmpty(FILTERS))}
        nothing={{ title: 'No matching messages', hint: 'Senders match by full address.' }}
        empty={<Nothing domainId={domainId} />}
      />
    </Page>
  )
}

interface FieldsProps {
  readonly filter: Filter
  readonly change: (change: Filter) => void
  readonly error: Error | null
}

function Fields({ filter, change, error }: FieldsProps) {
  const streams = useQuery(streamsQuery(useDomainId()))
  const inbound = (streams.data?.data ?? []).filter(({ kind }) => kind === 'inbound')
  return (
    <>
      <SearchText
        label="Sender address"
        value={filter.from ?? ''}
        onChange={(from) => change({ from })}
        error={error instanceof ProblemError ? error.field('from') : undefined}
      />
      <Choice
        label="Kind"
        value={filter.kind}
        onChange={(kind) => change({ kind })}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
      />
      <Choice
        label="Stream"
        value={filter.stream}
        onChange={(stream) => change({ stream })}
        data={inbound.map(({ alias, name }) => ({ value: alias, label: name }))}
      />
    </>
  )
}

const columns = (linkOf: (row: InboundLine) => string): readonly Column<InboundLine>[] => [
  {
    title: 'Message',
    cell: (row) => (
      <div className="two-lines one-line-each">
        <Anchor component={Link} to={linkOf(row)} fw={500} c="var(--mantine-color-text)" fz="sm">
          {row.subject || '(no subject)'}
        </Anchor>
        <Text fz="sm" c="dimmed" title={row.from?.email}>
          {row.from?.name || row.from?.email || row.mail_from || '(no sender)'}
        </Text>
      </div>
    ),
  },
  {
    title: 'To',
    cell: ({ rcpt_to: [first = '', ...others] }) => (
      <div className="one-line-each" title={first}>
        <div>{others.length === 0 ? first : `${first} and ${others.length} more`}</div>
      </div>
    ),
    from: 'md',
    width: 240,
  },
  { title: 'Kind', cell: ({ kind }) => KINDS[kind], from: 'lg', width: 140 },
  {
    title: 'DMARC',
    cell: (row) => <AuthenticationBadge message={row} />,
    from: 'sm',
    width: 130,
  },
  {
    title: 'Received',
    cell: ({ received_at }) => <Time at={received_at} />,
    from: 'xs',
    width: 130,
    number: true,
  },
]

const Nothing = ({ domainId }: { readonly domainId: string }) => (
  <EmptyState
    icon={<IconMailDown size={32} stroke={1.4} />}
    title="No inbound messages yet"
    action={
      <Button component={Link} to={`/domains/${domainId}/streams`}>
        Go to streams
      </Button>
    }
  >
    Create a stream of the kind Inbound with its addresses, then publish the MX record that the DNS page
    shows.
  </EmptyState>
)
