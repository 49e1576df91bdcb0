// The leases of address lists: the node that works on one holds it, and another goes on when that node has died.

import type { Database } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

type VerificationList = Tables['verifications']

/**
 * Takes the oldest list without a worker, of an account for which no list is in work; one that waits for credits
 * only when there are some. The lease ends by itself when its holder dies.
 */
export async function claimVerification(
  db: Database,
  items: readonly { readonly now: number; readonly lease: string; readonly leaseUntil: number }[],
): Promise<(VerificationList | undefined)[]> {
  const claimed: (VerificationList | undefined)[] = []
  for (const { now, lease, leaseUntil } of items) {
    const served = db
      .selectFrom('verifications')
      .select('account_id')
      .where('status', '=', 'running')
      .where('lease_until', '>', now)
    const free = db
      .selectFrom('verifications')
      .innerJoin('accounts', 'accounts.id', 'verifications.account_id')
      .select('verifications.id')
      .where('verifications.status', 'in', ['queued', 'running', 'paused'])
      .where((eb) =>
        eb.or([eb('verifications.lease_until', 'is', null), eb('verifications.lease_until', '<=', now)]),
      )
      .where((eb) =>
        eb.or([eb('verifications.status', '!=', 'paused'), eb('accounts.verification_credits', '>', 0)]),
      )
      .where('accounts.status', '=', 'active')
      .where('verifications.account_id', 'not in', served)
      .orderBy('verifications.created_at')
      .limit(1)
    const list = await db
      .updateTable('verifications')
      .set({ status: 'running', lease, lease_until: leaseUntil })
      .where('id', '=', free)
      // Again: another node may have taken it between the two.
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
      .returningAll()
      .executeTakeFirst()
    claimed.push(list)
  }
  return claimed
}

/** Frees every lease: for a store of one node at its start, when their holder is gone. */
export async function freeVerifications(db: Database, items: readonly object[]): Promise<true[]> {
  await db
    .updateTable('verifications')
    .set({ lease: null, lease_until: null })
    .where('lease', 'is not', null)
    .execute()
  return items.map(() => true)
}

/** A list that this worker holds. */
export interface HeldVerification {
  readonly accountId: string
  readonly id: string
  readonly lease: string
}

/** Moves the end of a lease; false when another node holds the list. */
export async function renewVerification(
  db: Database,
  items: readonly (HeldVerification & { readonly until: number })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { until, ...held } of items) results.push(await updateHeld(db, held, { lease_until: until }))
  return results
}

/** Gives a list back: done, paused, or to go on with later. */
export async function leaveVerification(
  db: Database,
  items: readonly (HeldVerification & {
    readonly status: 'queued' | 'paused' | 'done'
    readonly now: number
  })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { status, now, ...held } of items) {
    const finished_at = status === 'done' ? now : null
    results.push(await updateHeld(db, held, { status, finished_at, lease: null, lease_until: null }))
  }
  return results
}

/** Changes a list that is held under this lease; false when it is not, or no longer. */
export async function updateHeld(
  db: Database,
  { accountId, id, lease }: HeldVerification,
  change: Partial<VerificationList>,
): Promise<boolean> {
  const rows = await db
    .updateTable('verifications')
    .set(change)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .returning('id')
    .execute()
  return rows.length > 0
}
