// Stores with partitions of other days, additional database connections, and a dump that holds its locks.

import { sql } from 'kysely'
import pg from 'pg'
import { addDays, CONTENT_PARTITIONS, dropDay, listDays } from '../../src/store/database/partitions.ts'
import type { Store } from '../../src/store/database/store.ts'
import type { TestStorage } from './store.ts'

/** Opens an additional connection to the database; the caller ends the connection. */
export async function connectTo({ databaseUrl }: TestStorage): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return client
}

/**
 * Replaces the partitions of an empty store by partitions from the day of `at`, as if the store had been created then.
 */
export const divideFrom = async (store: Store, at: number): Promise<void> =>
  store.unlimited?.(async (db) => {
    const days = await listDays(db, CONTENT_PARTITIONS)
    await db.transaction().execute(async (transaction) => {
      for (const day of days) await dropDay(transaction, CONTENT_PARTITIONS, day)
    })
    await addDays(db, CONTENT_PARTITIONS, at)
  }, new AbortController().signal)

/** A simulated dump that reads the contents of all messages. */
export interface Dump {
  /** True if any connection waits for a lock, such as a lock of this dump. */
  isWaitedFor(): Promise<boolean>
  end(): Promise<void>
}

/** Begins a transaction that holds a snapshot and a lock on all partitions. */
export async function beginDump({ read }: Store): Promise<Dump> {
  const dump = await read.startTransaction().setIsolationLevel('repeatable read').execute()
  await sql`lock table message_contents in access share mode`.execute(dump)
  return {
    async isWaitedFor() {
      const { rows } = await sql`
        select from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and not granted`.execute(read)
      return rows.length > 0
    },
    end: () => dump.commit().execute(),
  }
}
