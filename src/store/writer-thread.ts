// The thread that owns the only writing connection to the SQLite database, so that an fsync or a checkpoint blocks no
// other thread.

import { parentPort } from 'node:worker_threads'
import { Kysely, SqliteDialect } from 'kysely'
import { commitGroups, type Transaction } from './database/group-commit.ts'
import { migrate } from './database/migrate.ts'
import type { Tables } from './database/schema.ts'
import { asKyselyDatabase, openSqlite, Statements } from './database/sqlite-connection.ts'
import {
  type Answer,
  packResults,
  type Question,
  type TransferredBatch,
  transferredOf,
  unpackBatch,
} from './database/sqlite-thread.ts'
import { sendUnread } from './database/unread.ts'
import { WRITE_PROGRAM, writeNamed } from './writes.ts'

/**
 * Number of pages in the write-ahead log (64 MiB) at which a commit also runs a checkpoint. The checkpoint is short
 * because the reader thread has already written most pages back, and the log can then restart.
 */
const CHECKPOINT_PAGES = 16_384

const port = parentPort
if (port === null) throw new Error('this file must be run as a worker thread')

type Writing = Question<{ readonly batch: TransferredBatch }>

/** The open connection to the database. */
let connection: { readonly transaction: Transaction; close(): void } | undefined

function connect(path: string): NonNullable<typeof connection> {
  const database = openSqlite(path)
  database.exec(`pragma wal_autocheckpoint=${CHECKPOINT_PAGES}`)
  const statements = new Statements(database)
  const dialect = new SqliteDialect({ database: asKyselyDatabase(database, statements) })
  const db = new Kysely<Tables>({ dialect })
  sendUnread(db, ({ sql, parameters }) => void statements.run(sql, parameters))
  return {
    async transaction(work) {
      database.exec('begin immediate')
      try {
        const result = await work(db)
        database.exec('commit')
        return result
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
    close: () => database.close(),
  }
}

function close(): void {
  connection?.close()
  connection = undefined
}

async function open(path: string): Promise<Omit<Answer, 'id'>> {
  try {
    connection = connect(path)
    WRITE_PROGRAM.opened()
    return {
      migrated: await connection.transaction((db) => migrate(db as unknown as Kysely<never>, 'sqlite')),
    }
  } catch (error) {
    close()
    const { message, errcode } = error as Error & { errcode?: number }
    return { error: { message, ...(errcode === undefined ? {} : { errcode }) } }
  }
}

/** An answer to the main thread, and the buffers that are transferred with the answer. */
type Answered = readonly [answer: Omit<Answer, 'id'>, moved?: ArrayBuffer[]]

async function answer(question: Writing): Promise<Answered> {
  if ('open' in question) return [await open(question.open)]
  if ('close' in question) {
    close()
    return [{}]
  }
  if (connection === undefined) throw new Error('no database is open')
  const groups = unpackBatch(question.batch, writeNamed)
  const results = await commitGroups(groups, connection.transaction, WRITE_PROGRAM)
  const moved = transferredOf(groups, results, writeNamed)
  return [{ results: packResults(groups, results, writeNamed) }, moved]
}

let last = Promise.resolve()
port.on('message', (question: Writing) => {
  last = last.then(async () => {
    const [said, moved = []] = await answer(question)
    port.postMessage({ id: question.id, ...said }, moved)
  })
})
