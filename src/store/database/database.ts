// Interface between the store and either database: reading, and committing all collected writes together.

import type { Kysely } from 'kysely'
import type { Read } from './dialect.ts'
import type { CommitLine, Group, ItemResult } from './group-commit.ts'
import type { Tables } from './schema.ts'

/**
 * Runs work on a separate connection without time limits. Rejects as soon as `stopping` is aborted; the statement in
 * progress may end later.
 */
export type Unlimited = <T>(work: (db: Kysely<Tables>) => Promise<T>, stopping: AbortSignal) => Promise<T>

/** An open database whose tables are up to date. */
export interface OpenDatabase {
  readonly read: Read
  /** Database handle like `read`, whose queries do not wait for searches of accounts. */
  readonly urgentRead: Read
  /** Names of the migrations that ran when the database was opened. */
  readonly migrated: readonly string[]
  /**
   * Maximum number of concurrent commits of each commit line; a write whose line is missing here uses the line `other`.
   */
  readonly commitsAtOnce: Readonly<Partial<Record<CommitLine, number>>> & { readonly other: number }
  commit(groups: readonly Group[]): Promise<ItemResult[][]>
  /** Data version of SQLite; see `Store.dataVersion`. */
  dataVersion?(): number | undefined
  /** Runs work without time limits; undefined for SQLite, which has a single writer. */
  readonly unlimited?: Unlimited
  /** See `Store.giveUp`. */
  giveUp?(): void
  close(): Promise<void>
}
