// Indexes of tables that may be large, which PostgreSQL makes while nodes write to these.

import { type Kysely, sql } from 'kysely'

/** An index that takes the place of another one. */
export interface LateIndex {
  readonly name: string
  readonly table: string
  /** What stands behind the table's name. */
  readonly definition: string
  /** Dropped once the new one is there. */
  readonly replaces: string
}

export const MESSAGES_BY_ENDING: LateIndex = {
  name: 'messages_by_ending',
  table: 'messages',
  definition: `(domain_id, status, id, recipient_count)
    where status in ('sending', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled')`,
  replaces: 'messages_by_status',
}

/**
 * Entries of one length are in order of time, so that new ones come to few places: an index by address writes a page for
 * each, which cost ten times as much as the row.
 */
export const CHECKS_BY_LENGTH: LateIndex = {
  name: 'verification_checks_by_length',
  table: 'verification_checks',
  definition: '(length(email), id, email)',
  replaces: 'verification_checks_by_any_case',
}

/** All of them. */
export const LATE_INDEXES: readonly LateIndex[] = [MESSAGES_BY_ENDING, CHECKS_BY_LENGTH]

/** A database or a transaction; the tables are named by texts. */
// biome-ignore lint/suspicious/noExplicitAny: a migration knows no types of tables
type Connection = Kysely<any>

/** Makes the index within a migration: nobody else writes to the table, or it is empty. */
export async function makeAtOnce(db: Connection, index: LateIndex): Promise<void> {
  await sql.raw(`create index ${index.name} on ${index.table} ${index.definition}`).execute(db)
  await sql.raw(`drop index if exists ${index.replaces}`).execute(db)
}

/** The same where a table is empty; one with rows gets it by `makeInUse`. */
export async function makeWhereEmpty(db: Connection, index: LateIndex): Promise<void> {
  const { rows } = await sql`select from ${sql.table(index.table)} limit 1`.execute(db)
  if (rows.length === 0) await makeAtOnce(db, index)
}

/**
 * Makes an index on PostgreSQL while nodes write to its table, on a connection without time limits, outside of a
 * transaction. One that an earlier try has left unfinished is made anew. Answers if there was anything to do.
 */
export async function makeInUse(db: Connection, index: LateIndex): Promise<boolean> {
  const found = await sql<{ finished: boolean }>`
    select indisvalid as finished from pg_index where indexrelid = to_regclass(${index.name})`.execute(db)
  const [state] = found.rows
  if (state?.finished === false) await sql.raw(`drop index concurrently ${index.name}`).execute(db)
  if (state?.finished !== true) {
    await sql.raw(`create index concurrently ${index.name} on ${index.table} ${index.definition}`).execute(db)
  }
  await sql.raw(`drop index concurrently if exists ${index.replaces}`).execute(db)
  return state?.finished !== true
}
