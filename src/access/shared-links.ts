// Links that need no login and expire, for people without one: to a message, or to the DNS records of a domain.

import type { Clock } from '../lib/clock.ts'
import { findRevocation, revokeLinks } from '../store/access/link-revocations.ts'
import type { Store } from '../store/database/store.ts'
import { SignedTokens } from './signed-tokens.ts'

const HOUR_MS = 3_600_000
/** Lifetimes of a link to a message, in hours. */
export const LINK_HOURS = [1, 24, 168] as const
/** Lifetime of a link to DNS records, in hours: long enough for a ticket at another department. */
export const RECORD_LINK_HOURS = 14 * 24
/** Maximum lifetime of any link, by the clock of the node that made it. */
const MAX_LIFETIME_MS = (RECORD_LINK_HOURS + 24) * HOUR_MS

export interface SharedLinksOptions {
  /** Secret of the installation. */
  readonly secret: string
  /** Purpose of the links; a link of one purpose is invalid for another. */
  readonly purpose: 'message link' | 'records of a domain'
  readonly store: Store
  readonly clock: Clock
}

/**
 * Makes, reads and revokes links. A link is for one subject, named by its ID. Links are not stored: the token carries
 * its expiry and the last revocation before it, and a subject stores its last revocation. The clock of a link is
 * therefore never compared with the clock of a revocation.
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

  /** Returns a token and its expiry, in milliseconds since the epoch. Throws `unavailable`. */
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
   * Reads a token of this subject; undefined if it is forged, expired or revoked. Reads the store only for genuine
   * tokens.
   */
  async read(subject: string, token: string): Promise<{ readonly expiresAt: number } | undefined> {
    const [generation = '', text = '', ...more] = token.split('~')
    const bytes = Buffer.from(text, 'base64url')
    // Each token has one spelling: another spelling of the same bytes is invalid.
    if (more.length > 0 || bytes.toString('base64url') !== text) return undefined
    const read = this.#tokens.read(bytes, `${subject} ${generation}`, this.#clock.now())
    if (read === undefined) return undefined
    const revokedAt = await findRevocation(this.#store.read, subject)
    return revokedAt === undefined || Number.parseInt(generation, 36) > revokedAt ? read : undefined
  }

  /** Revokes all links to a subject that were made until now. */
  async revoke(subject: string): Promise<void> {
    const now = this.#clock.now()
    await this.#store.write(revokeLinks, { subject, now, expired: now - MAX_LIFETIME_MS })
  }
}
