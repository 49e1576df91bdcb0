// A suppression: an address that a stream of a domain sends nothing more to, and why.

/** Reasons for a suppression (contract §4). */
export const SUPPRESSION_REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** Origins of a suppression: the recipient or its host, or a list of the customer. */
export const SUPPRESSION_ORIGINS = ['recipient', 'customer'] as const
export type SuppressionOrigin = (typeof SUPPRESSION_ORIGINS)[number]

/** In the place of a stream: all streams of the domain, those to come too. */
export const WHOLE_DOMAIN = '*'

/** Addresses that may be added or removed at once. */
export const MAX_SUPPRESSIONS = 100_000
