// A store that is looked at before it is opened: nothing is made, migrated or written.

import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import type { Read } from './dialect.ts'
import { knownMigrations, migrationsRun } from './migrate.ts'
import type { Tables } from './schema.ts'
import { asKyselyDatabase } from './sqlite-connection.ts'
import { cannotOpen, databaseFile, type StoreSettings } from './store.ts'

/** The place of a store. */
export type StorePlace = Pick<StoreSettings, 'dataDir' | 'databaseUrl' | 'databaseTimeoutMs'>

/** Migrations of a store, by name. */
export interface MigrationState {
  /** To run when this program opens it. */
  readonly pending: readonly string[]
  /** Have run, and this program does not know them: it is older than the store. */
  readonly unknown: readonly string[]
}

/**
 * Answers `look`'s result; undefined when there is no store in this place yet. Throws `Problem` `unavailable` when it
 * cannot be read.
 */
export async function lookAtStore<T>(
  place: StorePlace,
  look: (read: Read, migrations: MigrationState) => Promise<T>,
): Promise<T | undefined> {
  let read: Kysely<Tables> | undefined
  try {
    read = await connect(place)
    if (read === undefined) return undefined
    const run = await migrationsRun(read)
    if (run === undefined) return undefined
    const known = knownMigrations()
    return await look(read, {
      pending: known.filter((name) => !run.includes(name)),
      unknown: run.filter((name) => !known.includes(name)),
    })
  } catch (error) {
    throw cannotOpen(place, error as Error)
  } finally {
    await read?.destroy()
  }
}

/** Tells if there is a file. Throws where this user may not see whether there is one. */
export function isThere(file: string): boolean {
  try {
    return statSync(file) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
}

async function connect({
  dataDir,
  databaseUrl,
  databaseTimeoutMs = 10_000,
}: StorePlace): Promise<Kysely<Tables> | undefined> {
  if (databaseUrl === undefined) {
    const file = databaseFile(dataDir)
    if (!isThere(file)) return undefined
    const database = asKyselyDatabase(new DatabaseSync(file, { readOnly: true, timeout: databaseTimeoutMs }))
    return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
  }
  // Only where it is used: the driver takes its memory.
  const [{ GuardedPool }, { Hosts }] = await Promise.all([
    import('./postgres-pool.ts'),
    import('./postgres-hosts.ts'),
  ])
  const pool = new GuardedPool(
    {
      ...{ hosts: new Hosts(databaseUrl), writes: false, max: 1, query_timeout: databaseTimeoutMs },
      ...{ connectionTimeoutMillis: Math.min(5_000, databaseTimeoutMs), application_name: 'postrider' },
    },
    // An error of an idle connection is told by the next query.
    () => {},
  )
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}
