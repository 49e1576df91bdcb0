// Interface of both databases to the store: reading, and one commit for all that has gathered.

import type { Kysely } from 'kysely'
import type { Read } from './dialect.ts'
import type { CommitLine, Group, ItemResult } from './group-commit.ts'
import type { Tables } from './schema.ts'

/**
 * Runs work that takes as long as it takes, on a connection of its own without limits of time. Rejects as soon as
 * `stopping` is aborted; the statement under way may end by itself then.
 */
export type Unlimited = <T>(work: (db: Kysely<Tables>) => Promise<T>, stopping: AbortSignal) => Promise<T>

/** An open database whose tables are up to date. */
export interface OpenDatabase {
  readonly read: Read
  /** The same, which no search of an account keeps waiting. */
  readonly urgentRead: Read
  /** The migrations that opening has run. */
  readonly migrated: readonly string[]
  /** Commits that may be under way at once, by line; what has no line of its own here goes by `other`. */
  readonly commitsAtOnce: Readonly<Partial<Record<CommitLine, number>>> & { readonly other: number }
  commit(groups: readonly Group[]): Promise<ItemResult[][]>
  /** See `Store.dataVersion`; SQLite has it alone. */
  dataVersion?(): number | undefined
  /** PostgreSQL has it alone: SQLite has one writer. */
  readonly unlimited?: Unlimited
  /** See `Store.giveUp`. */
  giveUp?(): void
  close(): Promise<void>
}
