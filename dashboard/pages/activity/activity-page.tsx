// Events of all domains, newest first and live: by recipient or message ID, by type and domain.

import { Anchor, Button, Stack, Text } from '@mantine/core'
import { IconActivity, IconMailSearch, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from 'react-router'
import { ProblemError } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Choice, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { Live } from '../../parts/live.tsx'
import { Page } from '../../parts/page.tsx'
import { inWords, StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { queries } from '../../queries.ts'
import { domainsQuery } from '../domains/calls.ts'
import { EVENT_TYPES, eventInWords, replyInWords } from '../messages/event-words.ts'
import {
  type ActivityEvent,
  activityQuery,
  EVENTS_KEY,
  FILTERS,
  type Filter,
  isMessageId,
  messageAddress,
  streamAddress,
} from './calls.ts'
import { useEventStream } from './event-stream.ts'

/** Intervals of the list with the stream, which some proxies hold up, and without. */
const STREAMED_MS = 60_000
const POLLED_MS = 5_000

const askAgain = (): void => void queries.invalidateQueries({ queryKey: EVENTS_KEY })

export function Component() {
  const [filter, change] = useAddressFilter(FILTERS)
  const cursor = useCursor()
  const open = useEventStream(cursor === undefined ? streamAddress(filter) : undefined, askAgain)
  const query = useQuery(activityQuery(filter, cursor, open ? STREAMED_MS : POLLED_MS))
  const domains = useQuery(domainsQuery).data?.data ?? []
  const names = new Map(domains.map(({ domain_id, domain }) => [domain_id, domain]))
  const clear = () => change(Object.fromEntries(FILTERS.map((name) => [name, ''])))
  const [found] = query.isPlaceholderData ? [] : (query.data?.data ?? [])
  if (found !== undefined && isMessageId(filter.search ?? '')) {
    return <Navigate to={messageAddress(found)} replace />
  }
  const filtered = Object.keys(filter).length > 0
  return (
    <Page
      title="Activity"
      intro="Events of the messages of all domains, newest first."
      actions={cursor === undefined && query.data !== undefined && <Live failing={query.isError} />}
      size={1240}
    >
      <Stack gap="md">
        <Filters filter={filter} change={change} clear={clear} error={query.error} names={names} />
        <Card flush>
          <DataTable
            label="Events"
            query={query}
            columns={names.size > 1 ? [...COLUMNS, domainOf(names), TIME] : [...COLUMNS, TIME]}
            keyOf={({ id }) => id}
            linkOf={messageAddress}
            empty={filtered ? <NothingFound clear={clear} /> : <NoEvents />}
          />
        </Card>
      </Stack>
    </Page>
  )
}

interface FiltersProps {
  readonly filter: Filter
  readonly change: (change: Filter) => void
  readonly clear: () => void
  readonly error: Error | null
  /** Domains of the account by their ID. */
  readonly names: ReadonlyMap<string, string>
}

const Filters = ({ filter, change, clear, error, names }: FiltersProps) => (
  <search className="filters filters-in-view" aria-label="Events">
    <SearchText
      label="Recipient or message ID"
      value={filter.search ?? ''}
      onChange={(search) => change({ search })}
      error={error instanceof ProblemError ? error.field('recipient') : undefined}
    />
    <Choice
      label="Event"
      value={filter.type}
      onChange={(type) => change({ type })}
      data={EVENT_TYPES.map((value) => ({ value, label: inWords(value) }))}
    />
    {names.size > 1 && (
      <Choice
        label="Domain"
        value={filter.domain}
        onChange={(domain) => change({ domain })}
        data={[...names].map(([value, label]) => ({ value, label }))}
      />
    )}
    {Object.keys(filter).length > 0 && (
      <Button variant="subtle" color="gray" size="sm" leftSection={<IconX size={14} />} onClick={clear}>
        Clear
      </Button>
    )}
  </search>
)

const COLUMNS: readonly Column<ActivityEvent>[] = [
  {
    title: 'Recipient',
    cell: (event) => (
      <div className="two-lines one-line-each">
        <Anchor
          component={Link}
          to={messageAddress(event)}
          fw={500}
          c="var(--mantine-color-text)"
          fz="sm"
          title={event.email}
        >
          {event.email}
        </Anchor>
        <Text fz="sm" c="dimmed" title={event.subject}>
          {event.subject || '(no subject)'}
        </Text>
      </div>
    ),
  },
  { title: 'Event', cell: (event) => <Happened event={event} />, width: { base: 150, sm: 340 } },
]

const TIME: Column<ActivityEvent> = {
  title: 'Time',
  cell: ({ at }) => <Time at={at} />,
  from: 'xs',
  width: 130,
  number: true,
}

const domainOf = (names: ReadonlyMap<string, string>): Column<ActivityEvent> => ({
  title: 'Domain',
  cell: ({ domain_id }) => (
    <div className="one-line-each" title={names.get(domain_id)}>
      <div>{names.get(domain_id) ?? '–'}</div>
    </div>
  ),
  from: 'md',
  width: 180,
})

/** The type of an event, and below it the reply or the reason; on narrow screens the time. */
function Happened({ event }: { readonly event: ActivityEvent }) {
  const { type, reply } = event
  const reason = replyInWords(reply?.smtp_code, reply?.smtp_response) || eventInWords(event)
  return (
    <div className="two-lines one-line-each">
      <Text fz="sm" component="div">
        <StatusBadge status={type} />
      </Text>
      {reason !== '' && (
        <Text fz="sm" c="dimmed" title={reason} visibleFrom="sm">
          {reason}
        </Text>
      )}
      <Text fz="sm" c="dimmed" hiddenFrom="xs">
        <Time at={event.at} />
      </Text>
    </div>
  )
}

const NothingFound = ({ clear }: { readonly clear: () => void }) => (
  <EmptyState
    icon={<IconMailSearch size={32} stroke={1.4} />}
    title="No matching events"
    action={
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
    }
  >
    Recipients match by full address or its beginning, in any case; messages by their ID (msg_…).
  </EmptyState>
)

const NoEvents = () => (
  <EmptyState icon={<IconActivity size={32} stroke={1.4} />} title="No events yet">
    Send a message: its acceptance, delivery attempts and outcome appear here within seconds.
  </EmptyState>
)
