// Facts of the whole installation, such as its secret, and the versions by which nodes detect changes.

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'

const ACCESS_VERSION = 'access_version'
const WORKSPACE_VERSION = 'workspace_version'

/** Stores facts that do not exist yet; returns the stored values. */
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

/** Stores facts; a new fact replaces an earlier fact with the same name. */
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

/** Removes all facts with a prefix; the prefix must not contain wildcards of LIKE. */
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

/** Returns the value of a fact; undefined if no fact has this name. */
export async function readFact(read: Read, name: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('installation')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value
}

/**
 * Number of bytes that need separate database pages, as a mail does: a nearly full disk may accept a small change of a
 * row but no mail.
 */
const TAKING_ROOM = 65_536

/** Writes a fact to prove that the store can accept mail. */
export async function proveWritable(
  db: Database,
  items: readonly { readonly now: number; readonly takesRoom: boolean }[],
): Promise<true[]> {
  const now = String(Math.max(...items.map((item) => item.now)))
  // The value is random because the database would compress other text.
  const value = items.some(({ takesRoom }) => takesRoom)
    ? `${now} ${randomBytes(TAKING_ROOM / 2).toString('hex')}`
    : now
  const fact = [{ name: 'written_at', value }]
  await insertRows(db, 'installation', fact, 'on conflict (name) do update set value = excluded.value')
  return items.map(() => true)
}
proveWritable.unaudited = true
// The write uses the same commit line as the writes of accepted mail, because a node is ready only if it can accept
// mail.
proveWritable.line = 'accepting' as const

/** Records that an account, a domain or a key has changed; runs in the transaction that makes the change. */
export const markAccessChanged = (db: Database, now: number): Promise<void> =>
  markChanged(db, ACCESS_VERSION, now)

/**
 * Records that a template, a layout, a stream or a domain has changed; runs in the transaction that makes the change.
 */
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
 * Returns the milliseconds by which this machine's clock is ahead of the database's clock, negative if behind; zero for
 * a store with one node. The database may have read its clock at any time between query and response, so the result is
 * the smallest possible skew: a slow database never makes a clock look wrong. `now` is for tests.
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

/** Versions that each change replaces with a new value; an empty string before the first change. */
export interface Versions {
  /** Version of the access data: replaced when an account, a domain or a key changes on any node. */
  readonly access: string
  /** Version of the workspaces: replaced when a template, a layout, a stream or a domain changes on any node. */
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
