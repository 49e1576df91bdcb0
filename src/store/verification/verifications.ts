// Lists of addresses to verify: creates, ends, removes and reads lists.

import type { OldWork } from '../../lib/leased-runs.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepAccountEvents } from '../events/account-events.ts'

export type VerificationList = Tables['verifications']
export type ListedAddress = Pick<Tables['verification_addresses'], 'position' | 'email' | 'cells'>
export type ResultName = 'deliverable' | 'undeliverable' | 'risky' | 'unknown'

/** Creates a list without addresses; the list is not yet queued for work. */
export async function openVerification(db: Database, items: readonly VerificationList[]): Promise<true[]> {
  await insertRows(db, 'verifications', items)
  return items.map(() => true)
}
openVerification.unaudited = true
openVerification.step = 'none' as const

/** Addresses to add to one list. */
export interface AddAddresses {
  readonly accountId: string
  readonly verificationId: string
  readonly addresses: readonly ListedAddress[]
}

export async function addVerificationAddresses(
  db: Database,
  items: readonly AddAddresses[],
): Promise<true[]> {
  const rows = items.flatMap(({ accountId, verificationId, addresses }) =>
    addresses.map((address) => ({
      ...address,
      verification_id: verificationId,
      account_id: accountId,
      answer: null,
    })),
  )
  await insertRows(db, 'verification_addresses', rows)
  return items.map(() => true)
}
addVerificationAddresses.unaudited = true
addVerificationAddresses.step = 'none' as const

/** Queues a list after all of its addresses were added. */
export async function queueVerification(
  db: Database,
  items: readonly {
    readonly accountId: string
    readonly id: string
    readonly total: number
    readonly duplicates: number
  }[],
): Promise<true[]> {
  for (const { accountId, id, total, duplicates } of items) {
    await db
      .updateTable('verifications')
      .set({ status: 'queued', total, duplicates })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute()
  }
  return items.map(() => true)
}
queueVerification.auditTarget = ({ id }: { readonly id: string }): string => id

/** Ends lists before all addresses are verified; the result is false for a list that has already ended. */
export async function cancelVerification(
  db: Database,
  items: readonly { readonly accountId: string; readonly id: string; readonly now: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { accountId, id, now } of items) {
    // The worker can write no further results after its lease is removed.
    const rows = await db
      .updateTable('verifications')
      .set({ status: 'cancelled', finished_at: now, lease: null, lease_until: null })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('status', 'in', ['queued', 'running', 'paused'])
      .returning('id')
      .execute()
    if (rows.length > 0) await tellListEnd(db, id, now)
    results.push(rows.length > 0)
  }
  return results
}
cancelVerification.auditTarget = ({ id }: { readonly id: string }): string => id

/** Writes the event of a list that has ended. */
export async function tellListEnd(db: Database, id: string, at: number): Promise<void> {
  const list = await db
    .selectFrom('verifications')
    .select(['account_id', 'name', 'status', 'total'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { account_id: accountId, ...detail } = list
  await keepAccountEvents(db, [{ accountId, type: 'verification_list.finished', at, objectId: id, detail }])
}

/** Ends all lists of an account that is deleted; retention removes only lists that have ended. */
export async function cancelVerificationsOf(db: Database, accountId: string, now: number): Promise<void> {
  const lists = await db
    .updateTable('verifications')
    .set({ status: 'cancelled', finished_at: now, lease: null, lease_until: null })
    .where('account_id', '=', accountId)
    .where('status', 'in', ['queued', 'running', 'paused'])
    .returning('id')
    .execute()
  for (const { id } of lists) await tellListEnd(db, id, now)
}

/** Removes a part of the oldest list that has ended or was never completed; returns whether more data may remain. */
export async function forgetVerifications(db: Database, items: readonly OldWork[]): Promise<boolean[]> {
  const more: boolean[] = []
  for (const { made, unfinished, limit } of items) {
    const old = await db
      .selectFrom('verifications')
      .select(['account_id', 'id'])
      .where((eb) =>
        eb.or([
          eb.and([eb('status', 'in', ['done', 'cancelled']), eb('created_at', '<', made)]),
          eb.and([eb('status', '=', 'loading'), eb('created_at', '<', unfinished)]),
        ]),
      )
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst()
    if (old !== undefined) await forgetAddresses(db, old, limit)
    more.push(old !== undefined)
  }
  return more
}

async function forgetAddresses(
  db: Database,
  { account_id, id }: Pick<VerificationList, 'account_id' | 'id'>,
  limit: number,
): Promise<void> {
  const some = db
    .selectFrom('verification_addresses')
    .select('position')
    .where('verification_id', '=', id)
    .orderBy('position')
    .limit(limit)
  const removed = await db
    .deleteFrom('verification_addresses')
    .where('verification_id', '=', id)
    .where('position', 'in', some)
    .returning('position')
    .execute()
  if (removed.length < limit) {
    await db.deleteFrom('verifications').where('account_id', '=', account_id).where('id', '=', id).execute()
  }
}

/** Returns the list with this ID, if the account has such a list. */
export const findVerification = (
  read: Read,
  accountId: string,
  id: string,
): Promise<VerificationList | undefined> =>
  read
    .selectFrom('verifications')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '!=', 'loading')
    .executeTakeFirst()

/** Reasons why lists of an account may wait: the account is suspended, or another list must be processed first. */
export interface ListQueue {
  readonly suspended: boolean
  /** ID of the list that is being verified, or else of the next list; undefined if no list waits. */
  readonly first: string | undefined
}

export async function readListQueue(read: Read, accountId: string): Promise<ListQueue> {
  const [account, first] = await Promise.all([
    read.selectFrom('accounts').select('status').where('id', '=', accountId).executeTakeFirst(),
    read
      .selectFrom('verifications')
      .select('id')
      .where('account_id', '=', accountId)
      .where('status', 'in', ['queued', 'running'])
      // The status `running` sorts after `queued`.
      .orderBy('status', 'desc')
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst(),
  ])
  return { suspended: account?.status !== 'active', first: first?.id }
}

/** Returns the lists of an account, newest first; with `cursor`, only lists with smaller IDs. */
export function listVerifications(
  read: Read,
  accountId: string,
  limit: number,
  cursor?: string,
): Promise<VerificationList[]> {
  const all = read
    .selectFrom('verifications')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status', '!=', 'loading')
  const query = cursor === undefined ? all : all.where('id', '<', cursor)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Returns the number of unfinished lists of an account. */
export async function countOpenVerifications(read: Read, accountId: string): Promise<number> {
  const row = await read
    .selectFrom('verifications')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('status', 'not in', ['done', 'cancelled'])
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Selection of one page of the results of a list. */
export interface AnswerPage {
  /** Position after which the page begins; -1 for the first page. */
  readonly after: number
  readonly limit: number
  /** Result to which the page is restricted. */
  readonly result?: ResultName | undefined
}

type ListedAnswer = Pick<Tables['verification_addresses'], 'position' | 'answer' | 'cells'>

/** Maximum number of positions that one statement reads, so that other reads can run between two statements. */
const STRETCH = 10_000

/**
 * Returns the results of the addresses of a list, in order. A search for one result reads one range of positions at a
 * time, so that no statement takes long, because few addresses of a long list may have this result.
 */
export async function listAnswers(
  read: Read,
  accountId: string,
  id: string,
  { after, limit, result }: AnswerPage,
): Promise<ListedAnswer[]> {
  const all = read
    .selectFrom('verification_addresses')
    .where('verification_id', '=', id)
    .where('account_id', '=', accountId)
    .where('position', '>', after)
  const some = all.select(['position', 'answer', 'cells']).where('answer', 'is not', null).orderBy('position')
  if (result === undefined) return some.limit(limit).execute()
  const end = await all.select('position').orderBy('position', 'desc').limit(1).executeTakeFirst()
  const found: ListedAnswer[] = []
  // Quotes within an address are escaped in JSON, so no address can contain this text.
  const matching = some.where('answer', 'like', `{"email":%","result":"${result}",%`)
  for (let from = after; from < (end?.position ?? -1) && found.length < limit; from += STRETCH) {
    const stretch = matching.where('position', '>', from).where('position', '<=', from + STRETCH)
    found.push(...(await stretch.limit(limit - found.length).execute()))
  }
  return found
}
