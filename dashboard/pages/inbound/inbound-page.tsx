// Live list of the inbound messages of a domain, with filters for sender, kind and stream.

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
import { inbound as words } from '../../texts/en/inbound.ts'
import { messages } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import { streamsQuery } from '../streams/calls.ts'
import { AuthenticationBadge } from './authentication.tsx'
import { FILTERS, type Filter, type InboundLine, inboundListQuery } from './calls.ts'

export function Component() {
  const domainId = useDomainId()
  const [filter, change] = useAddressFilter(FILTERS)
  const query = useQuery(inboundListQuery(domainId, filter, useCursor()))
  const linkOf = ({ inbound_id }: InboundLine) => `/domains/${domainId}/inbound/${inbound_id}`
  return (
    <Page title={words.title} intro={words.intro} size={1240}>
      <FilteredTable
        label={words.label}
        query={query}
        columns={columns(linkOf)}
        keyOf={({ inbound_id }) => inbound_id}
        linkOf={linkOf}
        fields={<Fields filter={filter} change={change} error={query.error} />}
        filtered={Object.keys(filter).length > 0}
        clear={() => change(allEmpty(FILTERS))}
        nothing={{ title: words.noMatching, hint: words.noMatchingHint }}
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
        label={words.sender}
        value={filter.from ?? ''}
        onChange={(from) => change({ from })}
        error={error instanceof ProblemError ? error.field('from') : undefined}
      />
      <Choice
        label={words.kind}
        value={filter.kind}
        onChange={(kind) => change({ kind })}
        data={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
      />
      <Choice
        label={words.stream}
        value={filter.stream}
        onChange={(stream) => change({ stream })}
        data={inbound.map(({ alias, name }) => ({ value: alias, label: name }))}
      />
    </>
  )
}

const columns = (linkOf: (row: InboundLine) => string): readonly Column<InboundLine>[] => [
  {
    title: words.message,
    cell: (row) => (
      <div className="two-lines one-line-each">
        <Anchor component={Link} to={linkOf(row)} fw={500} c="var(--mantine-color-text)" fz="sm">
          {row.subject || messages.noSubject}
        </Anchor>
        <Text fz="sm" c="dimmed" title={row.from?.email}>
          {row.from?.name || row.from?.email || row.mail_from || words.noSender}
        </Text>
        <Text fz="sm" c="dimmed" hiddenFrom="xs" component="div">
          <Time at={row.received_at} />
        </Text>
      </div>
    ),
  },
  {
    title: words.to,
    cell: ({ rcpt_to: [first = '', ...others] }) => (
      <div className="one-line-each" title={first}>
        <div>{others.length === 0 ? first : fill(words.andMore, { email: first, count: others.length })}</div>
      </div>
    ),
    from: 'md',
    width: 240,
  },
  { title: words.kind, cell: ({ kind }) => words.kinds[kind], from: 'lg', width: 140 },
  {
    title: 'DMARC',
    cell: (row) => <AuthenticationBadge message={row} />,
    from: 'sm',
    width: 130,
  },
  {
    title: words.received,
    cell: ({ received_at }) => <Time at={received_at} />,
    from: 'xs',
    width: 130,
    number: true,
  },
]

const Nothing = ({ domainId }: { readonly domainId: string }) => (
  <EmptyState
    icon={<IconMailDown size={32} stroke={1.4} />}
    title={words.none}
    action={
      <Button component={Link} to={`/domains/${domainId}/streams`}>
        {words.toStreams}
      </Button>
    }
  >
    {words.noneHint}
  </EmptyState>
)
