// Inspects a store without opening it: nothing is created, migrated or written.

import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import type { Read } from './dialect.ts'
import { knownMigrations, migrationsRun } from './migrate.ts'
import type { Tables } from './schema.ts'
import { asKyselyDatabase } from './sqlite-connection.ts'
import { cannotOpen, databaseFile, type StoreSettings } from './store.ts'

/** Location of a store. */
export type StorePlace = Pick<StoreSettings, 'dataDir' | 'databaseUrl' | 'databaseTimeoutMs'>

/** Migrations of a store by name. */
export interface MigrationState {
  /** Migrations that run when this program opens the store. */
  readonly pending: readonly string[]
  /** Migrations that have run but are unknown to this program, which is therefore older than the store. */
  readonly unknown: readonly string[]
}

/**
 * Calls `look` with a read connection and returns the result of the call; undefined if there is no store at this
 * location yet. Throws `Problem` `unavailable` if the store cannot be read.
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

/** True if the file exists; throws if this user may not see whether the file exists. */
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
  // The PostgreSQL modules are imported only where they are used, because the driver takes memory.
  const [{ GuardedPool }, { Hosts }] = await Promise.all([
    import('./postgres-pool.ts'),
    import('./postgres-hosts.ts'),
  ])
  const pool = new GuardedPool(
    {
      ...{ hosts: new Hosts(databaseUrl), writes: false, max: 1, query_timeout: databaseTimeoutMs },
      ...{ connectionTimeoutMillis: Math.min(5_000, databaseTimeoutMs), application_name: 'postrider' },
    },
    // The next query reports the error of an idle connection.
    () => {},
  )
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}
