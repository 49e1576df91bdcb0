// A migration of a future version: every store counts as older while the process knows this migration.

import type { Kysely } from 'kysely'
import { MIGRATIONS } from '../../src/store/database/migrate.ts'

/** Name of the migration. */
export const MADE_UP = '9999-made-up'

/**
 * Adds a migration to the migrations that this process knows; returns a function that removes the migration again. Only
 * a store on PostgreSQL runs the migration, because the migration thread of SQLite does not know it.
 */
export function knowMadeUp(up: (db: Kysely<unknown>) => Promise<void> = async () => {}): () => void {
  MIGRATIONS[MADE_UP] = up
  return () => void Reflect.deleteProperty(MIGRATIONS, MADE_UP)
}
