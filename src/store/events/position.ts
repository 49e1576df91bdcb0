// Conversion of times to positions of the feed.

/**
 * Number of feed positions in a millisecond; further events of the same millisecond use positions of the next
 * milliseconds.
 */
export const POSITIONS_PER_MS = 1_024

/**
 * Returns a position that all events of the given time or later follow, so that a follower can start there; a few
 * earlier events may also follow this position.
 */
export const positionAt = (at: number): number => Math.max(0, at) * POSITIONS_PER_MS - 1
