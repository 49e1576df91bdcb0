// A process that runs one write, and is killed after a number of statements of the transaction.

import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { commitGroups } from '../../src/store/database/group-commit.ts'
import { POSTGRES_TYPES } from '../../src/store/database/postgres.ts'
import type { Tables } from '../../src/store/database/schema.ts'
import { asKyselyDatabase, openSqlite } from '../../src/store/database/sqlite-connection.ts'
import { databaseFile } from '../../src/store/database/store.ts'
import { WRITE_PROGRAM } from '../../src/store/writes.ts'

const [dataDir = '', databaseUrl = '', statements = '0', name = '', item = '{}'] = process.argv.slice(2)
let left = Number(statements)

function countDown(): void {
  if (left-- === 0) process.kill(process.pid, 'SIGKILL')
}

const dialect =
  databaseUrl === ''
    ? new SqliteDialect({ database: asKyselyDatabase(openSqlite(databaseFile(dataDir))) })
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, types: POSTGRES_TYPES }) })
const db = new Kysely<Tables>({ dialect, log: countDown })

const results = await commitGroups(
  [{ name, items: [JSON.parse(item)] }],
  (work) => db.transaction().execute(work),
  WRITE_PROGRAM,
)
countDown()
await db.destroy()
process.exitCode = results.flat().some((result) => 'error' in result) ? 1 : 0
