// Stores whose contents are in one piece, or in partitions from a time on, and a look at which partition has what.

import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import pg from 'pg'
import { silentLog } from '../../src/lib/log.ts'
import { addDays, CONTENT_PARTITIONS, divideEmpty } from '../../src/store/database/partitions.ts'
import type { Read, Store } from '../../src/store/database/store.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { TestStorage } from './store.ts'

/** A connection beside the store's; the caller ends it. */
export async function connectTo({ databaseUrl }: TestStorage): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return client
}

/**
 * Makes the tables in a PostgreSQL database, or takes them as they are, with the contents of messages in one piece, as
 * programs before 0057-content-partitions have them. What was in there is gone.
 */
export async function storeInOnePiece(url: string): Promise<void> {
  const store = await openStore({ dataDir: tmpdir(), databaseUrl: url, log: silentLog })
  await inOnePiece(store.read)
  await store.close()
}

/** Empties the contents of messages, and has them in one piece. */
async function inOnePiece(db: Read): Promise<void> {
  await sql`create table in_one_piece (like message_contents including all)`.execute(db)
  await sql`drop table message_contents`.execute(db)
  await sql`alter table in_one_piece rename to message_contents`.execute(db)
}

/** Makes the contents of an empty store be in partitions from a time on, as if a node had made them then. */
export const divideFrom = async (store: Store, at: number): Promise<void> =>
  store.unlimited?.(async (db) => {
    await inOnePiece(db)
    await divideEmpty(db, CONTENT_PARTITIONS, at)
    await addDays(db, CONTENT_PARTITIONS, at)
  }, new AbortController().signal)

/** A dump that reads all contents of messages. */
export interface Dump {
  /** Tells if somebody waits for it, or for another holder of a lock. */
  isWaitedFor(): Promise<boolean>
  end(): Promise<void>
}

/** Begins one: it holds a snapshot, and a lock on all partitions. */
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
