// Expiring links to a message or to the DNS records of a domain, for people without a login.

import type { Clock } from '../lib/clock.ts'
import { findRevocation, revokeLinks } from '../store/access/link-revocations.ts'
import type { Store } from '../store/database/store.ts'
import { SignedTokens } from './signed-tokens.ts'

const HOUR_MS = 3_600_000
/** Lifetimes of a link to a message, in hours. */
export const LINK_HOURS = [1, 24, 168] as const
/** Lifetime of a link to DNS records, in hours; long enough for another department to process a ticket. */
export const RECORD_LINK_HOURS = 14 * 24
/** Maximum lifetime of any link, by the clock of the node that created the link. */
const MAX_LIFETIME_MS = (RECORD_LINK_HOURS + 24) * HOUR_MS

export interface SharedLinksOptions {
  /** Secret of the installation. */
  readonly secret: string
  /** Purpose of the links; a link of one purpose is invalid for another purpose. */
  readonly purpose: 'message link' | 'records of a domain'
  readonly store: Store
  readonly clock: Clock
}

/**
 * Makes, reads and revokes links that need no login. A link gives access to one subject, identified by its ID. Links
 * are not stored: a token contains its expiry and the last revocation before the token was made, and the store contains
 * the last revocation of each subject. The time at which a link was made is therefore never compared with the time of a
 * revocation, so clocks of nodes may differ.
 */
export class SharedLinks {
  readonly #tokens: SignedTokens
  readonly #store: Store
  readonly #clock: Clock

  constructor({ secret, purpose, store, clock }: SharedLinksOptions) {
    this.#tokens = new SignedTokens(secret, purpose)
    this.#store = store
    this.#clock = clock
  }

  /** Returns a token with its expiry in milliseconds since the epoch. Throws `unavailable`. */
  async make(
    subject: string,
    hours: number,
  ): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const revokedAt = await findRevocation(this.#store.read, subject)
    const expiresAt = this.#clock.now() + hours * HOUR_MS
    const generation = ((revokedAt ?? 0) + 1).toString(36)
    const token = this.#tokens.make(`${subject} ${generation}`, expiresAt).toString('base64url')
    return { token: `${generation}~${token}`, expiresAt }
  }

  /**
   * Returns the expiry of a token for this subject; undefined if the token is forged, expired or revoked. Reads the
   * store only for genuine tokens.
   */
  async read(subject: string, token: string): Promise<{ readonly expiresAt: number } | undefined> {
    const [generation = '', text = '', ...more] = token.split('~')
    const bytes = Buffer.from(text, 'base64url')
    // Only the canonical base64url spelling of a token is valid.
    if (more.length > 0 || bytes.toString('base64url') !== text) return undefined
    const read = this.#tokens.read(bytes, `${subject} ${generation}`, this.#clock.now())
    if (read === undefined) return undefined
    const revokedAt = await findRevocation(this.#store.read, subject)
    return revokedAt === undefined || Number.parseInt(generation, 36) > revokedAt ? read : undefined
  }

  /** Revokes all existing links to a subject. */
  async revoke(subject: string): Promise<void> {
    const now = this.#clock.now()
    await this.#store.write(revokeLinks, { subject, now, expired: now - MAX_LIFETIME_MS })
  }
}
