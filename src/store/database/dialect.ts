// All differences between SQLite and PostgreSQL, except for the statements about many rows (rows.ts).

import { type ControlledTransaction, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Tables } from './schema.ts'

/** Connection or transaction on which a query runs. */
export type Database = Kysely<Tables> | ControlledTransaction<Tables>

/** Database handle of functions that only read; the queries run in another thread or over the network. */
export type Read = Kysely<Tables>

export type DialectName = 'sqlite' | 'postgres'

/** Clause that makes a claim skip rows that another node is claiming, so that two nodes never claim the same row. */
export const LOCK_CLAIMED: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``, // SQLite has only one writer.
  postgres: sql` for update of queue skip locked`,
}

/**
 * Clause that makes a query wait until other transactions release the rows, and then return the rows that still match.
 */
export const LOCK_WAITING: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``,
  postgres: sql` for update of queue`,
}

// SQLite result codes BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN.
const SQLITE_UNAVAILABLE = new Set([5, 6, 8, 10, 13, 14])
// Error codes (PostgreSQL, Appendix A): 08 is a connection error, 53 insufficient resources, 57P a shutdown, 57014 a
// statement timeout, 25006 a read-only transaction, 25P03 an idle-in-transaction timeout, 55P03 an unavailable lock,
// and 58 a system error.
const POSTGRES_UNAVAILABLE = /^(08|53|57P|57014|58|25006|25P03|55P03)/

/** Error of a statement or of its connection. */
export interface DatabaseError extends Error {
  /** True if the database could not be reached or did not answer, so that the statement itself may be correct. */
  unanswered?: boolean
  /** True if the statement was a commit that may have succeeded. */
  outcomeUnknown?: boolean
}

/**
 * True for a temporary error of the database (disk full, busy, unreachable); false for an error in the statement. The
 * upper bits of a SQLite error code contain the extended result code.
 */
export function isUnavailable(error: unknown): boolean {
  const { errcode, code, unanswered } = error as DatabaseError & { errcode?: number; code?: string }
  if (errcode !== undefined) return SQLITE_UNAVAILABLE.has(errcode & 0xff)
  return unanswered === true || isOutcomeUnknown(error) || POSTGRES_UNAVAILABLE.test(code ?? '')
}

/** Describes a database whose server, role or database limits permit no further connection of this node. */
export const NO_CONNECTION = 'The database has no connection left for this node.'
/** Describes a database whose commits wait for a synchronous standby that does not answer. */
export const AWAITS_STANDBY = 'The database waits for a synchronous standby, which does not answer.'
/** Describes a database without disk space for another page. */
export const DISK_FULL = 'The disk of the database is full.'

/** True if the server is a standby or its transactions are read-only (SQLSTATE 25006, `requireFit`). */
export const takesNoWrites = ({ code = '', message = '' }: { code?: string; message?: string }): boolean =>
  code === '25006' || /accepts no writes/.test(message)

/**
 * Returns a sentence that explains why the database refuses writes; undefined if the database is merely unreachable.
 */
export function whyReadOnly(error: unknown): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (message === AWAITS_STANDBY) return AWAITS_STANDBY
  if (takesNoWrites(error as Error)) return 'The database accepts no writes: it is a standby.'
  if (code === '53100') return DISK_FULL
  if (code === '53300') return NO_CONNECTION
  return undefined
}

/**
 * True if a statement took too long or waited too long for a lock (SQLSTATE 57014, 55P03). Other writes of the same
 * commit may succeed in a separate transaction.
 */
export const tookTooLong = (error: unknown): boolean =>
  /^(57014|55P03)$/.test((error as { code?: string }).code ?? '')

/** True if the error does not show whether a commit succeeded. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  (error as DatabaseError | undefined)?.outcomeUnknown === true

/**
 * True if a repetition of the failed transaction is likely to succeed: after a deadlock, after a serialization failure,
 * or after a prepared statement was lost or changed (SQLSTATE 0A000, 26000; the connection is closed).
 */
export const isConflict = (error: unknown): boolean =>
  /^(40P01|40001|0A000|26000)$/.test((error as { code?: string }).code ?? '')

/** Returns a search text without NUL characters, which PostgreSQL refuses and no stored text contains. */
export const legalText = (text: string): string => text.replaceAll('\0', '\ufffd')

/** True for a connection to PostgreSQL. */
export const isPostgres = (db: Database): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/**
 * SQL expression for PostgreSQL's time in milliseconds, which is constant within a statement, so that a condition on
 * this time can use an index.
 */
export const POSTGRES_NOW = '(extract(epoch from statement_timestamp())*1000)::bigint'

/**
 * Returns the current time on the clock of the database, so that nodes that share a store measure leases consistently
 * even if their own clocks differ. The result is never later than the database's own time, even if the node's clock was
 * set back after `now` was read. Returns `now` for SQLite, which has only one node.
 */
export const databaseNow = (db: Database, now: number): RawBuilder<number> =>
  databaseMoment(db, isPostgres(db) ? Math.min(now, Date.now()) : now)

/**
 * Converts a time on this node's clock, such as the end of a lease, to the clock of the database. Returns `at` for
 * SQLite.
 */
export const databaseMoment = (db: Database, at: number): RawBuilder<number> =>
  isPostgres(db) ? sql`(${sql.raw(POSTGRES_NOW)} + ${at - Date.now()})` : sql`${at}`

/** Returns the value of `databaseNow` as a number. */
export async function presentOf(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow(db, now)} as now`.execute(db)
  return Number(rows[0]?.now)
}
