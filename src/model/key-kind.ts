// Kinds of keys, and of the SMTP credentials that the store keeps with the keys.

/**
 * - `sending`: sends and reads mail of one domain.
 * - `verification`: verifies addresses for the account.
 * - `smtp`: an SMTP credential of one domain.
 * - `management`: manages the account within its scopes and domains.
 */
export type KeyKind = 'sending' | 'verification' | 'smtp' | 'management'

/** Maker of the keys that the operator creates for an account. */
export const BY_OPERATOR = 'operator'

/** Maker of the keys that are created on the command line. */
export const BY_COMMAND_LINE = 'command_line'
