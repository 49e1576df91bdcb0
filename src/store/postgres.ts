// The shared store: PostgreSQL, for many nodes.

import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { OpenDatabase } from './database.ts'
import { commitGroups } from './group-commit.ts'
import { migrate } from './migrate.ts'
import type { Tables } from './schema.ts'
import { WRITES } from './writes.ts'

const INT8 = 20

/** Connects, makes or migrates the tables. `onError` hears of connections that broke while idle. */
export async function openPostgresStore(url: string, onError: (error: Error) => void): Promise<OpenDatabase> {
  const options: pg.PoolConfig = {
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    application_name: 'postrider',
    // Whole milliseconds and counts fit a double.
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        oid === INT8
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  }
  const connect = (more: pg.PoolConfig): Kysely<Tables> => {
    const pool = new pg.Pool({ ...options, ...more })
    pool.on('error', onError)
    // A connection that breaks while it is in use says so here as well; unheard, that would end the process.
    pool.on('connect', (client) => client.on('error', onError))
    return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  }
  // Apart, so that slow searches never keep a commit waiting for a connection.
  const read = connect({ max: 8, statement_timeout: 30_000 })
  const write = connect({ max: 3 })
  let migrated: string[]
  try {
    migrated = await migrate(write as unknown as Kysely<never>, 'postgres')
  } catch (error) {
    await Promise.all([read.destroy(), write.destroy()])
    throw error
  }
  return {
    read,
    migrated,
    // A second one gathers while the first waits for its fsync.
    commitsAtOnce: 2,
    commit: (groups) => commitGroups(groups, (work) => write.transaction().execute(work), WRITES),
    close: async () => void (await Promise.all([read.destroy(), write.destroy()])),
  }
}
