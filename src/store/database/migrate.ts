// Brings the tables to the newest numbered migration.

import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { DialectName, Read } from './dialect.ts'
import { up as initial } from './migrations/0001-initial.ts'

/** Changes the tables of either database. */
type Step = (db: Kysely<unknown>, dialect: DialectName) => Promise<void>

/** All migrations in the order of their numbers, in which they run. */
export const MIGRATIONS: Record<string, Step> = {
  '0001-initial': initial,
}

/** Names of all migrations of this program. */
export const knownMigrations = (): readonly string[] => Object.keys(MIGRATIONS)

/**
 * Runs the migrations that have not run yet, in one transaction, and answers their names.
 * Throws when one fails, or the store has run some that this program does not know; then nothing has changed.
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
    // Two that were made side by side depend on neither's being first.
    allowUnorderedMigrations: true,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/** SQLSTATE of a table that there is not, and the words of SQLite for it. */
const NO_TABLE = '42P01'
const NO_TABLE_WORDS = /^no such table/

/**
 * Answers the names of the migrations that a store has run; undefined when it has no tables yet. Whether there is the
 * table is seen by asking it: to look at all tables takes longer than all else of opening a store.
 */
export async function migrationsRun(db: Read): Promise<readonly string[] | undefined> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
    return rows.length === 0 ? undefined : rows.map(({ name }) => name)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    // Any other failure tells nothing of what is there.
    if (code === NO_TABLE || NO_TABLE_WORDS.test(message)) return undefined
    throw error
  }
}
