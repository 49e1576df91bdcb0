// Conversion of times to positions of the feed.

/** Number of positions in a millisecond; further events use the positions of the next milliseconds. */
export const POSITIONS_PER_MS = 1_024

/**
 * Returns a position after which are all events of a time and later, and perhaps a few earlier ones; for following from
 * a time on.
 */
export const positionAt = (at: number): number => Math.max(0, at) * POSITIONS_PER_MS - 1
