// Whether a commit survives a crash of the database's machine, as PostgreSQL is set up.

import { sql } from 'kysely'
import { isPostgres, type Read } from './dialect.ts'

/** Settings of PostgreSQL that a power cut makes pay; each of them is true where it is off. */
export interface Durability {
  /** Commits may be lost, and the database be damaged. */
  readonly isUnsynced: boolean
  /** A page that was half written is not repaired, unless the file system writes pages whole. */
  readonly isTorn: boolean
}

/** Undefined for the embedded database, which has been made durable when it was opened. */
export async function readDurability(read: Read): Promise<Durability | undefined> {
  if (!isPostgres(read)) return undefined
  const { rows } = await sql<{ isUnsynced: boolean; isTorn: boolean }>`
    select current_setting('fsync') = 'off' as "isUnsynced",
      current_setting('full_page_writes') = 'off' as "isTorn"`.execute(read)
  return rows[0]
}

export const UNSYNCED =
  'fsync is off in PostgreSQL: a power cut loses mail that was accepted, and may damage the database'
export const UNSYNCED_REMEDY = 'Set fsync = on in postgresql.conf and reload it.'
export const TORN =
  'full_page_writes is off in PostgreSQL: a power cut may damage the database, unless its file system writes pages whole'
export const TORN_REMEDY = 'Set full_page_writes = on in postgresql.conf, unless the data is on ZFS.'
