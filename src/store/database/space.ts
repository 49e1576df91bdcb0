// Returns free pages at the end of an embedded database to the file system.

import { sql } from 'kysely'
import { type Database, isPostgres, type Read } from './dialect.ts'

/** Fraction of the pages that stay free for later writes. */
const KEPT_FREE = 0.05

/**
 * Moves up to `pages` pages from the end of the file to free places, truncates the file, and returns how many more
 * pages can be released. Does nothing in PostgreSQL, whose autovacuum releases pages, and in an SQLite database without
 * `auto_vacuum` (restored from a dump), which only reuses free pages.
 */
export async function releaseSpace(
  db: Database,
  items: readonly { readonly pages: number }[],
): Promise<number[]> {
  const left: number[] = []
  for (const { pages } of items) left.push(isPostgres(db) ? 0 : await releasePages(db, pages))
  return left
}
releaseSpace.unaudited = true

async function releasePages(db: Database, pages: number): Promise<number> {
  if ((await pragma(db, 'auto_vacuum')) !== 2) return 0
  const surplus = await surplusPages(db)
  if (surplus <= 0) return 0
  await sql`pragma incremental_vacuum(${sql.lit(Math.min(pages, surplus))})`.execute(db)
  return Math.max(0, await surplusPages(db))
}

async function surplusPages(db: Database): Promise<number> {
  return (await pragma(db, 'freelist_count')) - Math.ceil(KEPT_FREE * (await pragma(db, 'page_count')))
}

async function pragma(db: Database, name: string): Promise<number> {
  const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(db)
  return Number(rows[0]?.[name] ?? 0)
}

/**
 * Copies the write-ahead log of an embedded database into the database and empties the log file, so that no earlier
 * state of a page remains in the log. Waits up to ten seconds for readers and writers.
 */
export async function overwriteLog(read: Read): Promise<void> {
  if (!isPostgres(read)) await sql`pragma wal_checkpoint(truncate)`.execute(read)
}
