// A thread that reads the embedded database; one such thread also checkpoints the write-ahead log. Neither a large
// search nor a checkpoint stalls the event loop or the writer.

import type { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import { openSqlite, Statements } from './sqlite-connection.ts'
import type { Answer, Question } from './sqlite-thread.ts'

const port = parentPort
if (port === null) throw new Error('this file must be run as a worker thread')

/** Growth of the write-ahead log since the last checkpoint, in pages (4 MiB), at which the next checkpoint runs. */
const CHECKPOINT_PAGES = 1_024
const CHECKPOINT_EVERY_MS = 100

type Reading = Question<
  { readonly checkpoints: true } | { readonly text: string; readonly parameters: readonly unknown[] }
>

/** The open connection. */
let connection:
  | { readonly database: DatabaseSync; readonly statements: Statements; checkpoints: boolean }
  | undefined

setInterval(() => {
  if (connection?.checkpoints) checkpoint(connection.database)
}, CHECKPOINT_EVERY_MS)

/**
 * Runs a passive checkpoint, which neither blocks a connection nor waits for a connection; the writer restarts the
 * write-ahead log when possible.
 */
function checkpoint(database: DatabaseSync): void {
  try {
    const state = database.prepare('pragma wal_checkpoint(noop)').get() as {
      log: number
      checkpointed: number
    }
    if (state.log - state.checkpointed >= CHECKPOINT_PAGES) database.exec('pragma wal_checkpoint(passive)')
  } catch {
    // A checkpoint fails if the disk is full, for example; reading continues, and a later checkpoint succeeds when
    // there is space.
  }
}

function answer(question: Reading): Omit<Answer, 'id'> {
  if ('open' in question) {
    const database = openSqlite(question.open)
    connection = { database, statements: new Statements(database), checkpoints: false }
    database.exec('pragma query_only=on')
    return {}
  }
  if ('close' in question) {
    connection?.database.close()
    connection = undefined
    return {}
  }
  if (connection === undefined) throw new Error('no database is open')
  if ('checkpoints' in question) {
    connection.checkpoints = true
    return {}
  }
  const began = performance.now()
  const { rows } = connection.statements.run(question.text, question.parameters)
  return { rows, ms: performance.now() - began }
}

port.on('message', (question: Reading) => {
  let said: Omit<Answer, 'id'>
  try {
    said = answer(question)
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    said = { error: { message, ...(errcode === undefined ? {} : { errcode }) } }
  }
  port.postMessage({ id: question.id, ...said })
})
