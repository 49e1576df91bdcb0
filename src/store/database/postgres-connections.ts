// Numbers of connections from a node to PostgreSQL.

/**
 * Concurrent commits. Accepting has one: messages that arrive meanwhile make the next commit larger, and the server's
 * cost per message falls with the size of a transaction. Ends of attempts have two, so that one can pass a commit that
 * waits for locked rows.
 */
export const COMMITS = { accepting: 1, ending: 2, other: 1 } as const
/**
 * Connections for searches, lists and the work of the node, and for urgent reads: access, readiness, polls of the
 * queue.
 */
export const READS = { searching: 8, urgent: 2 } as const
/**
 * Connections that reads of accounts may use: two stay with the node, and half of the others are for accounts that do
 * not read much.
 */
export const READ_PLACES = { all: 6, heavy: 3, each: 3, eachHeavy: 2 } as const

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** Connections that write. */
export const WRITING = sum(COMMITS)
/** All connections of a node; one more is open while the node makes or drops partitions. */
export const CONNECTIONS = WRITING + sum(READS)
