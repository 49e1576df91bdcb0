// All differences between SQLite and PostgreSQL, except for the statements about many rows (rows.ts).

import { type ControlledTransaction, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Tables } from './schema.ts'

/** The connection or transaction that a query runs on. */
export type Database = Kysely<Tables> | ControlledTransaction<Tables>

/** Database handle of reading functions, for queries only: they run in another thread or over the network. */
export type Read = Kysely<Tables>

export type DialectName = 'sqlite' | 'postgres'

/** Appended to the query that claims due rows, so that two nodes never claim the same row. */
export const LOCK_CLAIMED: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``, // SQLite has one writer
  postgres: sql` for update of queue skip locked`,
}

/**
 * Appended to a query that waits for other transactions to release the rows and then takes the rows that still match.
 */
export const LOCK_WAITING: Record<DialectName, RawBuilder<unknown>> = {
  sqlite: sql``,
  postgres: sql` for update of queue`,
}

const SQLITE_UNAVAILABLE = new Set([5, 6, 8, 10, 13, 14]) // BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN
// PostgreSQL, Appendix A: 08 connection, 53 out of resources, 57P shutting down, 57014 statement timeout, 25006
// read-only, 25P03 idle-in-transaction timeout, 55P03 lock not available, 58 system error.
const POSTGRES_UNAVAILABLE = /^(08|53|57P|57014|58|25006|25P03|55P03)/

/** Error of a statement or of its connection. */
export interface DatabaseError extends Error {
  /** True if the database could not be reached or did not answer. The error then says nothing against the statement. */
  unanswered?: boolean
  /** True if the statement was a commit that may have taken place. */
  outcomeUnknown?: boolean
}

/**
 * True if an error of the database is temporary (disk full, busy, unreachable), and false for an error in the
 * statement. SQLite's extended result codes are in the upper bits.
 */
export function isUnavailable(error: unknown): boolean {
  const { errcode, code, unanswered } = error as DatabaseError & { errcode?: number; code?: string }
  if (errcode !== undefined) return SQLITE_UNAVAILABLE.has(errcode & 0xff)
  return unanswered === true || isOutcomeUnknown(error) || POSTGRES_UNAVAILABLE.test(code ?? '')
}

/** State of a database whose server, role or limits allow this node no further connection. */
export const NO_CONNECTION = 'The database has no connection left for this node.'
/** State of a database whose commits wait for a synchronous standby that does not answer. */
export const AWAITS_STANDBY = 'The database waits for a synchronous standby, which does not answer.'
/** State of a database without room for another page. */
export const DISK_FULL = 'The disk of the database is full.'

/** True if the server is a standby or its transactions are read-only (SQLSTATE 25006, `requireFit`). */
export const takesNoWrites = ({ code = '', message = '' }: { code?: string; message?: string }): boolean =>
  code === '25006' || /takes no writes/.test(message)

/** Returns a sentence about the state in which the database refuses writes; undefined if it is merely unreachable. */
export function whyReadOnly(error: unknown): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (message === AWAITS_STANDBY) return AWAITS_STANDBY
  if (takesNoWrites(error as Error)) return 'The database takes no writes: it is a standby.'
  if (code === '53100') return DISK_FULL
  if (code === '53300') return NO_CONNECTION
  return undefined
}

/**
 * True if a statement took too long or waited too long for a lock (SQLSTATE 57014, 55P03). Other writes of the same
 * commit may succeed.
 */
export const tookTooLong = (error: unknown): boolean =>
  /^(57014|55P03)$/.test((error as { code?: string }).code ?? '')

/** True if the error leaves open whether a commit took place. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  (error as DatabaseError | undefined)?.outcomeUnknown === true

/**
 * True if a transaction lost against another one and succeeds when it is tried again: deadlock, serialization failure,
 * or a prepared statement that is gone or whose tables have changed (0A000, 26000; its connection ends).
 */
export const isConflict = (error: unknown): boolean =>
  /^(40P01|40001|0A000|26000)$/.test((error as { code?: string }).code ?? '')

/** Returns a search text without NUL, which PostgreSQL refuses and no stored text contains. */
export const legalText = (text: string): string => text.replaceAll('\0', '\ufffd')

/** True for a connection to PostgreSQL. */
export const isPostgres = (db: Database): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/**
 * Time of PostgreSQL in milliseconds. It is constant within a statement, so that a condition with it can use an index.
 */
export const POSTGRES_NOW = '(extract(epoch from statement_timestamp())*1000)::bigint'

/**
 * Returns this node's present by the clock of the database, so that nodes that share a store measure leases alike,
 * whatever their clocks say. The result is never later than the database's own time, also when the clock was set back
 * after `now` was read. In SQLite, which has one node, the result is `now`.
 */
export const databaseNow = (db: Database, now: number): RawBuilder<number> =>
  databaseMoment(db, isPostgres(db) ? Math.min(now, Date.now()) : now)

/**
 * Converts a time of this node's clock, such as the end of a lease, to the clock of the database. In SQLite the result
 * is `at`.
 */
export const databaseMoment = (db: Database, at: number): RawBuilder<number> =>
  isPostgres(db) ? sql`(${sql.raw(POSTGRES_NOW)} + ${at - Date.now()})` : sql`${at}`

/** Reads `databaseNow` from the database. */
export async function presentOf(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow(db, now)} as now`.execute(db)
  return Number(rows[0]?.now)
}
