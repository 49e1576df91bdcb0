// Facts for the list of problems on the home page, read with few queries even for a large account.

import { sql } from 'kysely'
import { type Holdable, type Holding, holdingOf } from '../../model/held.ts'
import type { Account } from '../access/accounts.ts'
import type { Read } from '../database/dialect.ts'
import { type Domain, listDomains } from '../domains/domain-rows.ts'
import { openIncidentsOfAccount } from '../incidents/incident-reads.ts'
import type { IncidentRow } from '../incidents/incidents.ts'
import { listHoldings } from '../messages/holdings.ts'
import { waitsAs } from '../messages/message-status.ts'
import { readStoredBytes } from '../messages/stored-bytes.ts'
import { LOOP_MS, listComplaintLoops } from '../readers/message-parts.ts'
import { type DisabledWebhook, listDisabledWebhooks } from '../webhooks/webhooks.ts'

/** A domain and its message counts of the last days. */
export interface DomainFacts {
  readonly domain: Domain
  readonly dmarcFound: boolean
  readonly accepted: number
  readonly delivered: number
  readonly bounced: number
  readonly failed: number
  readonly complained: number
  /** Deliveries to providers whose feedback loop has reported a complaint in the last 30 days. */
  readonly deliveredWithLoop: number
  /**
   * Oldest recipient that waits for its first attempt, ordered by message and position; undefined if no recipient waits
   * for a first attempt.
   */
  readonly oldest: OldestWaiting | undefined
  /** Oldest deferred recipient, ordered by message and position; undefined if no recipient is deferred. */
  readonly oldestDeferred: OldestWaiting | undefined
}

/** A recipient in the queue: the due time or start tag, and the cause that holds the recipient. */
interface OldestWaiting {
  readonly dueAt: number
  readonly held: Holding | null
}

export interface ProblemFacts {
  readonly account: Account
  readonly domains: readonly DomainFacts[]
  /** Average number of verification credits used per day in the counted period. */
  readonly creditsADay: number
  readonly everHadCredits: boolean
  readonly disabledWebhooks: readonly DisabledWebhook[]
  /** Number of bytes that the messages of the account occupy. */
  readonly storedBytes: number
  /** Newest open incidents that are not muted. */
  readonly incidents: readonly IncidentRow[]
}

/** Maximum number of incidents on the home page. */
const MAX_INCIDENTS = 10

/**
 * Reads the facts about an account; undefined if the account does not exist.
 *
 * @param since start of the counted period, at the beginning of an hour
 */
export async function readProblemFacts(
  read: Read,
  accountId: string,
  since: number,
  now: number,
): Promise<ProblemFacts | undefined> {
  const [
    account,
    domains,
    dmarc,
    counts,
    oldest,
    oldestDeferred,
    uses,
    grant,
    storedBytes,
    disabledWebhooks,
    incidents,
  ] = await Promise.all([
    read.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirst(),
    listDomains(read, accountId),
    domainsWithDmarc(read, accountId),
    countByDomain(read, accountId, since),
    oldestWaiting(read, accountId, 'queued'),
    oldestWaiting(read, accountId, 'deferred'),
    creditsSince(read, accountId, since),
    read.selectFrom('credit_grants').select('id').where('account_id', '=', accountId).limit(1).execute(),
    readStoredBytes(read, accountId),
    listDisabledWebhooks(read, accountId),
    openIncidentsOfAccount(read, accountId, now, MAX_INCIDENTS),
  ])
  if (account === undefined) return undefined
  const withLoop = [...counts.values()].some(({ complained }) => complained > 0)
    ? await deliveredWithLoop(read, accountId, since, now)
    : NO_LOOPS
  return {
    account,
    domains: domains.map((domain) => ({
      domain,
      dmarcFound: dmarc.has(domain.id),
      ...(counts.get(domain.id) ?? NONE),
      deliveredWithLoop: withLoop.get(domain.id) ?? 0,
      oldest: oldest.get(domain.id),
      oldestDeferred: oldestDeferred.get(domain.id),
    })),
    creditsADay: uses / Math.max(1, (now - since) / 86_400_000),
    everHadCredits: grant.length > 0,
    storedBytes,
    disabledWebhooks,
    incidents,
  }
}

const NONE = { accepted: 0, delivered: 0, bounced: 0, failed: 0, complained: 0 }

async function domainsWithDmarc(read: Read, accountId: string): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('domain_records')
    .innerJoin('domains', 'domains.id', 'domain_records.domain_id')
    .select('domain_records.domain_id')
    .where('domains.account_id', '=', accountId)
    .where('domains.deleted_at', 'is', null)
    .where('domain_records.purpose', '=', 'dmarc')
    .where('domain_records.status', '=', 'found')
    .execute()
  return new Set(rows.map((row) => row.domain_id))
}

async function countByDomain(
  read: Read,
  accountId: string,
  since: number,
): Promise<ReadonlyMap<string, typeof NONE>> {
  const rows = await read
    .selectFrom('message_counts')
    .select(({ fn }) => [
      'domain_id',
      fn.sum<number>('accepted').as('accepted'),
      fn.sum<number>('delivered').as('delivered'),
      fn.sum<number>('bounced').as('bounced'),
      fn.sum<number>('failed').as('failed'),
      fn.sum<number>('complained').as('complained'),
    ])
    .where('account_id', '=', accountId)
    .where('hour_at', '>=', since)
    .groupBy('domain_id')
    .execute()
  // PostgreSQL returns a sum of integers as a decimal text.
  return new Map(
    rows.map(({ domain_id, accepted, delivered, bounced, failed, complained }) => [
      domain_id,
      {
        accepted: Number(accepted),
        delivered: Number(delivered),
        bounced: Number(bounced),
        failed: Number(failed),
        complained: Number(complained),
      },
    ]),
  )
}

/** Returns the deliveries since `since` of each domain to providers whose feedback loop has reported. */
async function deliveredWithLoop(
  read: Read,
  accountId: string,
  since: number,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const loops = await listComplaintLoops(read, now - LOOP_MS, accountId)
  if (loops.length === 0) return NO_LOOPS
  const rows = await read
    .selectFrom('message_parts')
    .select('domain_id')
    .select(({ fn }) => fn.sum<number | string>('delivered').as('delivered'))
    .where('account_id', '=', accountId)
    .where('hour_at', '>=', since)
    .where('kind', '=', 'provider')
    .where('name', 'in', [...new Set(loops.map(({ provider }) => provider))])
    .groupBy('domain_id')
    .execute()
  return new Map(rows.map(({ domain_id: id, delivered }) => [id, Number(delivered)]))
}

const NO_LOOPS: ReadonlyMap<string, number> = new Map()

/** Returns for each domain the oldest recipient that waits in this status, found by skips through an index. */
async function oldestWaiting(
  read: Read,
  accountId: string,
  status: 'queued' | 'deferred',
): Promise<ReadonlyMap<string, OldestWaiting>> {
  const { rows } = await sql<Holdable & { readonly dueAt: number }>`
    select oldest.domain_id as "domainId", q.destination, q.stream, q.waits_for as "waitsFor",
      coalesce(q.due_at, q.start_tag) as "dueAt"
    from (
      select d.id as domain_id,
        (select min(w.message_id) from queue w where w.domain_id = d.id
          and substr(w.destination, 1, 4) <> 'inb_' and ${waitsAs('w', status)}) as message_id
      from domains d where d.account_id = ${accountId} and d.deleted_at is null
    ) oldest
    join queue q on q.message_id = oldest.message_id and ${waitsAs('q', status)}
    order by q.position desc`.execute(read)
  const holdings = await listHoldings(
    read,
    rows.map(({ domainId }) => domainId),
  )
  return new Map(rows.map((row) => [row.domainId, { dueAt: row.dueAt, held: holdingOf(row, holdings) }]))
}

async function creditsSince(read: Read, accountId: string, since: number): Promise<number> {
  const row = await read
    .selectFrom('credit_uses')
    .select(({ fn }) => fn.sum<number>('credits').as('credits'))
    .where('account_id', '=', accountId)
    .where('day', '>=', new Date(since).toISOString().slice(0, 10))
    .executeTakeFirst()
  return Number(row?.credits ?? 0)
}
