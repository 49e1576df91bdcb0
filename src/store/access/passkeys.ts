// The passkeys of users: public keys only.

import type { Database, Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

export type Passkey = Tables['passkeys']

/** False when the credential is registered already. */
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

/** A use of a passkey: what its authenticator counted before and counts now. */
export interface UsePasskey {
  readonly id: string
  readonly before: number
  readonly counter: number
  readonly now: number
}

/** Notes a use; false when it has counted on meanwhile, or is gone. */
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

/** The passkey that WebAuthn calls so, with its user. */
export const findPasskey = (read: Read, credentialId: string): Promise<Passkey | undefined> =>
  read.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
