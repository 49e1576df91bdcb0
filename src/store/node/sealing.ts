// Sealing of a store: its data key, and the secrets that it held before it was sealed.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { SECRET_COLUMNS, type Tables } from '../database/schema.ts'
import { SEALED_PREFIX, type SealedText } from '../database/secrets.ts'
import type { SealedDataKey } from './sealing-key.ts'
import { isSecretFact } from './secret-facts.ts'

/** The data key of a sealed store; undefined for one that is not sealed. */
export const readSealing = (read: Read): Promise<SealedDataKey | undefined> =>
  read.selectFrom('sealing').selectAll().executeTakeFirst()

/** Keeps a data key unless the store has one; answers the one that is kept. */
export async function keepDataKey(db: Database, items: readonly SealedDataKey[]): Promise<SealedDataKey[]> {
  const kept: SealedDataKey[] = []
  for (const item of items) {
    await insertRows(db, 'sealing', [item], 'on conflict (id) do nothing')
    kept.push((await db.selectFrom('sealing').selectAll().executeTakeFirst()) ?? item)
  }
  return kept
}
keepDataKey.unaudited = true

/** Replaces the data key by the same one under another key file; false when another change came before. */
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

/** A secret that stands in the store as it is. */
export interface PlainSecret {
  readonly table: keyof Tables
  readonly column: string
  /** Column that names the owner, and the owner. */
  readonly ownerColumn: string
  readonly owner: string
  readonly text: string
}

/** Some of the secrets that are not sealed; none when all are. */
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

/** Replaces secrets by what is sealed of them; one that has changed meanwhile stays. */
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

/** Every secret is sealed now. */
export async function finishSealing(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<true[]> {
  for (const { now } of items) {
    await db.updateTable('sealing').set({ sealed_at: now }).where('sealed_at', 'is', null).execute()
  }
  return items.map(() => true)
}
