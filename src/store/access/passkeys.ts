// Passkeys of users; only public keys are stored.

import type { Database, Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

export type Passkey = Tables['passkeys']

/** Adds passkeys; the result is false if the credential is already registered. */
export async function addPasskey(db: Database, items: readonly Passkey[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const passkey of items) {
    const rows = await db
      .insertInto('passkeys')
      .values(passkey)
      .onConflict((on) => on.column('credential_id').doNothing())
      .returning('id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
addPasskey.auditTarget = ({ id }: { readonly id: string }): string => id

/** A use of a passkey, with the previous and the new signature counter of the authenticator. */
export interface UsePasskey {
  readonly id: string
  readonly before: number
  readonly counter: number
  readonly now: number
}

/**
 * Records a use of a passkey; the result is false if the stored counter is no longer `before` or the passkey was
 * removed.
 */
export async function usePasskey(db: Database, items: readonly UsePasskey[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { id, before, counter, now } of items) {
    const rows = await db
      .updateTable('passkeys')
      .set({ counter, last_used_at: now })
      .where('id', '=', id)
      .where('counter', '=', before)
      .returning('id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
usePasskey.unaudited = true

export async function removePasskey(
  db: Database,
  items: readonly { readonly userId: string; readonly id: string }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { userId, id } of items) {
    const rows = await db
      .deleteFrom('passkeys')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returning('id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
removePasskey.auditTarget = ({ id }: { readonly id: string }): string => id

export const listPasskeys = (read: Read, userId: string): Promise<Passkey[]> =>
  read.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id', 'desc').execute()

/** Returns the passkey with this WebAuthn credential ID. */
export const findPasskey = (read: Read, credentialId: string): Promise<Passkey | undefined> =>
  read.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
