// Verification credits: grants, uses, and the history of both.

import { newId } from '../../lib/ids.ts'
import { dayOf } from '../../lib/rfc3339.ts'
import { LOW_CREDITS_PART } from '../../model/account-event.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepAccountEvents } from '../events/account-events.ts'

type CreditGrant = Tables['credit_grants']
type CreditUse = Tables['credit_uses']

/** A grant of credits, with an optional note. */
export interface GrantCredits {
  readonly accountId: string
  /** Number of credits; negative to take credits back. */
  readonly credits: number
  readonly note: string | null
  readonly now: number
}

/**
 * Adds credits to an account, or takes a negative number of credits back, down to no credits. Returns the new balance,
 * or undefined if the account does not exist.
 */
export async function grantCredits(
  db: Database,
  items: readonly GrantCredits[],
): Promise<({ readonly balance: number } | undefined)[]> {
  const balances: ({ readonly balance: number } | undefined)[] = []
  for (const { accountId, credits, note, now } of items) {
    // The row is locked before it is read, because credits may be taken at the same time.
    const row = await db
      .updateTable('accounts')
      .set((eb) => ({ verification_credits: eb.ref('verification_credits') }))
      .where('id', '=', accountId)
      .where('deleted_at', 'is', null)
      .returning(['verification_credits', 'low_credits'])
      .executeTakeFirst()
    if (row === undefined) {
      balances.push(undefined)
      continue
    }
    const before = row.verification_credits
    const balance = Math.max(0, before + credits)
    const low = credits > 0 ? Math.floor(balance * LOW_CREDITS_PART) : row.low_credits
    await db
      .updateTable('accounts')
      .set({ verification_credits: balance, low_credits: low })
      .where('id', '=', accountId)
      .execute()
    if (isLow(before, balance, low)) await tellLow(db, accountId, balance, now)
    const granted = {
      account_id: accountId,
      id: newId('grt', now),
      credits: balance - before,
      note,
      granted_at: now,
    }
    if (balance !== before) await insertRows(db, 'credit_grants', [granted])
    balances.push({ balance })
  }
  return balances
}

/** True if a change of the credits has reached the number at which credits are low. */
const isLow = (before: number, left: number, low: number): boolean => low > 0 && before > low && left <= low

const tellLow = (db: Database, accountId: string, left: number, at: number): Promise<void> =>
  keepAccountEvents(db, [{ accountId, objectId: accountId, type: 'credits.low', at, detail: { left } }])

/** Takes one credit from an account; returns the new balance, or undefined if the account had no credit. */
export async function takeCredit(
  db: Database,
  items: readonly { readonly accountId: string; readonly now: number }[],
): Promise<(number | undefined)[]> {
  const results: (number | undefined)[] = new Array(items.length).fill(undefined)
  const byAccount = Map.groupBy(items.keys(), (index) => items[index]!.accountId)
  for (const [accountId, indexes] of byAccount) {
    const { taken, left } = await takeCredits(db, accountId, indexes.length, items[indexes[0]!]!.now)
    // The results are the same as if each credit had been taken separately, in order.
    for (let i = 0; i < taken; i++) results[indexes[i]!] = left + taken - 1 - i
  }
  return results
}
takeCredit.unaudited = true

/** Takes up to `wanted` credits from an account within the caller's transaction. */
export async function takeCredits(
  db: Database,
  accountId: string,
  wanted: number,
  now: number,
): Promise<{ taken: number; left: number }> {
  const take = (
    count: number,
  ): Promise<Pick<Tables['accounts'], 'verification_credits' | 'low_credits'> | undefined> =>
    db
      .updateTable('accounts')
      .set((eb) => ({ verification_credits: eb('verification_credits', '-', count) }))
      .where('id', '=', accountId)
      .where('verification_credits', '>=', count)
      .returning(['verification_credits', 'low_credits'])
      .executeTakeFirst()
  let account: Awaited<ReturnType<typeof take>>
  let taken = wanted
  // The loop takes all available credits if the account has fewer than wanted, and ends at zero credits.
  while (taken > 0) {
    account = await take(taken)
    if (account !== undefined) break
    taken = Math.min(taken - 1, await countCredits(db, accountId))
  }
  const { verification_credits: left = 0, low_credits: low = 0 } = account ?? {}
  if (taken > 0) await countUse(db, { account_id: accountId, day: dayOf(now), credits: taken })
  if (isLow(left + taken, left, low)) await tellLow(db, accountId, left, now)
  return { taken, left }
}

async function countUse(db: Database, use: CreditUse): Promise<void> {
  await db
    .insertInto('credit_uses')
    .values(use)
    .onConflict((on) =>
      on
        .columns(['account_id', 'day'])
        .doUpdateSet((eb) => ({ credits: eb('credit_uses.credits', '+', use.credits) })),
    )
    .execute()
}

/** Returns the credits of an account; 0 if the account does not exist. */
export async function countCredits(read: Read | Database, accountId: string): Promise<number> {
  const row = await (read as Read)
    .selectFrom('accounts')
    .select('verification_credits')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.verification_credits ?? 0
}

/** Returns the credit grants of an account, newest first. */
export const listCreditGrants = (read: Read, accountId: string, limit: number): Promise<CreditGrant[]> =>
  read
    .selectFrom('credit_grants')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** True if an account has a credit grant with this note. */
export const hasCreditGrant = async (read: Read, accountId: string, note: string): Promise<boolean> => {
  const grants = read.selectFrom('credit_grants').select('id').where('account_id', '=', accountId)
  return (await grants.where('note', '=', note).limit(1).executeTakeFirst()) !== undefined
}

/** Returns the credits that an account used on each day from `from` until before `to`, such as `2026-01-31`. */
export const readCreditUses = (
  read: Read,
  accountId: string,
  from: string,
  to: string,
): Promise<CreditUse[]> =>
  read
    .selectFrom('credit_uses')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('day', '>=', from)
    .where('day', '<', to)
    .orderBy('day')
    .execute()

/** Returns the credits that an account used on each day, newest day first. */
export const listCreditUses = (read: Read, accountId: string, limit: number): Promise<CreditUse[]> =>
  read
    .selectFrom('credit_uses')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('day', 'desc')
    .limit(limit)
    .execute()
