// Kinds of keys, and of the SMTP credentials that the store keeps with the keys.

/**
 * - `sending`: sends and reads mail of one domain.
 * - `verification`: verifies addresses for the account.
 * - `smtp`: an SMTP credential of one domain.
 * - `public`: verifies single addresses from the web pages that it lists; anybody may read it there.
 * - `management`: manages the account within its scopes and domains.
 */
export type KeyKind = 'sending' | 'verification' | 'smtp' | 'public' | 'management'

/** True for a key that belongs to no domain and sends no mail. */
export const isOfVerification = (kind: KeyKind): boolean => kind === 'verification' || kind === 'public'

/** Maker of the keys that the operator creates for an account. */
export const BY_OPERATOR = 'operator'

/** Maker of the keys, and author of the templates, that the command line of the machine creates. */
export const BY_COMMAND_LINE = 'command_line'

/** Name of the command line of the machine as an actor in the audit log. */
export const COMMAND_LINE = 'the command line'
