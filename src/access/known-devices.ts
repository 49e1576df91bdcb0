// Recognizes devices that have logged in before, so that password guessing from other devices does not lock users out.

import type { Clock } from '../lib/clock.ts'
import { loginAddress } from './accounts.ts'
import { SignedTokens } from './signed-tokens.ts'

/** Time for which a device is known after its last login, in milliseconds. */
export const KNOWN_MS = 180 * 86_400_000

/** Issues a token to a device at each login. The token of a device is only a hint and authenticates no user. */
export class KnownDevices {
  readonly #tokens: SignedTokens
  readonly #clock: Clock

  /** @param secret secret of the installation */
  constructor(secret: string, clock: Clock) {
    this.#tokens = new SignedTokens(secret, 'known device')
    this.#clock = clock
  }

  /** Returns a token for the device that this user has logged in from. */
  tokenFor(email: string): string {
    return this.#tokens.make(loginAddress(email), this.#clock.now() + KNOWN_MS).toString('base64url')
  }

  /** Returns the ID of a device whose token shows that this user has logged in from the device; otherwise undefined. */
  idOf(token: string | undefined, email: string): string | undefined {
    if (token === undefined) return undefined
    return this.#tokens.read(Buffer.from(token, 'base64url'), loginAddress(email), this.#clock.now())?.id
  }
}
