// Numbers of connections from a node to PostgreSQL.

/**
 * Maximum numbers of concurrent commits by commit line. The line `accepting` has one commit: messages that arrive
 * during this commit make the next commit larger, and the server's cost per message falls with the size of a
 * transaction. The line `ending` has two commits, so that one commit can overtake a commit that waits for locked rows.
 */
export const COMMITS = { accepting: 1, ending: 2, other: 1 } as const
/**
 * Numbers of connections for reading: `searching` for searches, lists and the work of the node; `urgent` for access
 * checks, readiness checks and polls of the queue.
 */
export const READS = { searching: 8, urgent: 2 } as const
/**
 * Maximum numbers of connections for reads of accounts: two connections remain for the node, and half of the other
 * connections are reserved for accounts that read little.
 */
export const READ_PLACES = { all: 6, heavy: 3, each: 3, eachHeavy: 1 } as const

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** Connections that write. */
export const WRITING = sum(COMMITS)
/**
 * Number of all connections of a node; one additional connection is open while the node creates or drops partitions.
 */
export const CONNECTIONS = WRITING + sum(READS)
