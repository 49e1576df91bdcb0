// Links that need no login and expire, for a person who has none: to a message, or to the DNS records of a domain.

import type { Clock } from '../lib/clock.ts'
import { findRevocation, revokeLinks } from '../store/access/link-revocations.ts'
import type { Store } from '../store/database/store.ts'
import { SignedTokens } from './signed-tokens.ts'

const HOUR_MS = 3_600_000
/** Lifetimes of a link to a message, in hours. */
export const LINK_HOURS = [1, 24, 168] as const
/** Lifetime of a link to DNS records, in hours: long enough for a ticket at another department. */
export const RECORD_LINK_HOURS = 14 * 24
/** No link lives longer, by the clock of whichever node made it. */
const MAX_LIFETIME_MS = (RECORD_LINK_HOURS + 24) * HOUR_MS

export interface SharedLinksOptions {
  /** The installation's. */
  readonly secret: string
  /** What its links show: those of one purpose are worth nothing for another. */
  readonly purpose: 'message link' | 'records of a domain'
  readonly store: Store
  readonly clock: Clock
}

/**
 * Makes, reads and revokes links. A link is for one subject, named by its ID. None is stored: its token carries when it
 * expires and the revocation that it came after, and a subject whose links were revoked has its last revocation. What one
 * clock says of a link is not compared with what another one says of a revocation.
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

  /** A token, and when it expires, in milliseconds since the epoch. Throws `unavailable`. */
  async make(
    subject: string,
    hours: number,
  ): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const revokedAt = await findRevocation(this.#store.read, subject)
    const expiresAt = this.#clock.now() + hours * HOUR_MS
    const behind = ((revokedAt ?? 0) + 1).toString(36)
    const token = this.#tokens.make(`${subject} ${behind}`, expiresAt).toString('base64url')
    return { token: `${behind}~${token}`, expiresAt }
  }

  /**
   * Reads a token that was made here for this subject, has not expired and was not revoked; else undefined. The store is asked for
   * none that was not made here.
   */
  async read(subject: string, token: string): Promise<{ readonly expiresAt: number } | undefined> {
    const [behind = '', text = '', ...more] = token.split('~')
    const octets = Buffer.from(text, 'base64url')
    // One spelling of each token: another one with the same bytes is as wrong as any.
    if (more.length > 0 || octets.toString('base64url') !== text) return undefined
    const read = this.#tokens.read(octets, `${subject} ${behind}`, this.#clock.now())
    if (read === undefined) return undefined
    const revokedAt = await findRevocation(this.#store.read, subject)
    return revokedAt === undefined || Number.parseInt(behind, 36) > revokedAt ? read : undefined
  }

  /** Revokes all links to a subject that were made until now. */
  async revoke(subject: string): Promise<void> {
    const now = this.#clock.now()
    await this.#store.write(revokeLinks, { subject, now, expired: now - MAX_LIFETIME_MS })
  }
}
