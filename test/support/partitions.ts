// Stores with partitions of other days, connections in addition to those of a store, and a dump that holds its locks.

import { sql } from 'kysely'
import pg from 'pg'
import { addDays, CONTENT_PARTITIONS, dropDay, listDays } from '../../src/store/database/partitions.ts'
import type { Store } from '../../src/store/database/store.ts'
import type { TestStorage } from './store.ts'

/** Opens a further connection to the database; the caller ends it. */
export async function connectTo({ databaseUrl }: TestStorage): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return client
}

/** Replaces the partitions of an empty store by those of the days from a time on, as if it had been created then. */
export const divideFrom = async (store: Store, at: number): Promise<void> =>
  store.unlimited?.(async (db) => {
    const days = await listDays(db, CONTENT_PARTITIONS)
    await db.transaction().execute(async (transaction) => {
      for (const day of days) await dropDay(transaction, CONTENT_PARTITIONS, day)
    })
    await addDays(db, CONTENT_PARTITIONS, at)
  }, new AbortController().signal)

/** A dump that reads all contents of messages. */
export interface Dump {
  /** True if a connection waits for this transaction, or for another holder of a lock. */
  isWaitedFor(): Promise<boolean>
  end(): Promise<void>
}

/** Begins a transaction that holds a snapshot, and a lock on all partitions. */
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
