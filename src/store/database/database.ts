// Interface between the store and either database: reading, and one commit for all writes that have gathered.

import type { Kysely } from 'kysely'
import type { Read } from './dialect.ts'
import type { CommitLine, Group, ItemResult } from './group-commit.ts'
import type { Tables } from './schema.ts'

/**
 * Runs work on a connection of its own without time limits. Rejects as soon as `stopping` is aborted; the statement
 * under way may end later.
 */
export type Unlimited = <T>(work: (db: Kysely<Tables>) => Promise<T>, stopping: AbortSignal) => Promise<T>

/** An open database whose tables are up to date. */
export interface OpenDatabase {
  readonly read: Read
  /** Reads as `read` does, without waiting for searches of accounts. */
  readonly urgentRead: Read
  /** Names of the migrations that ran when the database was opened. */
  readonly migrated: readonly string[]
  /** Maximum number of concurrent commits of each line; a write whose line has no number here uses `other`. */
  readonly commitsAtOnce: Readonly<Partial<Record<CommitLine, number>>> & { readonly other: number }
  commit(groups: readonly Group[]): Promise<ItemResult[][]>
  /** See `Store.dataVersion`; only SQLite has it. */
  dataVersion?(): number | undefined
  /** Only PostgreSQL has it: SQLite has one writer. */
  readonly unlimited?: Unlimited
  /** See `Store.giveUp`. */
  giveUp?(): void
  close(): Promise<void>
}
