// The thread that reads the embedded database: a large search never stalls the event loop that serves mail.

import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite, Statements } from './sqlite-connection.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')

const database = openSqlite((workerData as { path: string }).path)
database.exec('pragma query_only=on')
const statements = new Statements(database)
port.postMessage({ ready: true })

port.on('message', (message: { id: number; text: string; parameters: unknown[] } | 'close') => {
  if (message === 'close') {
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
