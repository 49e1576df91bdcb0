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
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    application_name: 'postrider',
    // Whole milliseconds and counts fit a double.
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        oid === INT8
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  })
  pool.on('error', onError)
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  let migrated: string[]
  try {
    migrated = await migrate(read as unknown as Kysely<never>, 'postgres')
  } catch (error) {
    await read.destroy()
    throw error
  }
  return {
    read,
    migrated,
    // A second one gathers while the first waits for its fsync.
    commitsAtOnce: 2,
    commit: (groups) => commitGroups(groups, (work) => read.transaction().execute(work), WRITES),
    close: () => read.destroy(),
  }
}
