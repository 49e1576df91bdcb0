// Live list of the events of all domains, newest first, with filters for recipient, subject, message ID, type and
// domain.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from 'react-router'
import { ProblemError } from '../../client.ts'
import { type Column, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FilteredTable, type Narrowing } from '../../parts/filtered-table.tsx'
import { allEmpty, Choice, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconActivity } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Live } from '../../parts/live.tsx'
import { isMessageId } from '../../parts/message-id.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { queries } from '../../queries.ts'
import { activity as words } from '../../texts/en/activity.ts'
import { locale } from '../../texts/language.ts'
import { fill } from '../../texts/texts.ts'
import { domainsQuery } from '../domains/calls.ts'
import { EVENT_TYPES } from '../messages/event-types.ts'
import { eventInWords, replyInWords } from '../messages/event-words.ts'
import { FILTERS, type Filter } from './activity-address.ts'
import { ActivityTabs } from './activity-tabs.tsx'
import {
  type ActivityEvent,
  activityQuery,
  EVENTS_KEY,
  EVERY_TYPE,
  messageAddress,
  shownEvents,
  streamAddress,
} from './calls.ts'
import { useEventStream } from './event-stream.ts'

/** Refresh intervals of the list: with an open event stream, which some proxies delay, and without one. */
const STREAMED_MS = 60_000
const POLLED_MS = 5_000

const askAgain = (): void => void queries.invalidateQueries({ queryKey: EVENTS_KEY })

export function Component() {
  const [filter, change] = useAddressFilter(FILTERS)
  const cursor = useCursor()
  // A list that ends at a given time gets no new events.
  const follows = cursor === undefined && filter.before === undefined
  const open = useEventStream(follows ? streamAddress(filter) : undefined, askAgain)
  const query = useQuery(activityQuery(filter, cursor, follows && (open ? STREAMED_MS : POLLED_MS)))
  const { data } = query
  const shown = { ...query, data: data && { ...data, data: shownEvents(data.data, filter) } }
  const domains = useQuery(domainsQuery).data?.data ?? []
  const names = new Map(domains.map(({ domain_id, domain_unicode }) => [domain_id, domain_unicode]))
  const [found] = query.isPlaceholderData ? [] : (query.data?.data ?? [])
  if (found !== undefined && isMessageId(filter.search ?? '')) {
    return <Navigate to={messageAddress(found)} replace />
  }
  return (
    <Page
      title={words.title}
      intro={words.intro}
      actions={follows && query.data !== undefined && <Live failing={query.isError} />}
      size={1240}
    >
      <ActivityTabs />
      <FilteredTable
        label={words.events}
        query={shown}
        columns={[...columns(), ...(names.size > 1 ? [domainOf(names)] : []), timeOf()]}
        keyOf={({ id }) => id}
        dense
        linkOf={messageAddress}
        fields={<Fields filter={filter} change={change} error={query.error} names={names} />}
        narrowings={narrowingsOf(filter, change)}
        filtered={Object.keys(filter).length > 0}
        clear={() => change(allEmpty(FILTERS))}
        nothing={{ title: words.noMatching, hint: words.noMatchingHint }}
        empty={<NoEvents />}
      />
    </Page>
  )
}

interface FieldsProps {
  readonly filter: Filter
  readonly change: (change: Filter) => void
  readonly error: Error | null
  /** Names of the domains of the account by domain ID. */
  readonly names: ReadonlyMap<string, string>
}

const Fields = ({ filter, change, error, names }: FieldsProps) => (
  <>
    <SearchText
      label={words.search}
      value={filter.search ?? ''}
      onChange={(search) => change({ search })}
      error={error instanceof ProblemError ? error.field('search') : undefined}
    />
    <Choice
      label={words.event}
      all={words.outcomesOnly}
      value={filter.type}
      onChange={(type) => change({ type })}
      data={[
        { value: EVERY_TYPE, label: words.everyEvent },
        ...EVENT_TYPES.map((value) => ({ value, label: inWords(value) })),
      ]}
    />
    {names.size > 1 && (
      <Choice
        label={words.domain}
        value={filter.domain}
        onChange={(domain) => change({ domain })}
        data={[...names].map(([value, label]) => ({ value, label }))}
      />
    )}
  </>
)

const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const moment = (text: string): string =>
  Number.isNaN(Date.parse(text)) ? text : MOMENT.format(new Date(text))

/** Filters that links from the statistics set, with functions that name their values. */
const NARROWED = {
  stream: (stream: string) => stream,
  tag: (tag: string) => tag,
  provider: (provider: string) => provider,
  category: (category: string) => inWords(category).toLowerCase(),
  counted: () => '',
  after: moment,
  before: moment,
} as const
const NARROWINGS = Object.keys(NARROWED) as (keyof typeof NARROWED)[]

const narrowingsOf = (filter: Filter, change: (change: Filter) => void): readonly Narrowing[] =>
  NARROWINGS.flatMap((name) => {
    const value = filter[name]
    if (value === undefined) return []
    const label = fill(words.narrowed[name], { value: NARROWED[name](value) })
    return [{ label, remove: () => change({ [name]: '' }) }]
  })

const columns = (): readonly Column<ActivityEvent>[] => [
  {
    title: words.recipient,
    cell: (event) => (
      <div className="two-lines one-line-each">
        <Anchor
          component={Link}
          to={messageAddress(event)}
          fw={500}
          c="var(--mantine-color-text)"
          fz="sm"
          title={event.email ?? undefined}
        >
          {event.email ?? inWords(event.type)}
        </Anchor>
        <Text fz="sm" c="dimmed" title={event.subject}>
          {event.subject || words.noSubject}
        </Text>
      </div>
    ),
  },
  { title: words.event, cell: (event) => <Happened event={event} />, width: { base: 150, sm: 340 } },
]

const timeOf = (): Column<ActivityEvent> => ({
  title: words.time,
  cell: ({ at }) => <Time at={at} />,
  from: 'xs',
  width: 130,
  number: true,
})

const domainOf = (names: ReadonlyMap<string, string>): Column<ActivityEvent> => ({
  title: words.domain,
  cell: ({ domain_id }) => (
    <div className="one-line-each" title={names.get(domain_id)}>
      <div>{names.get(domain_id) ?? '–'}</div>
    </div>
  ),
  from: 'md',
  width: 180,
})

/**
 * The type of an event with the reply or the reason below it; narrow screens show the time as well, and no reply to a
 * delivery.
 */
function Happened({ event }: { readonly event: ActivityEvent }) {
  const { type, reply } = event
  const reason = replyInWords(reply?.smtp_code, reply?.smtp_response) || eventInWords(event)
  return (
    <div className="two-lines one-line-each">
      <Text fz="sm" component="div">
        <StatusBadge status={type} />
      </Text>
      {reason !== '' && (
        <Text fz="sm" c="dimmed" title={reason} {...(type === 'delivered' ? { visibleFrom: 'sm' } : {})}>
          {reason}
        </Text>
      )}
      <Text fz="sm" c="dimmed" hiddenFrom="xs">
        <Time at={event.at} />
      </Text>
    </div>
  )
}

const NoEvents = () => (
  <EmptyState icon={<IconActivity size={32} stroke={1.4} />} title={words.none}>
    {words.noneHint}
  </EmptyState>
)
