// Interface of both databases to the store: reading, and one commit for all that has gathered.

import type { Read } from './dialect.ts'
import type { CommitLine, Group, ItemResult } from './group-commit.ts'

/** An open database whose tables are up to date. */
export interface OpenDatabase {
  readonly read: Read
  /** The migrations that opening has run. */
  readonly migrated: readonly string[]
  /** Commits that may be under way at once, by line; what has no line of its own here goes by `other`. */
  readonly commitsAtOnce: Readonly<Partial<Record<CommitLine, number>>> & { readonly other: number }
  commit(groups: readonly Group[]): Promise<ItemResult[][]>
  close(): Promise<void>
}
