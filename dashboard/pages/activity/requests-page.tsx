// The API requests with keys of the account, including refused requests, newest first, each with its response.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { withQuery } from '../../client.ts'
import { type Column, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FilteredTable } from '../../parts/filtered-table.tsx'
import { allEmpty, Choice, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconApi } from '../../parts/icons.tsx'
import { Live } from '../../parts/live.tsx'
import { duration } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { activity as words } from '../../texts/en/activity.ts'
import { counted, fill } from '../../texts/texts.ts'
import { domainsQuery } from '../domains/calls.ts'
import { ActivityTabs } from './activity-tabs.tsx'
import { messageAddress } from './calls.ts'
import { FILTERS, type Filter, type LoggedKey, type LoggedRequest, requestsQuery } from './request-calls.ts'

export function Component() {
  const [filter, change] = useAddressFilter(FILTERS)
  const cursor = useCursor()
  const query = useQuery(requestsQuery(filter, cursor))
  const domains = useQuery(domainsQuery).data?.data ?? []
  const keys = query.data?.keys ?? []
  const names = new Map(domains.map(({ domain_id, domain_unicode }) => [domain_id, domain_unicode]))
  return (
    <Page
      title={words.requests}
      intro={words.requestsIntro}
      actions={cursor === undefined && query.data !== undefined && <Live failing={query.isError} />}
      size={1240}
    >
      <ActivityTabs />
      <FilteredTable
        label={words.requests}
        query={query}
        columns={columns(keys, names)}
        keyOf={({ request_log_id }) => request_log_id}
        dense
        fields={<Fields filter={filter} change={change} keys={keys} names={names} />}
        narrowings={
          filter.code === undefined
            ? []
            : [
                {
                  label: fill(words.narrowed.code, { value: filter.code }),
                  remove: () => change({ code: '' }),
                },
              ]
        }
        filtered={Object.keys(filter).length > 0}
        clear={() => change(allEmpty(FILTERS))}
        nothing={{
          title: words.noMatchingRequests,
          hint: fill(words.noMatchingRequestsHint, { example: '/v1/messages' }),
        }}
        empty={<NoRequests />}
      />
    </Page>
  )
}

const OUTCOMES = ['answered', 'refused', 'failed'] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'SMTP'].map((value) => ({ value, label: value }))

interface FieldsProps {
  readonly filter: Filter
  readonly change: (change: Filter) => void
  readonly keys: readonly LoggedKey[]
  /** Names of the domains of the account by domain ID. */
  readonly names: ReadonlyMap<string, string>
}

const Fields = ({ filter, change, keys, names }: FieldsProps) => (
  <>
    <SearchText
      label={words.path}
      value={filter.path ?? ''}
      onChange={(path) => change({ path })}
      error={undefined}
    />
    <Choice
      label={words.outcome}
      value={filter.outcome}
      onChange={(outcome) => change({ outcome })}
      data={OUTCOMES.map((value) => ({ value, label: words.outcomes[value] }))}
    />
    <Choice
      label={words.method}
      value={filter.method}
      onChange={(method) => change({ method })}
      data={METHODS}
    />
    <Choice
      label={words.key}
      value={filter.key}
      onChange={(key) => change({ key })}
      data={keys.map((key) => ({ value: key.key_id, label: nameOf(key) }))}
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

const nameOf = ({ name, last4 }: LoggedKey): string => (name === '' ? `…${last4}` : `${name} (…${last4})`)

/** A refusal of SMTP is the fault of the client, although its code begins with 5. */
const toneOf = ({ status, method }: Pick<LoggedRequest, 'status' | 'method'>): Tone =>
  status < 400 ? 'good' : status < 500 || method === 'SMTP' ? 'waiting' : 'bad'

const columns = (
  keys: readonly LoggedKey[],
  names: ReadonlyMap<string, string>,
): readonly Column<LoggedRequest>[] => [
  {
    title: words.request,
    cell: (row) => (
      <div className="two-lines one-line-each">
        <Text fz="sm" ff="monospace" title={row.path}>
          {row.method} <RequestPath request={row} />
        </Text>
        <KeyName id={row.key_id} keys={keys} />
        {row.missed > 0 && (
          <Text fz="sm" c="dimmed" title={words.missedHint}>
            {counted(words.missed, row.missed)}
          </Text>
        )}
      </div>
    ),
  },
  { title: words.answer, cell: (row) => <AnswerOf request={row} />, width: { base: 150, sm: 280 } },
  ...(names.size > 1
    ? [
        {
          title: words.domain,
          cell: ({ domain_id }: LoggedRequest) => (
            <div className="one-line-each" title={names.get(domain_id ?? '')}>
              <div>{names.get(domain_id ?? '') ?? '–'}</div>
            </div>
          ),
          from: 'md' as const,
          width: 180,
        },
      ]
    : []),
  {
    title: words.duration,
    cell: ({ duration_ms }) => duration(duration_ms),
    from: 'sm',
    width: 100,
    number: true,
  },
  {
    title: words.time,
    cell: ({ at }) => <Time at={at} />,
    width: { base: 100, sm: 130 },
    number: true,
  },
]

const MESSAGE = /^\/v1\/(?:messages|inbound)\/((?:msg|inb)_[0-9A-Z]{26})(?:\/|$)/

/** The path of a request, with a link to the message if the path names one. */
function RequestPath({ request: { path, domain_id } }: { readonly request: LoggedRequest }) {
  const message_id = MESSAGE.exec(path)?.[1]
  if (message_id === undefined || domain_id === null) return path
  return (
    <Anchor component={Link} to={messageAddress({ domain_id, message_id })} fz="sm">
      {path}
    </Anchor>
  )
}

function KeyName({ id, keys }: { readonly id: string; readonly keys: readonly LoggedKey[] }) {
  const key = keys.find(({ key_id }) => key_id === id)
  const name = key === undefined ? id : nameOf(key)
  return (
    <Text fz="sm" c="dimmed" title={name}>
      {key?.revoked ? fill(words.revoked, { name }) : name}
    </Text>
  )
}

/** Maximum number of problems that a row shows. */
const MAX_PROBLEMS = 3

/**
 * The status of the response with either the message that the request created, or the code of a refusal and the
 * fields with problems; the code links to other requests with the same code.
 */
function AnswerOf({ request }: { readonly request: LoggedRequest }) {
  const { status, code, problems, problem_count, message_id, domain_id } = request
  const told = problems.map(({ path, code: kind }) => (path === '' ? kind : `${path}: ${kind}`))
  const more = problem_count - MAX_PROBLEMS
  return (
    <div className="two-lines one-line-each">
      <Text fz="sm" component="div">
        <StatusBadge status={String(status)} tone={toneOf(request)} />
      </Text>
      {message_id !== null && domain_id !== null && (
        <Anchor component={Link} to={messageAddress({ domain_id, message_id })} fz="sm" title={message_id}>
          {words.toMessage}
        </Anchor>
      )}
      {code !== null && (
        <Anchor
          component={Link}
          to={withQuery('/activity/requests', { code })}
          fz="sm"
          title={fill(words.withCode, { code })}
        >
          {code}
        </Anchor>
      )}
      {told.slice(0, MAX_PROBLEMS).map((problem) => (
        <Text key={problem} fz="sm" c="dimmed" ff="monospace" title={told.join('\n')}>
          {problem}
        </Text>
      ))}
      {more > 0 && (
        <Text fz="sm" c="dimmed" title={told.join('\n')}>
          {counted(words.moreProblems, more)}
        </Text>
      )}
    </div>
  )
}

const NoRequests = () => (
  <EmptyState icon={<IconApi size={32} stroke={1.4} />} title={words.noRequests}>
    {words.noRequestsHint}
  </EmptyState>
)
