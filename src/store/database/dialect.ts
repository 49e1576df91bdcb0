// All that differs between SQLite and PostgreSQL, but for the statements about many rows (rows.ts).

import { type ControlledTransaction, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Tables } from './schema.ts'

/** A connection or a transaction, whichever a query runs on. */
export type Database = Kysely<Tables> | ControlledTransaction<Tables>

/** Database handle of reading functions: queries only, run off the event loop or over the network. */
export type Read = Kysely<Tables>

export type DialectName = 'sqlite' | 'postgres'

/** Appended to the query that claims due rows, so that two nodes never claim the same one. */
export const LOCK_CLAIMED: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``, // there is one writer
  postgres: sql` for update of queue skip locked`,
}

/** The same for a query that waits until others are done with the rows, and then takes those that still match. */
export const LOCK_WAITING: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``,
  postgres: sql` for update of queue`,
}

const SQLITE_UNAVAILABLE = new Set([5, 6, 8, 10, 13, 14]) // BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN
// PostgreSQL, Appendix A: 08 connection, 53 out of resources, 57P shutting down, 57014 took too long, 25006 read-only,
// 25P03 idle in a transaction for too long, 55P03 lock not available, 58 system error.
const POSTGRES_UNAVAILABLE = /^(08|53|57P|57014|58|25006|25P03|55P03)/

/** An error of a statement, or of the connection for it. */
export interface DatabaseError extends Error {
  /** There was no connection, or none of its answers came: nothing is known against what it was about. */
  unanswered?: boolean
  /** The statement was a commit, which may have taken place all the same. */
  outcomeUnknown?: boolean
}

/**
 * True if an error of the database means "not now" (disk full, busy, away) and not "never" (a fault of ours). SQLite's
 * result codes carry extended codes in the upper bits.
 */
export function isUnavailable(error: unknown): boolean {
  const { errcode, code, unanswered } = error as DatabaseError & { errcode?: number; code?: string }
  if (errcode !== undefined) return SQLITE_UNAVAILABLE.has(errcode & 0xff)
  return unanswered === true || isOutcomeUnknown(error) || POSTGRES_UNAVAILABLE.test(code ?? '')
}

/** State of a database whose server, role or limits give this node no further connection. */
export const NO_CONNECTION = 'The database has no connection left for this node.'
/** State of a database whose commits wait for a synchronous standby that does not answer. */
export const AWAITS_STANDBY = 'The database waits for a synchronous standby, which does not answer.'
/** State of a database that has no room for another page. */
export const DISK_FULL = 'The disk of the database is full.'

/** True if the server is a standby, or its transactions are read-only (SQLSTATE 25006, `requireFit`). */
export const takesNoWrites = ({ code = '', message = '' }: { code?: string; message?: string }): boolean =>
  code === '25006' || /takes no writes/.test(message)

/** The state of the database that keeps it from writing, for people; undefined where it is just not there. */
export function whyReadOnly(error: unknown): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (message === AWAITS_STANDBY) return AWAITS_STANDBY
  if (takesNoWrites(error as Error)) return 'The database takes no writes: it is a standby.'
  if (code === '53100') return DISK_FULL
  if (code === '53300') return NO_CONNECTION
  return undefined
}

/** True if a statement took too long or waited too long for a lock (SQLSTATE 57014, 55P03): what came with it may not. */
export const tookTooLong = (error: unknown): boolean =>
  /^(57014|55P03)$/.test((error as { code?: string }).code ?? '')

/** True if the error left it open whether a commit took place. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  (error as DatabaseError | undefined)?.outcomeUnknown === true

/**
 * True if a transaction lost against another one and will succeed when it is tried again: deadlock, serialization, a
 * prepared statement whose tables were changed or that is gone (0A000, 26000; its connection ends).
 */
export const isConflict = (error: unknown): boolean =>
  /^(40P01|40001|0A000|26000)$/.test((error as { code?: string }).code ?? '')

/** A text from a request that is looked for: PostgreSQL refuses a NUL, which nothing that is kept has. */
export const legalText = (text: string): string => text.replaceAll('\0', '\ufffd')

/** True if this connection speaks to PostgreSQL. */
export const isPostgres = (db: Database): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** The time of PostgreSQL in milliseconds, which stands still within a statement, so that it may lead into an index. */
export const POSTGRES_NOW = '(extract(epoch from statement_timestamp())*1000)::bigint'

/**
 * The present of this node's clock by the database's, however they differ: nodes that share a store measure leases
 * alike. Never later than the database's own, also when the clock was set back since `now` was read. In SQLite, whose
 * one node is the database's, the time itself.
 */
export const databaseNow = (db: Database, now: number): RawBuilder<number> =>
  databaseMoment(db, isPostgres(db) ? Math.min(now, Date.now()) : now)

/** A time of this node's clock, such as the end of a lease, by the database's. In SQLite the time itself. */
export const databaseMoment = (db: Database, at: number): RawBuilder<number> =>
  isPostgres(db) ? sql`(${sql.raw(POSTGRES_NOW)} + ${at - Date.now()})` : sql`${at}`

/** Reads `databaseNow`. */
export async function presentOf(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow(db, now)} as now`.execute(db)
  return Number(rows[0]?.now)
}
