// Links to the raw form and to the files of an inbound message, which expire and need no key.

import { SignedTokens } from '../access/signed-tokens.ts'
import type { Clock } from '../lib/clock.ts'
import type { PublicUrl } from '../lib/public-url.ts'

/** `raw`, or the number of a file from 0. */
export type InboundPart = 'raw' | number

/** Lifetime of a link in an API answer, and of one in an event, which is as long as webhooks are retried. */
export const API_LINK_MS = 3_600_000
export const EVENT_LINK_MS = 4 * 86_400_000

/** Creates and checks links; each link is for one part of one message. */
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

  /** True for a token of this installation for this part that has not expired. */
  isGood(id: string, part: InboundPart, token: string): boolean {
    return this.#tokens.isGood(token, `${id} ${part}`, this.#clock.now())
  }
}
