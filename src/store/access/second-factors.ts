// Second factors of users: the TOTP secret of an authenticator app, and recovery codes; each code is valid once.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type Totp = Tables['user_totp']

/**
 * Stores an unconfirmed TOTP secret in place of an earlier unconfirmed secret; the result is false if the user has a
 * confirmed secret.
 */
export async function beginTotp(db: Database, items: readonly Totp[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const totp of items) {
    await db
      .deleteFrom('user_totp')
      .where('user_id', '=', totp.user_id)
      .where('confirmed_at', 'is', null)
      .execute()
    const rows = await db
      .insertInto('user_totp')
      .values(totp)
      .onConflict((on) => on.column('user_id').doNothing())
      .returning('user_id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}

/** Hashes of all recovery codes of a user. */
export interface RecoveryCodes {
  readonly userId: string
  readonly accountId: string
  readonly hashes: readonly string[]
}

/** Confirmation of a TOTP secret by a first correct code, after which logins require the second factor. */
export interface ConfirmTotp extends RecoveryCodes {
  readonly now: number
  readonly step: number
}

/** Confirms TOTP secrets; the result is false if the user has no unconfirmed secret. */
export async function confirmTotp(db: Database, items: readonly ConfirmTotp[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) {
    const rows = await db
      .updateTable('user_totp')
      .set({ confirmed_at: item.now, last_step: item.step })
      .where('user_id', '=', item.userId)
      .where('confirmed_at', 'is', null)
      .returning('user_id')
      .execute()
    if (rows.length > 0) await replaceRecoveryCodes(db, [item])
    results.push(rows.length > 0)
  }
  return results
}

/**
 * Accepts the TOTP code of a time step; the result is false if a code of the same or a later time step was accepted
 * before.
 */
export async function takeTotpStep(
  db: Database,
  items: readonly { readonly userId: string; readonly step: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { userId, step } of items) {
    const rows = await db
      .updateTable('user_totp')
      .set({ last_step: step })
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .where((eb) => eb.or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
      .returning('user_id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
takeTotpStep.unaudited = true

/** Uses up a recovery code; the result is false if the user does not have this code. */
export async function takeRecoveryCode(
  db: Database,
  items: readonly { readonly userId: string; readonly hash: string }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { userId, hash } of items) {
    const rows = await db
      .deleteFrom('recovery_codes')
      .where('user_id', '=', userId)
      .where('hash', '=', hash)
      .returning('hash')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
takeRecoveryCode.unaudited = true

export async function replaceRecoveryCodes(db: Database, items: readonly RecoveryCodes[]): Promise<true[]> {
  for (const { userId, accountId, hashes } of items) {
    await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
    const rows = hashes.map((hash) => ({ user_id: userId, account_id: accountId, hash }))
    await insertRows(db, 'recovery_codes', rows)
  }
  return items.map(() => true)
}

/**
 * Removes the second factor and the recovery codes of a user; the result is false if no second factor was confirmed.
 */
export async function removeTotp(
  db: Database,
  items: readonly { readonly userId: string }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { userId } of items) {
    const rows = await db
      .deleteFrom('user_totp')
      .where('user_id', '=', userId)
      .returning('confirmed_at')
      .execute()
    await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
    results.push(rows.some((row) => row.confirmed_at !== null))
  }
  return results
}

export const findTotp = (read: Read, userId: string): Promise<Totp | undefined> =>
  read.selectFrom('user_totp').selectAll().where('user_id', '=', userId).executeTakeFirst()

/** Authentication factors of a user in addition to the password. */
export interface FactorCounts {
  readonly totp: boolean
  readonly passkeys: number
  readonly recoveryCodes: number
}

export async function countFactors(read: Read, userId: string): Promise<FactorCounts> {
  const totp = await findTotp(read, userId)
  const rowsOf = async (table: 'passkeys' | 'recovery_codes'): Promise<number> =>
    (await read.selectFrom(table).select('user_id').where('user_id', '=', userId).execute()).length
  return {
    totp: totp !== undefined && totp.confirmed_at !== null,
    passkeys: await rowsOf('passkeys'),
    recoveryCodes: await rowsOf('recovery_codes'),
  }
}
