// Reads the size of the store.

import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Read } from './dialect.ts'
import { databaseFile } from './store.ts'

/** Returns the size in bytes of SQLite's files, or of the PostgreSQL database with its indexes. */
export async function storeBytes(
  read: Read,
  { dataDir, databaseUrl }: { readonly dataDir: string; readonly databaseUrl: string | undefined },
): Promise<number> {
  if (databaseUrl !== undefined) {
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database())::float8 as bytes`.execute(read)
    return rows[0]?.bytes ?? 0
  }
  const file = databaseFile(dataDir)
  const sizes = await Promise.all([file, `${file}-wal`].map((one) => stat(one).catch(() => undefined)))
  return sizes.reduce((sum, one) => sum + (one?.size ?? 0), 0)
}
