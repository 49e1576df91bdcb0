// Facts about a domain for the requirements of large receivers, and the verdicts about these requirements.

import { sql } from 'kysely'
import { beforeIdsOf } from '../../lib/ids.ts'
import { hourOf } from '../../lib/rfc3339.ts'
import { RECEIVER_NAMES, type Receiver } from '../../model/requirement.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { LOOP_MS, listComplaintLoops } from '../readers/message-parts.ts'

export type DnsCheck = Tables['dns_checks']
export type RequirementState = Tables['requirement_states']
export type ReceiverFigureRow = Tables['receiver_figures']
export type ReceiverVolume = Tables['receiver_volumes']

const DAY_MS = 86_400_000
const REFUSED_MS = DAY_MS
const ENCRYPTED_MS = 7 * DAY_MS
/** Time for which the last figure of a receiver counts. */
const FIGURES_MS = 7 * DAY_MS
const UNSUBSCRIBED_MS = 30 * DAY_MS
/** Period in which complaints and deliveries are counted: the default period of the page of deliverability. */
const COMPLAINTS_MS = 7 * DAY_MS
/** Time within which an unsubscription has to take effect. */
const HONOURED_MS = 2 * DAY_MS
/** Maximum number of recent suppressions whose unsubscribes are compared with later mail. */
const MAX_SUPPRESSIONS = 500

/** Rows about a domain from which the facts are made. */
export type RequirementRows = Awaited<ReturnType<typeof readRequirementRows>>

/** Reads the rows about a domain; few queries with bounded results. */
export async function readRequirementRows(
  read: Read,
  {
    accountId,
    domainId,
    name,
  }: { readonly accountId: string; readonly domainId: string; readonly name: string },
  now: number,
) {
  const of = { account_id: accountId, domain_id: domainId }
  const [records, relay, checks, streams, unsubscribed, refusals, encrypted, figures, states] =
    await Promise.all([
      read
        .selectFrom('domain_records')
        .selectAll()
        .where((eb) => eb.and(of))
        .execute(),
      read
        .selectFrom('domain_relays')
        .select('domain_id')
        .where((eb) => eb.and(of))
        .executeTakeFirst(),
      read
        .selectFrom('dns_checks')
        .selectAll()
        .where((eb) => eb.or([eb('kind', '!=', 'mail_host'), eb('subject', '=', name)]))
        .orderBy('subject')
        .execute(),
      read
        .selectFrom('streams')
        .select('alias')
        .where((eb) => eb.and({ ...of, kind: 'broadcast', unsubscribe: 'sender' }))
        .where('archived_at', 'is', null)
        .orderBy('alias')
        .execute(),
      countUnsubscribed(read, domainId, now),
      read
        .selectFrom('reply_hours')
        .select(({ fn }) => ['provider', 'code', fn.sum<number | string>('attempts').as('attempts')])
        .where('domain_id', '=', domainId)
        .where('at', '>=', hourOf(now - REFUSED_MS))
        .where('provider', 'in', RECEIVER_NAMES)
        .where('category', '!=', '')
        .groupBy(['provider', 'code'])
        .execute(),
      read
        .selectFrom('reply_hours')
        .select(({ fn }) => [
          'provider',
          fn.sum<number | string>('attempts').as('attempts'),
          fn.sum<number | string>('encrypted').as('encrypted'),
        ])
        .where('domain_id', '=', domainId)
        .where('at', '>=', hourOf(now - ENCRYPTED_MS))
        .where('provider', 'in', RECEIVER_NAMES)
        .where('category', '=', '')
        .groupBy('provider')
        .execute(),
      read
        .selectFrom('receiver_figures')
        .selectAll()
        .where((eb) => eb.and(of))
        .where('as_of', '>=', now - FIGURES_MS)
        .execute(),
      read
        .selectFrom('requirement_states')
        .selectAll()
        .where((eb) => eb.and(of))
        .execute(),
    ])
  return {
    ...{ records, checks, figures, states, unsubscribed },
    isRelayed: relay !== undefined,
    ownUnsubscribing: streams.map(({ alias }) => alias),
    refusals: refusals.map((row) => ({ ...row, attempts: Number(row.attempts) })),
    encrypted: encrypted.map((row) => ({
      provider: row.provider,
      attempts: Number(row.attempts),
      encrypted: Number(row.encrypted),
    })),
  }
}

/** Counts the latest unsubscribes, and those who got mail of the same stream more than two days later. */
async function countUnsubscribed(
  read: Read,
  domainId: string,
  now: number,
): Promise<{ readonly all: number; readonly mailedAfter: number }> {
  const { rows } = await sql<{ all_of_them: number | string; mailed: number | string | null }>`
    select count(*) as all_of_them, sum(case when exists (
        select 1 from recipients r join messages m on m.id = r.message_id
        where r.domain_id = ${domainId} and lower(r.email) = s.email and r.status = 'delivered'
          and r.last_event_at > s.created_at + ${HONOURED_MS} and m.created_at > s.created_at
          and m.stream = s.stream and m.inbox_id is null
      ) then 1 else 0 end) as mailed
    from (
      select email, stream, created_at, reason from suppressions
      where domain_id = ${domainId} and id >= ${beforeIdsOf('sup', now - UNSUBSCRIBED_MS)}
      order by id desc limit ${MAX_SUPPRESSIONS}
    ) s where s.reason = 'unsubscribe'`.execute(read)
  return { all: Number(rows[0]?.all_of_them ?? 0), mailedAfter: Number(rows[0]?.mailed ?? 0) }
}

/** Returns the volumes of an account to the receivers, of one registrable domain. */
export const listVolumes = (read: Read, accountId: string, organization: string): Promise<ReceiverVolume[]> =>
  read
    .selectFrom('receiver_volumes')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('organization', '=', organization)
    .execute()

/** Number of messages that a domain delivered to a receiver on a day in UTC. */
export interface DayVolume {
  readonly accountId: string
  readonly domainId: string
  readonly receiver: Receiver
  /** Beginning of the day in milliseconds since the epoch. */
  readonly day: number
  readonly delivered: number
}

/** Returns the daily numbers of delivered messages to the receivers since the beginning of a day. */
export async function countDayVolumes(read: Read, since: number): Promise<DayVolume[]> {
  const { rows } = await sql<{
    account_id: string
    domain_id: string
    name: Receiver
    day: number | string
    delivered: number | string
  }>`
    select p.account_id, p.domain_id, p.name, p.hour_at - p.hour_at % ${sql.lit(DAY_MS)} as day,
      sum(p.delivered) as delivered
    from accounts a join message_parts p on p.account_id = a.id and p.hour_at >= ${since}
    where p.kind = 'provider' and p.name in (${sql.join(RECEIVER_NAMES)})
    group by 1, 2, 3, 4`.execute(read)
  return rows.map((row) => ({
    accountId: row.account_id,
    domainId: row.domain_id,
    receiver: row.name,
    day: Number(row.day),
    delivered: Number(row.delivered),
  }))
}

/** Deliveries to a provider whose loop has reported, and complaints of the provider, since a time. */
export interface LoopCounts {
  readonly accountId: string
  readonly domainId: string
  readonly provider: string
  /** Beginning of the hour of the last complaint, in milliseconds since the epoch. */
  readonly lastAt: number
  readonly delivered: number
  readonly complained: number
}

/** Returns the counts of the loops of these providers that have reported in the time for which figures count. */
export async function countComplaints(
  read: Read,
  providers: readonly Receiver[],
  now: number,
): Promise<LoopCounts[]> {
  // A loop that has stopped reporting is read once more for the time for which its last figure counts.
  const all = await listComplaintLoops(read, now - LOOP_MS - FIGURES_MS)
  const loops = all.filter(({ provider }) => (providers as readonly string[]).includes(provider))
  if (loops.length === 0) return []
  const accountIds = [...new Set(loops.map(({ accountId }) => accountId))]
  const rows = await read
    .selectFrom('message_parts')
    .select(['domain_id', 'name'])
    .select(({ fn }) => [
      fn.sum<number | string>('delivered').as('delivered'),
      fn.sum<number | string>('complained').as('complained'),
    ])
    .where('account_id', 'in', accountIds)
    .where('hour_at', '>=', now - COMPLAINTS_MS)
    .where('kind', '=', 'provider')
    .where('name', 'in', providers)
    .groupBy(['domain_id', 'name'])
    .execute()
  const counts = new Map(rows.map((row) => [`${row.domain_id} ${row.name}`, row]))
  return loops.map((loop) => {
    const { delivered = 0, complained = 0 } = counts.get(`${loop.domainId} ${loop.provider}`) ?? {}
    return { ...loop, delivered: Number(delivered), complained: Number(complained) }
  })
}

/** True if no volume has been counted yet. */
export const hasVolumes = async (read: Read): Promise<boolean> =>
  (await read.selectFrom('receiver_volumes').select('highest').limit(1).executeTakeFirst()) !== undefined

/** Records daily volumes: the highest with its day, and the first day as a bulk sender. */
export async function recordVolumes(
  db: Database,
  items: readonly { readonly volumes: readonly ReceiverVolume[] }[],
): Promise<true[]> {
  for (const { volumes } of items) {
    for (const volume of volumes) {
      await insertRows(db, 'receiver_volumes', [volume], HIGHER)
    }
  }
  return items.map(() => true)
}

const HIGHER = `on conflict (account_id, organization, receiver) do update set
  highest_day = case when excluded.highest > receiver_volumes.highest then excluded.highest_day
    else receiver_volumes.highest_day end,
  highest = case when excluded.highest > receiver_volumes.highest then excluded.highest
    else receiver_volumes.highest end,
  bulk_since = coalesce(receiver_volumes.bulk_since, excluded.bulk_since)`

/** Replaces the DNS checks; `gone` are the checks of addresses and domains that are no longer in use. */
export async function recordDnsChecks(
  db: Database,
  items: readonly {
    readonly checks: readonly DnsCheck[]
    /** Time before which a check is of an address or domain that is no longer in use. */
    readonly forgetBefore: number
  }[],
): Promise<true[]> {
  for (const { checks, forgetBefore } of items) {
    await insertRows(
      db,
      'dns_checks',
      checks,
      'on conflict (kind, subject) do update set state = excluded.state, detail = excluded.detail, checked_at = excluded.checked_at',
    )
    await db.deleteFrom('dns_checks').where('checked_at', '<', forgetBefore).execute()
  }
  return items.map(() => true)
}

/** Records changed verdicts. */
export async function recordRequirements(
  db: Database,
  items: readonly { readonly states: readonly RequirementState[] }[],
): Promise<true[]> {
  for (const { states } of items) {
    await insertRows(
      db,
      'requirement_states',
      states,
      'on conflict (domain_id, receiver, requirement) do update set status = excluded.status, since = excluded.since',
    )
  }
  return items.map(() => true)
}

/**
 * Records the figures that receivers report, in place of the earlier figures of the same requirements. A fallback is
 * recorded only where there is no figure yet.
 */
export async function recordReceiverFigures(
  db: Database,
  items: readonly { readonly figures: readonly ReceiverFigureRow[]; readonly isFallback: boolean }[],
): Promise<true[]> {
  for (const { figures, isFallback } of items) {
    await insertRows(
      db,
      'receiver_figures',
      figures,
      isFallback
        ? 'on conflict (domain_id, receiver, requirement) do nothing'
        : `on conflict (domain_id, receiver, requirement) do update set status = excluded.status,
            measured = excluded.measured, source = excluded.source, as_of = excluded.as_of`,
    )
  }
  return items.map(() => true)
}
