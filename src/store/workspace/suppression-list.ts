// The suppression list of a domain: reads, adds and removes suppressions.

import { sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import type { SuppressionOrigin, SuppressionReason } from '../../model/suppression.ts'
import { addressBegins } from '../database/beginnings.ts'
import type { Database, Read } from '../database/dialect.ts'
import { findRows } from '../database/rows.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { isWholeAccount, type Owner } from '../messages/owner.ts'
import { removeErased } from './erased-suppressions.ts'
import {
  listedKey,
  type StreamAddress,
  type Suppression,
  suppressionRow,
  tellSuppressions,
} from './suppressions.ts'

/** Filter of the suppression list. */
export interface SuppressionFilter {
  readonly stream?: string | undefined
  readonly reason?: SuppressionReason | undefined
  readonly origin?: SuppressionOrigin | undefined
  /** Whole email address, case-insensitive; `emailBegins` is a prefix, also case-insensitive. */
  readonly email?: string | undefined
  readonly emailBegins?: string | undefined
  /** Earliest creation time, inclusive, in milliseconds since the epoch. */
  readonly after?: number | undefined
  /** Latest creation time, exclusive, in milliseconds since the epoch. */
  readonly before?: number | undefined
}

/**
 * Maximum number of rows that one statement reads; a statement with this number of rows delays other statements by
 * about 30 ms.
 */
const STRETCH = 20_000

/**
 * Returns up to `limit` suppressions, newest first; with `cursor`, only suppressions with smaller IDs. A filter with
 * few matches is applied to one range of rows at a time, so that other statements can run between ranges.
 */
export async function listSuppressions(
  read: Read,
  owner: Owner,
  filter: SuppressionFilter,
  limit: number,
  cursor: string | undefined,
): Promise<Suppression[]> {
  const { email, ...rest } = filter
  const inStretches = email === undefined && Object.values(rest).some((condition) => condition !== undefined)
  const found: Suppression[] = []
  let before = cursor
  do {
    const end = inStretches ? await endOfStretch(read, owner, before) : undefined
    found.push(...(await listStretch(read, owner, filter, limit - found.length, before, end)))
    before = end
  } while (before !== undefined && found.length < limit)
  return found
}

/** Returns the last ID of the range of rows below the ID `before`; undefined at the end of the list. */
async function endOfStretch(
  read: Read,
  { domainId }: Owner,
  before: string | undefined,
): Promise<string | undefined> {
  let query = read
    .selectFrom('suppressions')
    .select('id')
    .where('domain_id', '=', domainId)
    .orderBy('id', 'desc')
    .offset(STRETCH - 1)
    .limit(1)
  if (before !== undefined) query = query.where('id', '<', before)
  return (await query.executeTakeFirst())?.id
}

/** Returns the matching suppressions with IDs below `before`, down to and including `end`. */
function listStretch(
  read: Read,
  { accountId, domainId }: Owner,
  filter: SuppressionFilter,
  limit: number,
  before: string | undefined,
  end: string | undefined,
): Promise<Suppression[]> {
  let query = read
    .selectFrom('suppressions')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('id', '<', before)
  if (end !== undefined) query = query.where('id', '>=', end)
  if (filter.stream !== undefined) query = query.where('stream', '=', filter.stream)
  if (filter.reason !== undefined) query = query.where('reason', '=', filter.reason)
  if (filter.email !== undefined) {
    query = query.where(sql<boolean>`lower(email) = ${inAnyCase(filter.email)}`)
  }
  if (filter.emailBegins !== undefined) query = query.where(addressBegins(sql`email`, filter.emailBegins))
  if (filter.after !== undefined) query = query.where('created_at', '>=', filter.after)
  if (filter.before !== undefined) query = query.where('created_at', '<', filter.before)
  if (filter.origin !== undefined) {
    query = query.where('message_id', filter.origin === 'recipient' ? 'is not' : 'is', null)
  }
  return query.execute()
}

/** Maximum number of rows in one statement. */
const MAX_ROWS = 500

function* pieces<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += MAX_ROWS) yield rows.slice(start, start + MAX_ROWS)
}

/** Addresses to add to suppression lists. */
export interface AddSuppressions extends Owner {
  readonly entries: readonly {
    readonly stream: string
    readonly email: string
    readonly reason: SuppressionReason
  }[]
  readonly now: number
  /** Counts of an import that ends with these addresses; `added` counts the addresses before. */
  readonly finishes?: FinishedImport | undefined
}

/** Counts of the entries of an import. */
interface FinishedImport {
  readonly total: number
  /** Number of valid entries. */
  readonly valid: number
  readonly added: number
}

/**
 * Adds addresses that are not yet on their suppression list; returns the number of added addresses. An existing entry
 * keeps its reason, except that a complaint replaces any other reason: a complaint ranks highest, and is removed only
 * with `force`.
 */
export async function addSuppressions(db: Database, items: readonly AddSuppressions[]): Promise<number[]> {
  const counts: number[] = []
  for (const { accountId: account_id, domainId: domain_id, entries, now, finishes } of items) {
    const rows = entries.map((entry) =>
      suppressionRow({ account_id, domain_id, ...entry, message_id: null, created_at: now }),
    )
    let added = 0
    const changed: Suppression[] = []
    for (const piece of pieces(rows)) {
      const kept = await db
        .insertInto('suppressions')
        .values(piece)
        .onConflict((on) =>
          on
            .columns(['domain_id', 'stream', 'email'])
            .doUpdateSet((eb) => ({
              reason: eb.ref('excluded.reason'),
              message_id: eb.ref('excluded.message_id'),
              created_at: eb.ref('excluded.created_at'),
              replaced: eb.ref('suppressions.reason'),
            }))
            .where('excluded.reason', '=', 'complaint')
            .where('suppressions.reason', '!=', 'complaint'),
        )
        .returning(['id', 'stream', 'email'])
        .execute()
      // A row that existed before keeps its old ID.
      const ids = new Set(piece.map(({ id }) => id))
      added += kept.filter(({ id }) => ids.has(id)).length
      const byAddress = new Map(piece.map((row) => [addressOf(row), row]))
      changed.push(...kept.map((row) => ({ ...(byAddress.get(addressOf(row)) as Suppression), id: row.id })))
    }
    await tellSuppressions(db, 'suppression.added', changed)
    if (finishes !== undefined) {
      const owner = { accountId: account_id, domainId: domain_id }
      await tellImport(db, owner, { ...finishes, added: finishes.added + added }, now)
    }
    counts.push(added)
  }
  return counts
}

const tellImport = (
  db: Database,
  { accountId, domainId }: Owner,
  { total, valid, added }: FinishedImport,
  at: number,
): Promise<void> =>
  keepAccountEvents(db, [
    {
      ...{ accountId, objectId: domainId, type: 'import.finished', at },
      domainId: isWholeAccount({ accountId, domainId }) ? null : domainId,
      detail: { list: 'suppressions', total, added, existing: valid - added, rejected: total - valid },
    },
  ])

const addressOf = ({ stream, email }: Pick<Suppression, 'stream' | 'email'>): string => `${stream} ${email}`

/** Addresses to remove from suppression lists. */
export interface RemoveSuppressions extends Owner {
  readonly entries: readonly Pick<StreamAddress, 'stream' | 'email'>[]
  /** True to remove complaints too. */
  readonly force: boolean
  readonly now: number
}

export interface RemovedSuppressions {
  readonly removed: number
  /** Number of complaints that were kept. */
  readonly kept: number
}

/** Removes addresses from their suppression lists, but complaints only with `force`. */
export async function removeSuppressions(
  db: Database,
  items: readonly RemoveSuppressions[],
): Promise<RemovedSuppressions[]> {
  const results: RemovedSuppressions[] = []
  for (const { accountId, domainId, entries, force, now } of items) {
    const wanted = entries.map((entry) => listedKey({ domainId, ...entry }))
    const found = await findRows(db, 'suppressions', ['domain_id', 'stream', 'email'], wanted)
    const own = new Map(found.filter((row) => row.account_id === accountId).map((row) => [row.id, row]))
    const going = [...own.values()].filter((row) => force || row.reason !== 'complaint')
    const removed: Suppression[] = []
    for (const piece of pieces(going)) {
      const gone = await db
        .deleteFrom('suppressions')
        .where('domain_id', '=', domainId)
        .where(
          'id',
          'in',
          piece.map((row) => row.id),
        )
        // An entry with a lower-ranking reason may have become a complaint since the read.
        .$if(!force, (query) => query.where('reason', '!=', 'complaint'))
        .returning('id')
        .execute()
      const ids = new Set(gone.map(({ id }) => id))
      removed.push(...piece.filter(({ id }) => ids.has(id)))
    }
    await tellSuppressions(db, 'suppression.removed', removed, now)
    const erased = await removeErased(db, wanted, force)
    const missed = removed.length === going.length ? 0 : await countComplaints(db, going)
    results.push({
      removed: removed.length + erased.removed,
      kept: own.size - going.length + missed + erased.kept,
    })
  }
  return results
}

/** Returns the number of these suppressions that have become complaints. */
async function countComplaints(db: Database, rows: readonly Suppression[]): Promise<number> {
  const keys = rows.map(({ domain_id, stream, email }) => ({ domain_id, stream, email }))
  const found = await findRows(db, 'suppressions', ['domain_id', 'stream', 'email'], keys, ['reason'])
  return found.filter(({ reason }) => reason === 'complaint').length
}
