// The connections of a node to PostgreSQL.

/**
 * Commits at once. One for accepting: what comes meanwhile makes the next one larger, and what a message costs the server
 * falls with the messages of a transaction. The ends of attempts go round one that waits for rows that others hold.
 */
export const COMMITS = { accepting: 1, ending: 2, other: 1 } as const
/** Connections for searches, lists and the work of the node, and for what nobody may keep waiting: access, readiness, the looks at the queue. */
export const READS = { searching: 8, urgent: 2 } as const
/** Those that accounts have: two are left to the node, and half of the others to accounts that do not read much. */
export const READ_PLACES = { all: 6, heavy: 3, each: 3, eachHeavy: 2 } as const

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** Connections that write. */
export const WRITING = sum(COMMITS)
/** All of a node, but for one more while it makes or drops partitions. */
export const CONNECTIONS = WRITING + sum(READS)
