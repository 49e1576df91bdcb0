// Sealing of a store: the data key, and the secrets that were stored before the store was sealed.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { SECRET_COLUMNS, type Tables } from '../database/schema.ts'
import { SEALED_PREFIX, type SealedText } from '../database/secrets.ts'
import type { SealedDataKey } from './sealing-key.ts'
import { isSecretFact } from './secret-facts.ts'

/** Returns the row with the data key of a sealed store; undefined if the store is not sealed. */
export const readSealing = (read: Read): Promise<SealedDataKey | undefined> =>
  read.selectFrom('sealing').selectAll().executeTakeFirst()

/** Stores a data key unless the store already has a data key; returns the stored data key. */
export async function keepDataKey(db: Database, items: readonly SealedDataKey[]): Promise<SealedDataKey[]> {
  const kept: SealedDataKey[] = []
  for (const item of items) {
    await insertRows(db, 'sealing', [item], 'on conflict (id) do nothing')
    kept.push((await db.selectFrom('sealing').selectAll().executeTakeFirst()) ?? item)
  }
  return kept
}
keepDataKey.unaudited = true

/**
 * Reseals the data key with another sealing key; the result is false if another command has changed the sealing key
 * meanwhile.
 */
export async function changeSealingKey(
  db: Database,
  items: readonly { readonly from: string; readonly to: Pick<SealedDataKey, 'fingerprint' | 'data_key'> }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { from, to } of items) {
    const { fingerprint, data_key } = to
    const rows = await db
      .updateTable('sealing')
      .set({ fingerprint, data_key })
      .where('fingerprint', '=', from)
      .returning('id')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}

/** A secret that is stored without sealing. */
export interface PlainSecret {
  readonly table: keyof Tables
  readonly column: string
  /** Name of the column that identifies the owner of the secret. */
  readonly ownerColumn: string
  readonly owner: string
  readonly text: string
}

/** Returns unsealed secrets, up to `limit` per column; an empty list if all secrets are sealed. */
export async function listPlainSecrets(read: Read, limit: number): Promise<PlainSecret[]> {
  const facts = await read.selectFrom('installation').select(['name', 'value']).execute()
  const found: PlainSecret[] = facts
    .filter(({ name, value }) => isSecretFact(name) && !value.startsWith(SEALED_PREFIX))
    .map(({ name, value }) => ({
      ...{ table: 'installation' as const, column: 'value', ownerColumn: 'name', owner: name, text: value },
    }))
  for (const { table, column, owner: ownerColumn } of SECRET_COLUMNS) {
    const rows = await (read as Read)
      .selectFrom(table as 'dkim_keys')
      .select([`${ownerColumn} as owner` as 'id as owner', `${column} as text` as 'private_key as text'])
      .where(column as 'private_key', 'not like', `${SEALED_PREFIX}%` as SealedText)
      .limit(limit)
      .execute()
    found.push(...rows.map(({ owner, text }) => ({ table, column, ownerColumn, owner, text })))
  }
  return found
}

/** Replaces secrets by their sealed form, except secrets that have changed meanwhile. */
export async function sealSecrets(
  db: Database,
  items: readonly (readonly (PlainSecret & { readonly sealed: SealedText })[])[],
): Promise<true[]> {
  for (const { table, column, ownerColumn, owner, text, sealed } of items.flat()) {
    await db
      .updateTable(table as 'dkim_keys')
      .set({ [column]: sealed })
      .where(ownerColumn as 'id', '=', owner)
      .where(column as 'private_key', '=', text as SealedText)
      .execute()
  }
  return items.map(() => true)
}

/** Records that every secret of the store is sealed. */
export async function finishSealing(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<true[]> {
  for (const { now } of items) {
    await db.updateTable('sealing').set({ sealed_at: now }).where('sealed_at', 'is', null).execute()
  }
  return items.map(() => true)
}
