// The store: all durable data, with one interface for both databases.

import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import type { Figure } from '../../lib/figures.ts'
import type { Log } from '../../lib/log.ts'
import { outsideOfRuns } from '../../lib/repeatable-run.ts'
import { makeDirectory } from '../../lib/whole-file.ts'
import { Problem } from '../../model/problem.ts'
import { isLasting, UnfitSettingsError } from '../../model/unfit-settings.ts'
import type { OpenDatabase, Unlimited } from './database.ts'
import { DISK_FULL, isUnavailable, type Read, whyReadOnly } from './dialect.ts'
import {
  CommitLines,
  type CommitsUnderWay,
  type Write,
  type WriteFailure,
  type WriteProgram,
} from './group-commit.ts'
import { Secrets } from './secrets.ts'
import { openSqliteStore } from './sqlite.ts'

export type { Read }

/** The open store. */
export interface Store {
  readonly read: Read
  /** Database handle for short queries that a node needs for its work; these queries never wait for searches. */
  readonly urgentRead: Read
  /**
   * Returns a number that stays the same until any process commits; undefined if the number cannot be read at the
   * moment, or not without a query.
   */
  dataVersion(): number | undefined
  /** Seals and opens the secrets in rows. */
  readonly secrets: Secrets
  /**
   * Runs one of the writes listed in `writes.ts`, for example `store.write(acceptMessage, message)`. Resolves when the
   * write is on stable storage; all writes that arrive during one commit are committed together. Throws `Problem`
   * `unavailable` if the store cannot accept the write now; no data was written in this case, unless the problem says
   * that the outcome is unknown.
   */
  write<Item, Result>(write: Write<Item, Result>, item: NoInfer<Item>): Promise<Result>
  /**
   * State of the disk space: `isLacking` becomes true when a write is refused because the disk of PostgreSQL is full.
   * Other code sets `isLacking` to false when free space is found.
   */
  readonly room: { isLacking: boolean }
  /** Runs work without time limits; undefined if the database has a single writer. */
  readonly unlimited: Unlimited | undefined
  /**
   * Makes all current and later queries fail immediately; called when a node stops while the database does not answer.
   * Undefined for a database in this process.
   */
  readonly giveUp: (() => void) | undefined
  readonly commits: CommitsUnderWay
  figures(): Figure[]
  /** Waits for writes in progress, then closes the store. */
  close(): Promise<void>
}

/** Returns the path of the embedded database file. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'postrider.db')

/** Returns the size in bytes of SQLite's files, or of the PostgreSQL database with its indexes. */
export async function storeBytes(
  read: Read,
  { dataDir, databaseUrl }: Pick<StoreSettings, 'dataDir' | 'databaseUrl'>,
): Promise<number> {
  if (databaseUrl !== undefined) {
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database())::float8 as bytes`.execute(read)
    return rows[0]?.bytes ?? 0
  }
  const file = databaseFile(dataDir)
  const sizes = await Promise.all([file, `${file}-wal`].map((one) => stat(one).catch(() => undefined)))
  return sizes.reduce((sum, one) => sum + (one?.size ?? 0), 0)
}

export interface StoreSettings {
  readonly dataDir: string
  /** URL of PostgreSQL; undefined for SQLite in the data directory. */
  readonly databaseUrl: string | undefined
  /** Milliseconds after which a query without an answer from PostgreSQL fails; 10,000 by default. */
  readonly databaseTimeoutMs?: number
  readonly log: Log
  /** Receives the names of the migrations that ran at opening. */
  readonly onMigrated?: (names: readonly string[]) => void
}

/**
 * Opens the store that the settings specify, and creates or migrates its tables. Throws `Problem` `unavailable` with
 * the reason and the remedy if the store cannot be opened.
 */
export async function openStoreWith(program: WriteProgram, settings: StoreSettings): Promise<Store> {
  try {
    makeDirectory(resolve(settings.dataDir))
  } catch (error) {
    throw cannotOpen({ ...settings, databaseUrl: undefined }, error as Error)
  }
  const database = await openDatabase(program, settings).catch((error: Error) => {
    throw cannotOpen(settings, error)
  })
  settings.onMigrated?.(database.migrated)
  // A commit serves many requests, so it runs outside the context of any single request.
  const commits = new CommitLines(
    (groups, ...more) => outsideOfRuns(() => database.commit(groups, ...more)),
    database.commitsAtOnce,
  )
  const room = { isLacking: false }
  return {
    read: database.read,
    urgentRead: database.urgentRead,
    dataVersion: () => database.dataVersion?.(),
    secrets: new Secrets(),
    write: (write, item) =>
      commits.write(write, item).catch((failure: WriteFailure) => {
        room.isLacking ||= failure.state === DISK_FULL
        throw asError(write.name, failure)
      }) as Promise<never>,
    room,
    unlimited: database.unlimited,
    giveUp: database.giveUp,
    commits,
    figures: () => commits.figures(),
    async close() {
      await commits.settled()
      await database.close()
    },
  }
}

/** Returns the problem for a store that cannot be opened or inspected, with the reason and a remedy. */
export function cannotOpen(
  { databaseUrl, dataDir }: Pick<StoreSettings, 'databaseUrl' | 'dataDir'>,
  cause: Error,
): Problem {
  // A failed connection to a host name with several addresses has an error for each address, and no message.
  const [first = cause] = cause instanceof AggregateError ? (cause.errors as Error[]) : []
  const why = first.message || String(first)
  const [place, remedy] =
    databaseUrl === undefined
      ? [`in ${dataDir}`, 'check that POSTRIDER_DATA_DIR is right, writable for this user and not full']
      : [
          'at POSTRIDER_DATABASE_URL',
          'check that the database runs, can be reached from here and accepts the login',
        ]
  const { remedy: itsOwn = remedy } = first as { remedy?: string }
  const Refusal = databaseUrl === undefined && isLasting(first) ? UnfitSettingsError : Problem
  return new Refusal('unavailable', `The store ${place} cannot be opened (${why}); ${itsOwn}.`, { cause })
}

async function openDatabase(program: WriteProgram, settings: StoreSettings): Promise<OpenDatabase> {
  const { databaseUrl, databaseTimeoutMs = 10_000, dataDir, log } = settings
  if (databaseUrl !== undefined) {
    // The PostgreSQL module is imported only where it is used, because the driver takes memory.
    const { openPostgresStore } = await import('./postgres.ts')
    const onError = (err: Error): void => log.warn({ err }, 'database connection lost')
    const onWait = (sentence: string): void => log.warn({}, sentence)
    return openPostgresStore(databaseUrl, databaseTimeoutMs, onError, program, onWait)
  }
  return openSqliteStore(databaseFile(dataDir), program)
}

const UNKNOWN =
  'The store did not answer in time, so the request may or may not have been accepted; repeat the request with the same Idempotency-Key, so that it is not carried out twice.'

function asError(name: string, failure: WriteFailure): Error {
  if (!failure.unavailable) return new Error(`${name}: ${failure.message}`)
  const detail = failure.unknown
    ? UNKNOWN
    : `${failure.state ?? 'The store accepts no writes right now.'} Nothing was accepted, please try again.`
  return new Problem('unavailable', detail, { retryAfter: 5, cause: failure.message })
}

/** Runs a read and turns errors of an unreachable database into `Problem` `unavailable`. */
export async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const why = whyReadOnly(error) ?? 'The store cannot be read right now.'
    throw new Problem('unavailable', `${why} Please try again.`, { retryAfter: 5, cause: error })
  }
}
