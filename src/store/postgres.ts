// The shared store: PostgreSQL, for many nodes.

import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { commitGroups, type Group, type ItemResult } from './group-commit.ts'
import { migrate } from './migrate.ts'
import type { Tables } from './schema.ts'
import { WRITES } from './writes.ts'

const INT8 = 20

/** The shared store's two ends, in the same shape as the embedded one's. */
export interface PostgresStore {
  readonly read: Kysely<Tables>
  commit(groups: readonly Group[]): Promise<ItemResult[][]>
  close(): Promise<void>
}

/** Connects, makes or migrates the tables. `onError` hears of connections that broke while idle. */
export async function openPostgresStore(
  url: string,
  onError: (error: Error) => void,
): Promise<PostgresStore> {
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
  try {
    await migrate(read as unknown as Kysely<never>, 'postgres')
  } catch (error) {
    await read.destroy()
    throw error
  }
  return {
    read,
    commit: (groups) => commitGroups(groups, (work) => read.transaction().execute(work), WRITES),
    close: () => read.destroy(),
  }
}
