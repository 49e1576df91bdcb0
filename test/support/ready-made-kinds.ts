// Kinds of ready-made stores, and the locations of these stores.

export type DatabaseName = 'sqlite' | 'postgres'

/**
 * Kinds of stores that are created once; `tables` is empty except for the certificate that a node creates at its first
 * start.
 */
export type ReadyMade = 'tables' | 'playground'

/** Location of a store that tests copy: its data directory, and the name of its database on PostgreSQL. */
export interface Original {
  readonly dataDir: string
  readonly database?: string
}

export type Originals = Readonly<Record<ReadyMade, Readonly<Record<DatabaseName, Original>>>>
