// Reads from the settings of PostgreSQL whether commits survive a crash of the database server's machine.

import { sql } from 'kysely'
import { isPostgres, type Read } from './dialect.ts'

/**
 * PostgreSQL settings that protect against a power failure; each property is true if the corresponding setting is off.
 */
export interface Durability {
  /** True if a power failure may lose commits and damage the database. */
  readonly isUnsynced: boolean
  /**
   * True if half-written pages are not repaired after a crash; this is harmless only if the file system writes pages
   * atomically.
   */
  readonly isTorn: boolean
}

/**
 * Reads the durability settings of PostgreSQL; returns undefined for the embedded database, which is always opened
 * durably.
 */
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
  'full_page_writes is off in PostgreSQL: a power cut may damage the database, unless the file system writes pages atomically'
export const TORN_REMEDY = 'Set full_page_writes = on in postgresql.conf, unless the data is on ZFS.'
