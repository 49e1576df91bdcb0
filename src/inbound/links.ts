// Expiring links to the raw form and the attachments of an inbound message, which work without an API key.

import { SignedTokens } from '../access/signed-tokens.ts'
import type { Clock } from '../lib/clock.ts'
import type { PublicUrl } from '../lib/public-url.ts'

/** Part of an inbound message: `raw`, or the number of an attachment, from 0. */
export type InboundPart = 'raw' | number

/**
 * Lifetimes of links in an API response and in an event, in milliseconds; links in an event are valid as long as
 * webhooks are retried.
 */
export const API_LINK_MS = 3_600_000
export const EVENT_LINK_MS = 4 * 86_400_000

/** Creates and verifies links to inbound messages; each link is for one part of one message. */
export class InboundLinks {
  readonly #tokens: SignedTokens
  readonly #publicUrl: PublicUrl
  readonly #clock: Clock

  /** @param secret secret of the installation */
  constructor(secret: string, publicUrl: PublicUrl, clock: Clock) {
    this.#tokens = new SignedTokens(secret, 'inbound message')
    this.#publicUrl = publicUrl
    this.#clock = clock
  }

  /** Returns the time at which links created now expire, in milliseconds since the epoch. */
  expiry(lifetimeMs: number): number {
    return this.#clock.now() + lifetimeMs
  }

  url(id: string, part: InboundPart, expiresAt: number): string {
    const token = this.#tokens.make(`${id} ${part}`, expiresAt).toString('base64url')
    const path = part === 'raw' ? 'raw' : `attachments/${part}`
    return `${this.#publicUrl.value}/i/${id}/${path}?token=${token}`
  }

  /** True if this installation made the token for this part, and the token has not expired. */
  isGood(id: string, part: InboundPart, token: string): boolean {
    return this.#tokens.isGood(token, `${id} ${part}`, this.#clock.now())
  }
}
