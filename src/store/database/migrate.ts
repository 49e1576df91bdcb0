// Runs the numbered migrations, which update the tables to the current schema.

import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { DialectName, Read } from './dialect.ts'
import { up as initial } from './migrations/0001-initial.ts'

/** A migration step for the tables of either database. */
type Step = (db: Kysely<unknown>, dialect: DialectName) => Promise<void>

/** All migrations by number; the migrations run in this order. */
export const MIGRATIONS: Record<string, Step> = {
  '0001-initial': initial,
}

/** Returns the names of all migrations of this program. */
export const knownMigrations = (): readonly string[] => Object.keys(MIGRATIONS)

/**
 * Runs the pending migrations in one transaction and returns their names. Throws if a migration fails, or if the store
 * has run migrations that this program does not know; the tables are unchanged in both cases.
 */
export async function migrate(db: Kysely<never>, dialect: DialectName): Promise<string[]> {
  const run = new Set(await migrationsRun(db as unknown as Read))
  const known = knownMigrations()
  if (run.size === known.length && known.every((name) => run.has(name))) return []
  const migrations: Record<string, Migration> = {}
  for (const [name, step] of Object.entries(MIGRATIONS)) {
    migrations[name] = { up: (connection) => step(connection, dialect) }
  }
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    // Migrations that were developed in parallel do not depend on their order.
    allowUnorderedMigrations: true,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/** SQLSTATE and SQLite message for a missing table. */
const NO_TABLE = '42P01'
const NO_TABLE_WORDS = /^no such table/

/**
 * Returns the names of the migrations that a store has run; undefined if the store has no tables yet. The query itself
 * shows whether the table of migrations exists, because listing all tables would take longer than all other steps of
 * opening a store.
 */
export async function migrationsRun(db: Read): Promise<readonly string[] | undefined> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
    return rows.length === 0 ? undefined : rows.map(({ name }) => name)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    // Any other error does not mean that the table is missing.
    if (code === NO_TABLE || NO_TABLE_WORDS.test(message)) return undefined
    throw error
  }
}
