// The store: everything that must survive, behind one interface for both databases.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { isUnavailable, type Read } from './dialect.ts'
import { GroupCommit, type WriteFailure } from './group-commit.ts'
import { openPostgresStore } from './postgres.ts'
import { openSqliteStore } from './sqlite.ts'
import type { WriteItem, WriteName, WriteResult } from './writes.ts'

export type { Read }

/** The open store. */
export interface Store {
  readonly read: Read
  /**
   * One write. Resolves when it is on stable storage, committed with whatever else came meanwhile.
   * Throws `Problem` `unavailable` when the store cannot take it now; then nothing was written.
   */
  write<Name extends WriteName>(name: Name, item: WriteItem<Name>): Promise<WriteResult<Name>>
  /** Waits for writes under way, then closes. */
  close(): Promise<void>
}

/** Commits under way at once: the embedded store has one writer; PostgreSQL gains from a second. */
const COMMITS = { sqlite: 1, postgres: 2 }

/** Opens the store that the settings name; its tables are made or migrated. */
export async function openStore(settings: {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly log: Log
}): Promise<Store> {
  const { databaseUrl, dataDir, log } = settings
  if (databaseUrl === undefined) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const database =
    databaseUrl === undefined
      ? await openSqliteStore(join(dataDir, 'postrider.db'))
      : await openPostgresStore(databaseUrl, (error) => log.warn({ err: error }, 'database connection lost'))
  const commits = new GroupCommit(
    database.commit,
    databaseUrl === undefined ? COMMITS.sqlite : COMMITS.postgres,
  )
  return {
    read: database.read,
    write: (name, item) =>
      commits.write(name, item).catch((failure: WriteFailure) => {
        throw asError(name, failure)
      }) as Promise<never>,
    async close() {
      await commits.settled()
      await database.close()
    },
  }
}

function asError(name: string, failure: WriteFailure): Error {
  if (!failure.unavailable) return new Error(`${name}: ${failure.message}`)
  return new Problem(
    'unavailable',
    'The store cannot take this right now; nothing was accepted, please try again.',
    {
      retryAfter: 5,
      cause: failure.message,
    },
  )
}

/** Runs a read, turning "the database is away" into a `Problem` `unavailable`. */
export async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isUnavailable(error)) throw error
    throw new Problem('unavailable', 'The store cannot be read right now; please try again.', {
      retryAfter: 5,
      cause: error,
    })
  }
}
