// The thread that reads the embedded database and empties its write-ahead log: neither a large search nor a
// checkpoint stalls the event loop that serves mail, or the writer.

import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite, Statements } from './sqlite-connection.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')

/** The write-ahead log is carried over into the database whenever it is this many pages (4 MiB) ahead. */
const CHECKPOINT_PAGES = 1_024
const CHECKPOINT_EVERY_MS = 100

const database = openSqlite((workerData as { path: string }).path)
database.exec('pragma query_only=on')
const statements = new Statements(database)
port.postMessage({ ready: true })

/** A passive checkpoint waits for nobody and nobody waits for it; the writer starts the log anew when it can. */
function checkpoint(): void {
  try {
    const state = database.prepare('pragma wal_checkpoint(noop)').get() as {
      log: number
      checkpointed: number
    }
    if (state.log - state.checkpointed >= CHECKPOINT_PAGES) database.exec('pragma wal_checkpoint(passive)')
  } catch {
    // A full disk, say: reading goes on, and the log is carried over when there is room again.
  }
}

const timer = setInterval(checkpoint, CHECKPOINT_EVERY_MS)

port.on('message', (message: { id: number; text: string; parameters: unknown[] } | 'close') => {
  if (message === 'close') {
    clearInterval(timer)
    database.close()
    port.close()
    return
  }
  try {
    port.postMessage({ id: message.id, rows: statements.run(message.text, message.parameters).rows })
  } catch (error) {
    const { message: text, errcode } = error as Error & { errcode?: number }
    port.postMessage({ id: message.id, error: { message: text, errcode } })
  }
})
