// Reads incidents for the API, the dashboard, mails and metrics.

import { sql } from 'kysely'
import type {
  IncidentCause,
  IncidentEvidence,
  IncidentScope,
  IncidentState,
  IncidentWords,
} from '../../model/incident.ts'
import type { Read } from '../database/dialect.ts'
import { findRows } from '../database/rows.ts'
import type { IncidentRow } from './incidents.ts'

/** An incident with its example, which is absent if the message or its recipient was erased or removed. */
export interface IncidentView {
  readonly id: string
  readonly accountId: string
  readonly domainId: string
  readonly state: IncidentState
  readonly cause: IncidentCause
  readonly provider: string | null
  readonly code: string | null
  readonly scope: IncidentScope
  readonly beganAt: number
  readonly noticedAt: number
  readonly endedAt: number | null
  readonly mutedUntil: number | null
  readonly attempts: number
  readonly failed: number
  /** Usual share of failures, a fraction of 1; null if unknown. */
  readonly usualShare: number | null
  readonly recipients: number
  readonly example: ExampleView | null
  /** Sentences of the part that opened the incident; null for those of its provider, code and cause. */
  readonly words: IncidentWords | null
  readonly evidence: readonly IncidentEvidence[]
}

/** A failure with the reply of the mail host. */
interface ExampleView {
  readonly messageId: string
  readonly email: string
  readonly smtpCode: number | null
  readonly smtpResponse: string | null
  readonly mx: string | null
}

const MILLION = 1_000_000

/** Returns the views of incidents, in order. */
export async function incidentViews(read: Read, rows: readonly IncidentRow[]): Promise<IncidentView[]> {
  const keys = rows.flatMap(({ example_message: message_id, example_event: id }) =>
    message_id === null || id === null ? [] : [{ message_id, id }],
  )
  const events = await findRows(read, 'events', ['message_id', 'id'], keys, [
    'id',
    'message_id',
    'email',
    'detail',
  ])
  const byId = new Map(events.map((event) => [event.id, event]))
  return rows.map((row) => {
    const event = row.example_event === null ? undefined : byId.get(row.example_event)
    return viewOf(row, event === undefined ? null : exampleOf(event))
  })
}

export async function incidentViewOf(read: Read, row: IncidentRow): Promise<IncidentView> {
  const [view] = await incidentViews(read, [row])
  return view as IncidentView
}

function exampleOf(event: {
  readonly message_id: string
  readonly email: string
  readonly detail: string
}): ExampleView {
  const { smtp_code, smtp_response, mx } = JSON.parse(event.detail) as Record<string, unknown>
  return {
    messageId: event.message_id,
    email: event.email,
    smtpCode: typeof smtp_code === 'number' ? smtp_code : null,
    smtpResponse: typeof smtp_response === 'string' ? smtp_response : null,
    mx: typeof mx === 'string' ? mx : null,
  }
}

const viewOf = (row: IncidentRow, example: ExampleView | null): IncidentView => ({
  id: row.id,
  accountId: row.account_id,
  domainId: row.domain_id,
  state: row.state,
  cause: row.cause,
  provider: row.provider,
  code: row.code,
  scope: JSON.parse(row.scope),
  beganAt: Number(row.began_at),
  noticedAt: Number(row.noticed_at),
  endedAt: row.ended_at === null ? null : Number(row.ended_at),
  mutedUntil: row.muted_until === null ? null : Number(row.muted_until),
  attempts: Number(row.attempts),
  failed: Number(row.failed),
  usualShare: row.usual_share === null ? null : Number(row.usual_share) / MILLION,
  recipients: Number(row.recipients),
  example,
  words: row.words === null ? null : JSON.parse(row.words),
  evidence: JSON.parse(row.evidence),
})

/** Conditions on incidents, each of which is optional. */
export interface IncidentFilter {
  readonly states?: readonly IncidentState[] | undefined
  readonly provider?: string | undefined
  /** Period that the incident overlaps, in milliseconds since the epoch; `to` is exclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Returns incidents of domains, newest first; with `before`, only incidents with smaller IDs. */
export async function listIncidents(
  read: Read,
  domainIds: readonly string[],
  { states, provider, from, to }: IncidentFilter,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<IncidentRow[]> {
  if (domainIds.length === 0) return []
  let query = read.selectFrom('incidents').selectAll().where('domain_id', 'in', domainIds)
  if (states !== undefined) query = query.where('state', 'in', states)
  if (provider !== undefined) query = query.where('provider', '=', provider)
  if (to !== undefined) query = query.where('began_at', '<', to)
  if (from !== undefined) {
    query = query.where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', from)]))
  }
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Returns an incident of one of the domains; undefined if there is none. */
export function findIncident(
  read: Read,
  domainIds: readonly string[],
  id: string,
): Promise<IncidentRow | undefined> {
  if (domainIds.length === 0) return Promise.resolve(undefined)
  return read
    .selectFrom('incidents')
    .selectAll()
    .where('id', '=', id)
    .where('domain_id', 'in', domainIds)
    .executeTakeFirst()
}

/** Returns the open incidents of an account that are not muted, newest first. */
export function openIncidentsOfAccount(
  read: Read,
  accountId: string,
  now: number,
  limit: number,
): Promise<IncidentRow[]> {
  return read
    .selectFrom('incidents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', '=', 'open')
    .where((eb) => eb.or([eb('muted_until', 'is', null), eb('muted_until', '<=', now)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Returns the numbers of open incidents by cause, of all accounts. */
export async function countOpenIncidents(read: Read): Promise<ReadonlyMap<IncidentCause, number>> {
  const rows = await read
    .selectFrom('incidents')
    .select(['cause', sql<number | string>`count(*)`.as('count')])
    .where('state', '=', 'open')
    .groupBy('cause')
    .execute()
  return new Map(rows.map(({ cause, count }) => [cause, Number(count)]))
}

/** Sums of the replies of a provider. */
export interface ProviderReplies {
  /** Name of the provider; empty for hosts of no known provider. */
  readonly provider: string
  readonly attempts: number
  readonly recipients: number
  /** Attempts that a host accepted, and those of them on an encrypted connection. */
  readonly delivered: number
  readonly encrypted: number
  /** Attempts of the last hour. */
  readonly lately: number
}

/** Failed attempts at a provider with one category and code. */
export interface ProviderFailures {
  readonly provider: string
  readonly category: string
  /** Code of the replies; empty for failures without a reply. */
  readonly code: string
  readonly attempts: number
}

/** Replies of mail hosts to the mail of domains in a period. */
export interface Replies {
  readonly providers: readonly ProviderReplies[]
  /** Failed attempts by provider, category and code, the most frequent first. */
  readonly failures: readonly ProviderFailures[]
  /** Own addresses from which attempts were made. */
  readonly sources: readonly string[]
}

/** Maximum number of failures in one response, and of combinations that are read. */
const MAX_FAILURES = 500
const MAX_COMBINATIONS = 50_000

/**
 * Returns the replies to the mail of domains, read by one scan of the counts by hour.
 *
 * @param period the period of the sums, from and to the beginning of an hour, and the step from which attempts are recent
 */
export async function readReplies(
  read: Read,
  domainIds: readonly string[],
  { from, to, lately }: { readonly from: number; readonly to: number; readonly lately: number },
  stream: string | undefined,
): Promise<Replies> {
  if (domainIds.length === 0) return { providers: [], failures: [], sources: [] }
  const [rows, recent] = await Promise.all([
    read
      .selectFrom('reply_hours')
      .select(({ fn }) => [
        ...(['provider', 'source', 'category', 'code'] as const),
        fn.sum<number | string>('attempts').as('attempts'),
        fn.sum<number | string>('recipients').as('recipients'),
        fn.sum<number | string>('encrypted').as('encrypted'),
      ])
      .where('domain_id', 'in', domainIds)
      .where('at', '>=', from)
      .where('at', '<', to)
      .$if(stream !== undefined, (query) => query.where('stream', '=', stream as string))
      .groupBy(['provider', 'source', 'category', 'code'])
      .limit(MAX_COMBINATIONS)
      .execute(),
    read
      .selectFrom('reply_counts')
      .select(({ fn }) => ['provider', fn.sum<number | string>('attempts').as('attempts')])
      .where('domain_id', 'in', domainIds)
      .where('at', '>=', lately)
      .$if(stream !== undefined, (query) => query.where('stream', '=', stream as string))
      .groupBy('provider')
      .execute(),
  ])
  const providers = new Map<string, Mutable<ProviderReplies>>()
  const failures = new Map<string, Mutable<ProviderFailures>>()
  const of = (provider: string): Mutable<ProviderReplies> => {
    const none = { provider, attempts: 0, recipients: 0, delivered: 0, encrypted: 0, lately: 0 }
    const sum = providers.get(provider) ?? none
    providers.set(provider, sum)
    return sum
  }
  for (const { provider, category, code, ...row } of rows) {
    const [sum, attempts] = [of(provider), Number(row.attempts)]
    sum.attempts += attempts
    sum.recipients += Number(row.recipients)
    if (category === '') {
      sum.delivered += attempts
      sum.encrypted += Number(row.encrypted)
    } else {
      const key = `${provider} ${category} ${code}`
      const failure = failures.get(key) ?? { provider, category, code, attempts: 0 }
      failure.attempts += attempts
      failures.set(key, failure)
    }
  }
  for (const { provider, attempts } of recent) of(provider).lately = Number(attempts)
  return {
    providers: [...providers.values()],
    failures: [...failures.values()].sort(byAttempts).slice(0, MAX_FAILURES),
    sources: [...new Set(rows.map(({ source }) => source))].filter((source) => source !== ''),
  }
}

type Mutable<Row> = { -readonly [Name in keyof Row]: Row[Name] }

const byAttempts = (one: ProviderFailures, other: ProviderFailures): number =>
  other.attempts - one.attempts ||
  (`${one.provider} ${one.code}` < `${other.provider} ${other.code}` ? -1 : 1)
