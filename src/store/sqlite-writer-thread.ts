// The thread that owns the embedded database's one writing connection: an fsync or a checkpoint stalls only it.

import { parentPort, workerData } from 'node:worker_threads'
import { Kysely, SqliteDialect } from 'kysely'
import type { Database } from './dialect.ts'
import { commitGroups, type Group } from './group-commit.ts'
import { migrate } from './migrate.ts'
import type { Tables } from './schema.ts'
import { asKyselyDatabase, openSqlite } from './sqlite-connection.ts'
import { WRITES } from './writes.ts'

/**
 * Pages of the write-ahead log (64 MiB) from which on a commit also checkpoints. The reader's thread has carried most
 * of them over by then, so that this is short, and the log can start anew.
 */
const CHECKPOINT_PAGES = 16_384

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')

const database = openSqlite((workerData as { path: string }).path)
database.exec(`pragma wal_autocheckpoint=${CHECKPOINT_PAGES}`)
const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) })

async function transaction<T>(work: (db: Database) => Promise<T>): Promise<T> {
  database.exec('begin immediate')
  try {
    const result = await work(db)
    database.exec('commit')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

try {
  const migrated = await transaction(() => migrate(db as unknown as Kysely<never>, 'sqlite'))
  port.postMessage({ migrated })
} catch (error) {
  port.postMessage({ failed: (error as Error).message })
}

let last = Promise.resolve()
port.on('message', (message: { id: number; groups: Group[] } | 'close') => {
  last = last.then(async () => {
    if (message === 'close') {
      database.close()
      port.close()
      return
    }
    const results = await commitGroups(message.groups, transaction, WRITES)
    port.postMessage({ id: message.id, results })
  })
})
