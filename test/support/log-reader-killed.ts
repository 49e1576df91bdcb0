// A process that runs the readers of the event log once, and is killed after so many statements of that transaction.

import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { commitGroups } from '../../src/store/database/group-commit.ts'
import type { Tables } from '../../src/store/database/schema.ts'
import { asKyselyDatabase, openSqlite } from '../../src/store/database/sqlite-connection.ts'
import { databaseFile } from '../../src/store/database/store.ts'
import { LOG_READERS } from '../../src/store/events/log-readers.ts'
import { WRITE_PROGRAM } from '../../src/store/writes.ts'

const [dataDir = '', databaseUrl = '', statements = '0'] = process.argv.slice(2)
let left = Number(statements)

function countDown(): void {
  if (left-- === 0) process.kill(process.pid, 'SIGKILL')
}

const dialect =
  databaseUrl === ''
    ? new SqliteDialect({ database: asKyselyDatabase(openSqlite(databaseFile(dataDir))) })
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) })
const db = new Kysely<Tables>({ dialect, log: countDown })

const items = [{ readers: LOG_READERS }]
await commitGroups(
  [{ name: 'followEventLog', items }],
  (work) => db.transaction().execute(work),
  WRITE_PROGRAM,
)
countDown()
await db.destroy()
