// Reads from the settings of PostgreSQL whether a commit survives a crash of its machine.

import { sql } from 'kysely'
import { isPostgres, type Read } from './dialect.ts'

/** Settings of PostgreSQL that protect against a power cut; each property is true when its setting is off. */
export interface Durability {
  /** True when commits may be lost and the database may be damaged. */
  readonly isUnsynced: boolean
  /** True when a half-written page is not repaired, unless the file system writes pages atomically. */
  readonly isTorn: boolean
}

/** Reads the settings. Undefined for the embedded database, which is made durable when it is opened. */
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
