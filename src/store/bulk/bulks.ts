// Bulks (one message for the recipients in many rows): storing the rows, claiming a bulk for a worker, and finishing or
// cancelling the bulk. The file is long because all of these statements change one row.

import { sql } from 'kysely'
import type { BulkStatus } from '../../model/bulk.ts'
import { type Database, databaseMoment, databaseNow, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepAccountEvents } from '../events/account-events.ts'
import { removeUnusedContent } from '../messages/contents.ts'
import type { Owner } from '../messages/owner.ts'
import { addStoredContents } from '../messages/stored-bytes.ts'
import type { HeldWork, WorkClaim } from '../node/leased-work.ts'
import { isFree } from '../node/node-leases.ts'
import { claimIdempotencyKeys, type IdempotencyClaim, type Repeated } from '../requests/idempotency-keys.ts'

export type Bulk = Tables['bulks']
type Content = Tables['bulk_contents']
type Row = Tables['bulk_rows']

/** Creates a bulk without rows, which no worker claims before `queueBulk`. */
export async function openBulk(
  db: Database,
  items: readonly { readonly bulk: Bulk; readonly content: Content }[],
): Promise<true[]> {
  await insertRows(
    db,
    'bulks',
    items.map(({ bulk }) => bulk),
  )
  await insertRows(
    db,
    'bulk_contents',
    items.map(({ content }) => content),
  )
  return items.map(() => true)
}
openBulk.unaudited = true

/** A row as read from the uploaded list; a refused row has problems instead of data. */
export type ReadRow = Pick<Row, 'line' | 'email' | 'data' | 'refusal'>

/** Adds rows to bulks that are still loading. */
export async function addBulkRows(
  db: Database,
  items: readonly {
    readonly bulk: Pick<Bulk, 'id' | 'account_id' | 'domain_id'>
    readonly rows: readonly ReadRow[]
  }[],
): Promise<true[]> {
  const rows = items.flatMap(({ bulk: { id: bulk_id, account_id, domain_id }, rows }) =>
    rows.map((row) => ({ ...row, bulk_id, account_id, domain_id, message_id: null })),
  )
  await insertRows(db, 'bulk_rows', rows)
  return items.map(() => true)
}
addBulkRows.isJson = true
addBulkRows.unaudited = true

export type QueuedBulk = { readonly kind: 'accepted' } | Repeated

/**
 * Queues a bulk whose rows are all stored, and adds the size of its content to the stored bytes of the account. The
 * idempotency key is claimed in the same commit.
 */
export async function queueBulk(
  db: Database,
  items: readonly {
    readonly accountId: string
    readonly id: string
    readonly total: number
    readonly refused: number
    readonly idempotency: IdempotencyClaim | undefined
  }[],
): Promise<QueuedBulk[]> {
  const results: QueuedBulk[] = []
  for (const { accountId, id, total, refused, idempotency } of items) {
    const [claim] = await claimIdempotencyKeys(db, idempotency === undefined ? [] : [idempotency])
    if (claim !== undefined && claim.kind !== 'accepted') {
      results.push(claim)
      continue
    }
    await db
      .updateTable('bulks')
      .set({ status: 'queued', total, refused })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute()
    const base = await db
      .selectFrom('bulk_contents')
      .select(({ fn }) => fn<number>('length', ['base']).as('bytes'))
      .where('bulk_id', '=', id)
      .executeTakeFirstOrThrow()
    await addStoredContents(db, [{ account_id: accountId, bytes: Number(base.bytes) }])
    results.push({ kind: 'accepted' })
  }
  return results
}
queueBulk.auditTarget = ({ id }: { readonly id: string }): string => id

/**
 * Claims a bulk that no node holds. Bulks to cancel come first, because the waiting messages of a bulk are sent until
 * the worker cancels them. The account with the least recent turn is next, with its oldest bulk. The lease
 * expires if its holder dies.
 */
export async function claimBulk(db: Database, items: readonly WorkClaim[]): Promise<(Bulk | undefined)[]> {
  const claimed: (Bulk | undefined)[] = []
  for (const { now, lease, leaseUntil } of items) {
    const free = selectFree(db as Read, now)
      .select('id')
      .orderBy(sql`case when status = 'cancelling' then 0 else 1 end`)
      .orderBy((eb) =>
        eb
          .selectFrom('bulks as others')
          .select(({ fn }) => fn.coalesce(fn.max('others.retry_at'), sql<number>`0`).as('last_turn'))
          .whereRef('others.account_id', '=', 'bulks.account_id')
          .where('others.finished_at', 'is', null)
          .where('others.status', 'not in', ['paused', 'cancelling']),
      )
      .orderBy('created_at')
      .limit(1)
    const bulk = await db
      .updateTable('bulks')
      .set({ lease, lease_until: databaseMoment(db, leaseUntil) })
      .set({ status: sql`case when status = 'cancelling' then status else 'running' end` })
      .where('id', '=', free)
      // The lease is checked again, because another node may have claimed the bulk between the two queries.
      .where(isFree(db, now))
      .returningAll()
      .executeTakeFirst()
    claimed.push(bulk)
  }
  return claimed
}

/**
 * Selects the bulks that a worker may claim. An account has at most one bulk being sent and one bulk being cancelled at
 * a time. A paused or cancelling bulk is selected only after its retry time.
 */
function selectFree(read: Read, now: number) {
  const served = (isCancelling: boolean) =>
    read
      .selectFrom('bulks')
      .select('account_id')
      .where('finished_at', 'is', null)
      .where('status', isCancelling ? '=' : '!=', 'cancelling')
      .where('lease_until', '>', databaseNow(read, now))
  return read
    .selectFrom('bulks')
    .where('finished_at', 'is', null)
    .where('status', '!=', 'loading')
    .where(isFree(read, now))
    .where((eb) => eb.or([eb('status', 'not in', ['paused', 'cancelling']), eb('retry_at', '<=', now)]))
    .where((eb) =>
      eb.or([
        eb.and([eb('status', '=', 'cancelling'), eb('account_id', 'not in', served(true))]),
        eb.and([eb('status', '!=', 'cancelling'), eb('account_id', 'not in', served(false))]),
      ]),
    )
}

/** True if a worker may claim a bulk now. */
export const hasDueBulks = async (read: Read, now: number): Promise<boolean> =>
  (await selectFree(read, now).select('id').limit(1).executeTakeFirst()) !== undefined

/**
 * True if a bulk of another account waits for its turn, or if any bulk waits to be cancelled. Counts only bulks to
 * cancel if `cancelled` is true.
 */
export async function othersWait(
  read: Read,
  accountId: string,
  { now, cancelled }: { readonly now: number; readonly cancelled: boolean },
): Promise<boolean> {
  const waiting = selectFree(read, now)
    .select('id')
    .where((eb) =>
      eb.or([eb('status', '=', 'cancelling'), ...(cancelled ? [] : [eb('account_id', '!=', accountId)])]),
    )
    .limit(1)
  return (await waiting.executeTakeFirst()) !== undefined
}

/** Request of a worker to release a bulk at the end of a run. */
export interface ReleaseBulk extends HeldWork {
  readonly status: Exclude<BulkStatus, 'loading' | 'running'>
  /** Reason (as JSON) why the bulk is paused, or ended without a user's request. */
  readonly problem: string | null
  /** Time of the next attempt after a failure; otherwise the end time of this run. */
  readonly retryAt: number
  readonly now: number
}

/**
 * Releases a bulk; the result is false if another node holds the bulk. A finished bulk keeps only the content that its
 * messages need.
 */
export async function releaseBulk(db: Database, items: readonly ReleaseBulk[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { status, problem, retryAt, now, accountId, id, lease } of items) {
    const isOver = status === 'done' || status === 'cancelled'
    const rows = await db
      .updateTable('bulks')
      .set({ status, problem, retry_at: retryAt, lease: null, lease_until: null })
      .set({ finished_at: isOver ? now : null })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('lease', '=', lease)
      .returning(ENDED)
      .execute()
    results.push(rows.length > 0)
    if (rows.length === 0) continue
    // The turn of this bulk counts as a turn of the account, even if the bulk is finished.
    if (status === 'queued' || isOver) {
      await db
        .updateTable('bulks')
        .set({ retry_at: retryAt })
        .where('account_id', '=', accountId)
        .where('status', '=', 'queued')
        .execute()
    }
    if (!isOver) continue
    await tellEnd(db, rows, now)
    await db
      .updateTable('bulk_contents')
      .set({ source: Buffer.alloc(0) })
      .where('bulk_id', '=', id)
      .execute()
    await removeUnusedContent(db, id)
  }
  return results
}
releaseBulk.unaudited = true

/** Columns of a bulk that the event of its end shows. */
const ENDED = ['id', 'account_id', 'domain_id', 'name', 'status', 'total'] as const

/** Writes the events of bulks that have ended. */
const tellEnd = (
  db: Database,
  bulks: readonly Pick<Bulk, (typeof ENDED)[number]>[],
  at: number,
): Promise<void> =>
  keepAccountEvents(
    db,
    bulks.map(({ id, account_id: accountId, domain_id: domainId, name, status, total }) => ({
      ...{ accountId, domainId, type: 'bulk.finished', at, objectId: id },
      detail: { name, status, total },
    })),
  )

/** A bulk to cancel. */
export interface CancelBulk {
  readonly owner: Owner
  readonly id: string
  /** True for a finished bulk with waiting messages; false for a bulk in progress. */
  readonly isOver: boolean
}

/**
 * Cancels bulks: no more rows become messages, and a worker cancels the waiting messages. The result is false for a
 * bulk that does not have the expected state.
 */
export async function cancelBulk(db: Database, items: readonly CancelBulk[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { owner, id, isOver } of items) {
    // The update removes the lease, so that the worker of the bulk can no longer write.
    const rows = await db
      .updateTable('bulks')
      .set({ status: 'cancelling', retry_at: 0, lease: null, lease_until: null, finished_at: null })
      .where('account_id', '=', owner.accountId)
      .where('domain_id', '=', owner.domainId)
      .where('id', '=', id)
      .where('status', 'in', isOver ? ['done', 'cancelled'] : ['queued', 'running', 'paused'])
      .returning('id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
cancelBulk.auditTarget = ({ id }: { readonly id: string }): string => id

const RESTORED = {
  code: 'conflict',
  detail:
    'The store was restored from a backup. Rows without a message may have been sent after the backup: send the rows that were not sent as a new bulk.',
  errors: [],
}

/**
 * Ends the bulks of a restored store, whose rows may have become messages after the backup; returns the number of ended
 * bulks.
 */
export async function endRestoredBulks(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<number[]> {
  const results: number[] = []
  for (const { now } of items) {
    const rows = await db
      .updateTable('bulks')
      .set({ status: 'cancelled', problem: JSON.stringify(RESTORED), finished_at: now })
      .set({ lease: null, lease_until: null })
      .where('finished_at', 'is', null)
      .where('status', '!=', 'loading')
      .returning(ENDED)
      .execute()
    await tellEnd(db, rows, now)
    for (const { id } of rows) await removeUnusedContent(db, id)
    results.push(rows.length)
  }
  return results
}

/** Returns the owner's bulk with this ID. */
export const findBulk = (read: Read, owner: Owner, id: string): Promise<Bulk | undefined> =>
  read
    .selectFrom('bulks')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('domain_id', '=', owner.domainId)
    .where('id', '=', id)
    .where('status', '!=', 'loading')
    .executeTakeFirst()

/** Returns the owner's bulks before the ID `cursor` (if given), newest first. */
export const listBulks = (read: Read, owner: Owner, limit: number, cursor?: string): Promise<Bulk[]> =>
  read
    .selectFrom('bulks')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('domain_id', '=', owner.domainId)
    .where('status', '!=', 'loading')
    .$if(cursor !== undefined, (query) => query.where('id', '<', cursor ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Returns the number of unfinished bulks of an account. */
export async function countOpenBulks(read: Read, accountId: string): Promise<number> {
  const row = await read
    .selectFrom('bulks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('finished_at', 'is', null)
    .where('status', '!=', 'loading')
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Returns the sending domain of a bulk, its account and the recipients of its key in their current state. */
export const findBulkSender = (
  read: Read,
  { account_id, domain_id, key_id }: Pick<Bulk, 'account_id' | 'domain_id' | 'key_id'>,
) =>
  read
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .leftJoin('keys', (join) => join.onRef('keys.account_id', '=', 'accounts.id').on('keys.id', '=', key_id))
    .select(['domains.id as domain_id', 'domains.name as domain_name', 'domains.status as domain_status'])
    .select(['accounts.id as account_id', 'accounts.status as account_status'])
    .select(['accounts.sending_allowance', 'accounts.stored_bytes_limit'])
    .select('keys.recipients')
    .where('domains.id', '=', domain_id)
    .where('accounts.id', '=', account_id)
    .where('domains.deleted_at', 'is', null)
    .executeTakeFirst()

/** Returns the content from which the rows of a bulk are rendered; undefined if the content was removed. */
export const findBulkContent = (
  read: Read,
  id: string,
): Promise<Pick<Content, 'source' | 'base'> | undefined> =>
  read.selectFrom('bulk_contents').select(['source', 'base']).where('bulk_id', '=', id).executeTakeFirst()

/** A row of a bulk that has no result yet. */
export interface PendingRow {
  readonly line: number
  /** Data of the row as JSON. */
  readonly data: string
}

/** Returns the rows of a bulk after a line that have no result yet, in order of their lines. */
export const listPendingRows = (
  read: Read,
  id: string,
  after: number,
  limit: number,
): Promise<PendingRow[]> =>
  read
    .selectFrom('bulk_rows')
    .select(['line', 'data'])
    .where('bulk_id', '=', id)
    .where('line', '>', after)
    .where('data', 'is not', null)
    .orderBy('line')
    .limit(limit)
    .$narrowType<{ data: string }>()
    .execute()

/** Returns the rows of a bulk after a line that became messages, in order of their lines. */
export const listSentRows = (
  read: Read,
  id: string,
  after: number,
  limit: number,
): Promise<{ readonly line: number; readonly message_id: string }[]> =>
  read
    .selectFrom('bulk_rows')
    .select(['line', 'message_id'])
    .where('bulk_id', '=', id)
    .where('line', '>', after)
    .where('message_id', 'is not', null)
    .orderBy('line')
    .limit(limit)
    .$narrowType<{ message_id: string }>()
    .execute()

/** True if a message of a bulk waits for its scheduled time or for an attempt. */
export const hasWaitingMessages = async (read: Read, id: string): Promise<boolean> =>
  (await read
    .selectFrom('bulk_rows')
    .select('line')
    .where('bulk_id', '=', id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('queue')
          .select('position')
          .whereRef('queue.message_id', '=', 'bulk_rows.message_id')
          .where('state', '!=', 'active'),
      ),
    )
    .limit(1)
    .executeTakeFirst()) !== undefined
