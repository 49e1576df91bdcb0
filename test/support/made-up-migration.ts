// A migration of a version to come: while it is known, every store is of an older version.

import type { Kysely } from 'kysely'
import { MIGRATIONS } from '../../src/store/database/migrate.ts'

/** Its name. */
export const MADE_UP = '9999-made-up'

/**
 * Has this process know one more migration; returns what ends that. The thread that migrates on SQLite does not know it: a
 * store runs it on PostgreSQL alone.
 */
export function knowMadeUp(up: (db: Kysely<unknown>) => Promise<void> = async () => {}): () => void {
  MIGRATIONS[MADE_UP] = up
  return () => void Reflect.deleteProperty(MIGRATIONS, MADE_UP)
}
