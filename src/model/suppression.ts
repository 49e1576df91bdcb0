// A suppression: an address that a stream of a domain sends nothing more to, and why.

/** Why an address is suppressed (contract §4). */
export const SUPPRESSION_REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]
