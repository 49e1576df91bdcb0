// Notices about keys for the owners of an account, and the times and limits of the notices.

/**
 * Kinds of notices. `created`: a management key was created on the command line; `new_network`: a key was used from
 * another network than before; `refused_network`: a key was used from an address outside of its networks; `expiring`: a
 * key ends in a few days; `unused`: a key was not used for a long time.
 */
export type KeyNoticeKind = 'created' | 'new_network' | 'refused_network' | 'expiring' | 'unused'

/**
 * Maximum number of stored networks of a key. The client of a key with more networks moves, as programs of cloud
 * providers do, and a further network is no news.
 */
export const MAX_USED_NETWORKS = 20

/** Number of days after which an unused key is worth a notice. */
export const UNUSED_DAYS = 180

export const DAY_MS = 86_400_000
