// The writer thread of the durable reference: one durable transaction of SQLite for each list of rows.

import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite } from '../../src/store/database/sqlite-connection.ts'
import type { BodyRow } from './durable-handler.ts'

/** Pages of the write-ahead log (64 MiB) before a checkpoint, as in the store. */
const CHECKPOINT_PAGES = 16_384

const database = openSqlite(workerData as string)
database.exec(`pragma wal_autocheckpoint=${CHECKPOINT_PAGES}`)
database.exec('create table if not exists bodies (id text primary key, body blob not null)')
const insert = database.prepare('insert into bodies (id, body) values (?, ?)')

parentPort?.on('message', (rows: readonly BodyRow[]) => {
  database.exec('begin immediate')
  for (const [id, body] of rows) insert.run(id, body)
  database.exec('commit')
  parentPort?.postMessage(rows.length)
})
