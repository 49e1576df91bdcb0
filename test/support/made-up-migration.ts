// A migration of a future version: while it is known, every store counts as older.

import type { Kysely } from 'kysely'
import { MIGRATIONS } from '../../src/store/database/migrate.ts'

/** Name of the migration. */
export const MADE_UP = '9999-made-up'

/**
 * Makes this process know one more migration; returns a function that ends this. The migration thread of SQLite does
 * not know it, so only a store on PostgreSQL runs it.
 */
export function knowMadeUp(up: (db: Kysely<unknown>) => Promise<void> = async () => {}): () => void {
  MIGRATIONS[MADE_UP] = up
  return () => void Reflect.deleteProperty(MIGRATIONS, MADE_UP)
}
