// The real store for a test: SQLite in a temporary directory, or a fresh database in a real PostgreSQL.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Kysely, SqliteDialect } from 'kysely'
import pg from 'pg'
import { silentLog } from '../../src/lib/log.ts'
import type { Tables } from '../../src/store/database/schema.ts'
import { Secrets } from '../../src/store/database/secrets.ts'
import { asKyselyDatabase, openSqlite } from '../../src/store/database/sqlite-connection.ts'
import { databaseFile, type Store } from '../../src/store/database/store.ts'
import { appendLog } from '../../src/store/events/event-log.ts'
import { followEventLog, LOG_READERS, unreadSince } from '../../src/store/events/log-readers.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createTestDatabase } from './postgres.ts'
import { type ReadyMade, readyMade } from './ready-made.ts'

/** The databases that every test of the store runs on. */
export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

/** The one that a test of behaviour runs on: SQLite, or what TEST_DATABASE says. */
export const usualDatabase = (): DatabaseName =>
  process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

/** Place of a test's store, and its removal. */
export interface TestStorage {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  remove(): Promise<void>
}

/** An empty place for a store; with `kind` a copy of one that was made before, where that was done. */
export async function testStorage(database: DatabaseName, kind?: ReadyMade): Promise<TestStorage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  const original = kind && readyMade(kind, database)
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

/** An open, empty store; `close` also removes it. */
export async function openTestStore(database: DatabaseName): Promise<Store> {
  const storage = await testStorage(database, 'tables')
  const store = await openStore({ ...storage, log: silentLog })
  return {
    read: store.read,
    secrets: store.secrets,
    write: store.write,
    figures: store.figures,
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
  const write: Store['write'] = (run, item) => {
    const commit = async (): Promise<never> => {
      database.exec('begin immediate')
      const [result] = await run(read, [item])
      await appendLog(read)
      database.exec('commit')
      return result as never
    }
    const mine = last.then(commit)
    last = mine.catch(() => {})
    return mine
  }
  return { read, secrets: new Secrets(), write, figures: () => [], close: () => read.destroy() }
}

/** Waits until what is derived from all events so far (figures, words of subjects) is written, here or by a node. */
export async function settled(store: Store): Promise<void> {
  for (;;) {
    while ((await store.write(followEventLog, { readers: LOG_READERS })).more);
    const unread = await unreadSince(store.read)
    if (LOG_READERS.every((reader) => unread.get(reader) === undefined)) return
    await setImmediate()
  }
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

/** Size of the embedded database, in pages; what its write-ahead log holds is part of it. */
export function pagesOf({ dataDir }: TestStorage): number {
  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true })
  const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number }
  database.close()
  return pages
}
