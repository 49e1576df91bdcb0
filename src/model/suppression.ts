// Suppressions: addresses to which a stream of a domain sends no more mail, and the reason.

/** Reasons for a suppression. */
export const SUPPRESSION_REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** Origin of a suppression: the recipient or the recipient's mail host, or a list of the customer. */
export const SUPPRESSION_ORIGINS = ['recipient', 'customer'] as const
export type SuppressionOrigin = (typeof SUPPRESSION_ORIGINS)[number]

/** Name that stands for all streams of a domain, including future streams. */
export const WHOLE_DOMAIN = '*'

/** Maximum number of addresses that are added or removed at once. */
export const MAX_SUPPRESSIONS = 100_000
