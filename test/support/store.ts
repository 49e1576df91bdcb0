// The real store for a test: SQLite in a temporary directory, or a fresh database in a real PostgreSQL.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import pg from 'pg'
import { silentLog } from '../../src/lib/log.ts'
import { keepCounts } from '../../src/store/message-counts.ts'
import type { Tables } from '../../src/store/schema.ts'
import { asKyselyDatabase, openSqlite } from '../../src/store/sqlite-connection.ts'
import { databaseFile, openStore, type Store } from '../../src/store/store.ts'
import { WRITES } from '../../src/store/writes.ts'
import { createTestDatabase } from './postgres.ts'

/** The databases that every test of the store runs on. */
export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

/** The one that a test of behaviour runs on: SQLite, or what TEST_DATABASE says. */
export const usualDatabase = (): DatabaseName =>
  process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

/** Where a test's store is, and how it goes away. */
export interface TestStorage {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  remove(): Promise<void>
}

/** An empty place for a store; `readyMade`: one with a playground in it, where one was made. */
export async function testStorage(database: DatabaseName, readyMade = false): Promise<TestStorage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  const { TEST_READY_DIR, TEST_READY_POSTGRES_DIR, TEST_READY_DATABASE: template } = process.env
  const from = database === 'postgres' ? TEST_READY_POSTGRES_DIR : TEST_READY_DIR
  const copied = readyMade && from !== undefined
  if (copied) await cp(from, dataDir, { recursive: true })
  const created =
    database === 'postgres' ? await createTestDatabase(copied ? template : undefined) : undefined
  return {
    dataDir,
    databaseUrl: created?.url,
    async remove() {
      await created?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** An open, empty store; `close` also removes it. */
export async function openTestStore(database: DatabaseName): Promise<Store> {
  const storage = await testStorage(database)
  const store = await openStore({ ...storage, log: silentLog })
  return {
    read: store.read,
    write: store.write,
    async close() {
      await store.close()
      await storage.remove()
    },
  }
}

/**
 * A further connection to a store that a node has open. To SQLite without threads of its own, which cost more to start
 * than most tests take.
 */
export async function lookInto(storage: TestStorage): Promise<Store> {
  if (storage.databaseUrl !== undefined) return openStore({ ...storage, log: silentLog })
  const database = openSqlite(databaseFile(storage.dataDir))
  const read = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) })
  let last: Promise<unknown> = Promise.resolve()
  const write: Store['write'] = (name, item) => {
    const commit = async (): Promise<never> => {
      database.exec('begin immediate')
      const run = WRITES[name] as unknown as (db: typeof read, items: unknown[]) => Promise<unknown[]>
      const [result] = await run(read, [item])
      await keepCounts(read)
      database.exec('commit')
      return result as never
    }
    const mine = last.then(commit)
    last = mine.catch(() => {})
    return mine
  }
  return { read, write, close: () => read.destroy() }
}

/** Changes stored rows behind the service's back, as a damaged disk or a clumsy hand would. */
export async function changeRow(
  { dataDir, databaseUrl }: TestStorage,
  statement: string,
  values: readonly (string | Buffer)[],
): Promise<void> {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(databaseFile(dataDir))
    database.exec('pragma busy_timeout = 5000')
    database.prepare(statement.replace(/\$\d/g, '?')).run(...values)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(statement, [...values])
  await client.end()
}
