// Positions of the feed by time.

/** Positions in a millisecond; more events than that take those of the next ones. */
export const POSITIONS_PER_MS = 1_024

/** A position with all events of a time and later behind it, and perhaps a few earlier ones; for following from a time on. */
export const positionAt = (at: number): number => Math.max(0, at) * POSITIONS_PER_MS - 1
