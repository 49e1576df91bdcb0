// Kinds of ready-made stores, and their places.

export type DatabaseName = 'sqlite' | 'postgres'

/** Kinds of stores that are made once: `tables` is empty except for the certificate that a node makes by itself. */
export type ReadyMade = 'tables' | 'playground'

/** Place of a store to copy: its data directory, and on PostgreSQL the name of its database. */
export interface Original {
  readonly dataDir: string
  readonly database?: string
}

export type Originals = Readonly<Record<ReadyMade, Readonly<Record<DatabaseName, Original>>>>
