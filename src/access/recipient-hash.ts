// The keyed hash under which the request log keeps the recipients of refused requests.

import { createHmac, hkdfSync } from 'node:crypto'
import { inAnyCase, isAddress, parseAddress } from '../model/address.ts'

/** Returns the hash of an address for an account; equal addresses of two accounts have different hashes. */
export type HashRecipient = (accountId: string, email: string) => string

/** Number of characters of a hash; 22 characters in base64url contain 132 bits. */
const HASH_LENGTH = 22

/**
 * Returns a function that hashes addresses, case-insensitive, with a key derived from the secret of the installation
 * (RFC 5869): without the secret, nobody can test whether a stored hash belongs to a known address. A text that is not
 * an address has a hash as well, since such a text may be the reason for a refusal.
 */
export function recipientHasher(secret: string): HashRecipient {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'postrider refused recipients', 32))
  return (accountId, text) => {
    const address = parseAddress(text.trim())
    const email = inAnyCase(isAddress(address) ? address.email : text.trim())
    return createHmac('sha256', key).update(`${accountId} ${email}`).digest('base64url').slice(0, HASH_LENGTH)
  }
}
