// Links to one message that need no login and expire, for a person who has none.

import type { Clock } from '../lib/clock.ts'
import { SignedTokens } from './signed-tokens.ts'

/** Lifetimes of a link, in hours. */
export const LINK_HOURS = [1, 24, 168] as const

/** Makes and reads links. A link is for one message; it ends when it expires, or with the message. */
export class MessageLinks {
  readonly #tokens: SignedTokens
  readonly #clock: Clock

  /** @param secret the installation's */
  constructor(secret: string, clock: Clock) {
    this.#tokens = new SignedTokens(secret, 'message link')
    this.#clock = clock
  }

  /** The token of a link that is good for so many hours, and the time at which it expires. */
  make(messageId: string, hours: number): { readonly token: string; readonly expiresAt: number } {
    const expiresAt = this.#clock.now() + hours * 3_600_000
    return { token: this.#tokens.make(messageId, expiresAt).toString('base64url'), expiresAt }
  }

  /** True for a token that was made here for this message and has not expired. */
  isGood(messageId: string, token: string): boolean {
    return this.#tokens.isGood(token, messageId, this.#clock.now())
  }
}
