// Work on lists of addresses: claims the next list under a lease, and stores the results of its addresses.

import { type Database, databaseMoment, databaseNow, type Read } from '../database/dialect.ts'
import { findRows, updateRows } from '../database/rows.ts'
import { type HeldWork, updateHeld, type WorkClaim } from '../node/leased-work.ts'
import { isFree } from '../node/node-leases.ts'
import { takeCredits } from './verification-credits.ts'
import { type ListedAddress, type ResultName, tellListEnd, type VerificationList } from './verifications.ts'

/** An address of a list that has no result yet. */
export type PendingAddress = Omit<ListedAddress, 'cells'>

/**
 * Claims the oldest list that no worker holds, among the accounts without a list in progress. A list that waits for
 * credits is claimed only if the account has credits. The lease expires if its holder dies.
 */
export async function claimVerification(
  db: Database,
  items: readonly WorkClaim[],
): Promise<(VerificationList | undefined)[]> {
  const claimed: (VerificationList | undefined)[] = []
  for (const { now, lease, leaseUntil } of items) {
    const served = db
      .selectFrom('verifications')
      .select('account_id')
      .where('status', '=', 'running')
      .where('lease_until', '>', databaseNow(db, now))
    const free = db
      .selectFrom('verifications')
      .innerJoin('accounts', 'accounts.id', 'verifications.account_id')
      .select('verifications.id')
      .where('verifications.status', 'in', ['queued', 'running', 'paused'])
      .where(isFree(db, now))
      .where((eb) =>
        eb.or([eb('verifications.status', '!=', 'paused'), eb('accounts.verification_credits', '>', 0)]),
      )
      .where('accounts.status', '=', 'active')
      .where('verifications.account_id', 'not in', served)
      .orderBy('verifications.created_at')
      .limit(1)
    const list = await db
      .updateTable('verifications')
      .set({ status: 'running', lease, lease_until: databaseMoment(db, leaseUntil) })
      .where('id', '=', free)
      // The lease is checked again, because another node may have claimed the list between the two queries.
      .where(isFree(db, now))
      .returningAll()
      .executeTakeFirst()
    claimed.push(list)
  }
  return claimed
}

/** Releases a list as done, paused or to be continued later; the result is false if another node holds the list. */
export async function releaseVerification(
  db: Database,
  items: readonly (HeldWork & {
    readonly status: 'queued' | 'paused' | 'done'
    readonly now: number
  })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { status, now, ...held } of items) {
    const finished_at = status === 'done' ? now : null
    const left = { status, finished_at, lease: null, lease_until: null }
    const isHeld = await updateHeld(db, 'verifications', held, left)
    if (isHeld && status === 'done') await tellListEnd(db, held.id, now)
    results.push(isHeld)
  }
  return results
}

/** Result of verifying one address of a list. */
export interface AddressResult {
  readonly position: number
  readonly result: ResultName
  /** Complete result of the verification as JSON. */
  readonly answer: string
}

/** Results to store for addresses of one list. */
export interface FinishAddresses extends HeldWork {
  readonly addresses: readonly AddressResult[]
  readonly now: number
}

export type FinishedAddresses = 'kept' | 'no_credits' | 'suspended' | 'lost'

/**
 * Stores and counts results, and takes one credit for each address, even if the write is repeated.
 * - `no_credits`: the credits sufficed only for the first addresses, and the other results were dropped;
 * - `suspended`: the account is suspended, and nothing was stored;
 * - `lost`: another node holds the list.
 */
export async function finishVerificationAddresses(
  db: Database,
  items: readonly FinishAddresses[],
): Promise<FinishedAddresses[]> {
  const results: FinishedAddresses[] = []
  for (const item of items) results.push(await finish(db, item))
  return results
}
finishVerificationAddresses.isJson = true

async function finish(
  db: Database,
  { addresses, now, ...held }: FinishAddresses,
): Promise<FinishedAddresses> {
  const { accountId, id, lease } = held
  // The update locks the list until the commit.
  if (!(await updateHeld(db, 'verifications', held, { lease }))) return 'lost'
  if (await isSuspended(db, accountId)) return 'suspended'
  const open = await withoutAnswered(db, id, addresses)
  const { taken } = await takeCredits(db, accountId, open.length, now)
  const paid = open.slice(0, taken)
  await updateRows(
    db,
    'verification_addresses',
    ['verification_id', 'position'],
    paid.map(({ position, answer }) => ({ verification_id: id, position, answer })),
  )
  await countResults(db, held, paid)
  return taken < open.length ? 'no_credits' : 'kept'
}

/**
 * Returns the addresses without a stored result. An earlier run of this write may have stored some results if the
 * response to its commit was lost.
 */
async function withoutAnswered(
  db: Database,
  verification_id: string,
  addresses: readonly AddressResult[],
): Promise<readonly AddressResult[]> {
  const found = await findRows(
    db,
    'verification_addresses',
    ['verification_id', 'position'],
    addresses.map(({ position }) => ({ verification_id, position })),
    ['position', 'answer'],
  )
  const answered = new Set(found.flatMap(({ position, answer }) => (answer === null ? [] : position)))
  return addresses.filter(({ position }) => !answered.has(position))
}

async function isSuspended(db: Database, accountId: string): Promise<boolean> {
  const account = await db
    .selectFrom('accounts')
    .select('status')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return account?.status !== 'active'
}

async function countResults(
  db: Database,
  { accountId, id }: HeldWork,
  finished: readonly AddressResult[],
): Promise<void> {
  const count = (name: ResultName): number => finished.filter(({ result }) => result === name).length
  await db
    .updateTable('verifications')
    .set((eb) => ({
      deliverable: eb('deliverable', '+', count('deliverable')),
      undeliverable: eb('undeliverable', '+', count('undeliverable')),
      risky: eb('risky', '+', count('risky')),
      unknown: eb('unknown', '+', count('unknown')),
    }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** True if any list of any account is unfinished. */
export async function hasOpenVerifications(read: Read): Promise<boolean> {
  const row = await read
    .selectFrom('verifications')
    .select('id')
    .where('status', 'in', ['queued', 'running', 'paused'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the addresses of a list that have no result, in order, after a position. */
export const listPendingAddresses = (
  read: Read,
  id: string,
  after: number,
  limit: number,
): Promise<PendingAddress[]> =>
  read
    .selectFrom('verification_addresses')
    .select(['position', 'email'])
    .where('verification_id', '=', id)
    .where('position', '>', after)
    .where('answer', 'is', null)
    .orderBy('position')
    .limit(limit)
    .execute()
