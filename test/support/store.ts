// The real store for a test: SQLite in a temporary directory, or a new database on a real PostgreSQL server.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { silentLog } from '../../src/lib/log.ts'
import {
  commitGroups,
  type Transaction,
  type Write,
  type WriteProgram,
} from '../../src/store/database/group-commit.ts'
import { POSTGRES_TYPES } from '../../src/store/database/postgres.ts'
import type { Tables } from '../../src/store/database/schema.ts'
import { Secrets } from '../../src/store/database/secrets.ts'
import { asKyselyDatabase, openSqlite } from '../../src/store/database/sqlite-connection.ts'
import { databaseFile, type Store } from '../../src/store/database/store.ts'
import { openStore } from '../../src/store/node/open-in-mode.ts'
import { followEventLog, LOG_READERS, unreadSince } from '../../src/store/readers/log-readers.ts'
import { WRITE_PROGRAM } from '../../src/store/writes.ts'
import { createTestDatabase } from './postgres.ts'
import { readyMade } from './ready-made.ts'
import type { DatabaseName, ReadyMade } from './ready-made-kinds.ts'

/** Databases on which every test of the store runs. */
export const DATABASES = ['sqlite', 'postgres'] as const satisfies readonly DatabaseName[]
export type { DatabaseName }

/** Returns the database for tests of behaviour: the database that TEST_DATABASE names, or SQLite. */
export const usualDatabase = (): DatabaseName =>
  process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

/** Location of the store of a test, and a function that removes the store. */
export interface TestStorage {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  remove(): Promise<void>
}

/** Creates a location for a new store; with `kind`, the location contains a copy of a ready-made store. */
export async function testStorage(database: DatabaseName, kind?: ReadyMade): Promise<TestStorage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  const original = kind && (await readyMade(kind, database))
  if (original !== undefined) await cp(original.dataDir, dataDir, { recursive: true })
  const created = database === 'postgres' ? await createTestDatabase(original?.database) : undefined
  return {
    dataDir,
    databaseUrl: created?.url,
    async remove() {
      await created?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Opens a store with empty tables; `close` also removes the store. */
export async function openTestStore(database: DatabaseName): Promise<Store> {
  const storage = await testStorage(database, 'tables')
  const store = await openStore({ ...storage, log: silentLog })
  return {
    read: store.read,
    urgentRead: store.urgentRead,
    dataVersion: store.dataVersion,
    secrets: store.secrets,
    write: store.write,
    room: store.room,
    unlimited: store.unlimited,
    giveUp: store.giveUp,
    commits: store.commits,
    figures: store.figures,
    async close() {
      await store.close()
      await storage.remove()
    },
  }
}

/**
 * Opens an additional connection to the store of a running node, without threads, pools and migrations, whose start
 * would cost more than most tests.
 * @param onStatement receives the text of each statement on SQLite
 */
export async function lookInto(
  { dataDir, databaseUrl }: TestStorage,
  onStatement?: (text: string) => void,
): Promise<Store> {
  const { read, transaction } =
    databaseUrl === undefined ? lookIntoSqlite(dataDir, onStatement) : lookIntoPostgres(databaseUrl)
  const write: Store['write'] = async (one, item) => {
    const { name } = one
    // A write that a test defines is not registered under a name.
    const program: WriteProgram = { ...WRITE_PROGRAM, find: () => one as Write<unknown, unknown> }
    const [[result] = []] = await commitGroups([{ name, items: [item] }], transaction, program)
    if (result === undefined || 'error' in result) throw new Error(`${name}: ${result?.error.message}`)
    return result.value as never
  }
  return {
    read,
    urgentRead: read,
    dataVersion: () => undefined,
    secrets: new Secrets(),
    write,
    room: { isLacking: false },
    unlimited: undefined,
    giveUp: undefined,
    commits: { underWay: 0, settled: async () => {} },
    figures: () => [],
    close: () => read.destroy(),
  }
}

/**
 * Returns a write that runs a write function with all items of a list in one commit, as a node does with items that
 * arrive together.
 */
export const inOneCommit =
  <Item, Result>(write: Write<Item, Result>): Write<readonly Item[], readonly Result[]> =>
  async (db, lists) => {
    const results: (readonly Result[])[] = []
    for (const items of lists) results.push(await write(db, items))
    return results
  }

interface Look {
  readonly read: Kysely<Tables>
  readonly transaction: Transaction
}

function lookIntoSqlite(dataDir: string, onStatement: (text: string) => void = () => {}): Look {
  const database = openSqlite(databaseFile(dataDir))
  const connection = asKyselyDatabase(database)
  const prepare: typeof connection.prepare = (text) => {
    onStatement(text)
    return connection.prepare(text)
  }
  const read = new Kysely<Tables>({ dialect: new SqliteDialect({ database: { ...connection, prepare } }) })
  let last: Promise<unknown> = Promise.resolve()
  const transaction: Transaction = (work) => {
    const mine = last.then(async () => {
      database.exec('begin immediate')
      try {
        const result = await work(read)
        database.exec('commit')
        return result
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    })
    last = mine.catch(() => {})
    return mine
  }
  return { read, transaction }
}

function lookIntoPostgres(connectionString: string): Look {
  const pool = new pg.Pool({ connectionString, types: POSTGRES_TYPES, max: 4 })
  // A test may stop the server, which ends idle connections with an error.
  pool.on('error', () => {})
  WRITE_PROGRAM.opened()
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { read, transaction: (work) => read.transaction().execute(work) }
}

/**
 * Waits until this process or a node has written all data that are derived from events, such as figures and words of
 * subjects.
 */
export async function settled(store: Store): Promise<void> {
  for (;;) {
    while ((await store.write(followEventLog, { readers: LOG_READERS })).more);
    const unread = await unreadSince(store.read)
    if (LOG_READERS.every((reader) => unread.get(reader) === undefined)) return
    await setImmediate()
  }
}

/** Changes stored rows directly, like a damaged disk or a careless administrator would. */
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

/** Returns the size of the SQLite database in pages, including its write-ahead log. */
export function pagesOf({ dataDir }: TestStorage): number {
  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true })
  const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number }
  database.close()
  return pages
}
