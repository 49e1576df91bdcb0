// Facts of the whole installation: its secret, and the versions that tell every node that something has changed.

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'

const ACCESS_VERSION = 'access_version'
const WORKSPACE_VERSION = 'workspace_version'

/** Keeps a fact unless it is there already; answers the one that is kept. */
export async function keepFact(
  db: Database,
  items: readonly { readonly name: string; readonly value: string }[],
): Promise<string[]> {
  const kept: string[] = []
  for (const item of items) {
    await db
      .insertInto('installation')
      .values(item)
      .onConflict((on) => on.column('name').doNothing())
      .execute()
    const row = await db
      .selectFrom('installation')
      .select('value')
      .where('name', '=', item.name)
      .executeTakeFirst()
    kept.push(row?.value ?? item.value)
  }
  return kept
}

/** Keeps facts in the place of those with their names. */
export async function setFact(
  db: Database,
  items: readonly { readonly name: string; readonly value: string }[],
): Promise<true[]> {
  for (const item of items) {
    await insertRows(db, 'installation', [item], 'on conflict (name) do update set value = excluded.value')
  }
  return items.map(() => true)
}
setFact.unaudited = true

/** Removes all facts whose names begin so; the prefix has no character that LIKE knows. */
export async function removeFacts(
  db: Database,
  items: readonly { readonly prefix: string }[],
): Promise<true[]> {
  for (const { prefix } of items) {
    await db.deleteFrom('installation').where('name', 'like', `${prefix}%`).execute()
  }
  return items.map(() => true)
}
removeFacts.unaudited = true

/** A fact; undefined when there is none of that name. */
export async function readFact(read: Read, name: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('installation')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value
}

/** Bytes that take pages of their own, as a mail does: what changes a row finds room where there is none for these. */
const TAKING_ROOM = 65_536

/** Writes something and forgets it: proves that the store can take mail. */
export async function proveWritable(
  db: Database,
  items: readonly { readonly now: number; readonly takesRoom: boolean }[],
): Promise<true[]> {
  const now = String(Math.max(...items.map((item) => item.now)))
  // Random, as the database would compress anything else.
  const value = items.some(({ takesRoom }) => takesRoom)
    ? `${now} ${randomBytes(TAKING_ROOM / 2).toString('hex')}`
    : now
  const fact = [{ name: 'written_at', value }]
  await insertRows(db, 'installation', fact, 'on conflict (name) do update set value = excluded.value')
  return items.map(() => true)
}
proveWritable.unaudited = true
// What is ready takes mail.
proveWritable.line = 'accepting' as const

/** Marks that an account, a domain or a key has changed; part of the transaction that changes it. */
export const markAccessChanged = (db: Database, now: number): Promise<void> =>
  markChanged(db, ACCESS_VERSION, now)

/** Marks that a template, a layout or a stream has changed, or a domain; part of the transaction that changes it. */
export const markWorkspaceChanged = (db: Database, now: number): Promise<void> =>
  markChanged(db, WORKSPACE_VERSION, now)

async function markChanged(db: Database, name: string, now: number): Promise<void> {
  const value = `${now}.${Math.random()}`
  const changed = await db
    .updateTable('installation')
    .set({ value })
    .where('name', '=', name)
    .returning('name')
    .execute()
  if (changed.length === 0) await insertRows(db, 'installation', [{ name, value }])
}

/**
 * Milliseconds by which this machine's clock is ahead of the database's; behind it when negative. Zero for a store of
 * one node. An answer that comes late leaves open when it was given: of what the difference can be, the least is taken,
 * so that a slow database makes no clock look wrong. `now` is for tests.
 */
export async function clockSkew(read: Read, now: () => number = Date.now): Promise<number> {
  if (!isPostgres(read)) return 0
  const before = now()
  const { rows } = await sql<{
    at: number
  }>`select extract(epoch from clock_timestamp())::float8 * 1000 as at`.execute(read)
  const after = now()
  const at = rows[0]?.at ?? before
  return Math.round(at < before ? before - at : Math.min(0, after - at))
}

/** Values that differ after a change; empty before the first. */
export interface Versions {
  /** Changes whenever an account, a domain or a key does, on any node. */
  readonly access: string
  /** Changes whenever a template, a layout or a stream does, on any node. */
  readonly workspace: string
}

export async function readVersions(read: Read): Promise<Versions> {
  const rows = await read
    .selectFrom('installation')
    .select(['name', 'value'])
    .where('name', 'in', [ACCESS_VERSION, WORKSPACE_VERSION])
    .execute()
  const valueNamed = (name: string): string => rows.find((row) => row.name === name)?.value ?? ''
  return { access: valueNamed(ACCESS_VERSION), workspace: valueNamed(WORKSPACE_VERSION) }
}
