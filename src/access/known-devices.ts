// Devices that have logged in before: guesses of strangers elsewhere do not lock their users out.

import type { Clock } from '../lib/clock.ts'
import { loginAddress } from './accounts.ts'
import { SignedTokens } from './signed-tokens.ts'

/** Time for which a device is known after its last login, in milliseconds. */
export const KNOWN_MS = 180 * 86_400_000

/** Gives devices a token at each login. The token is only a hint and logs no user in. */
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

  /** Returns a name for the device if this user has logged in from it; undefined for any other token, or none. */
  idOf(token: string | undefined, email: string): string | undefined {
    if (token === undefined) return undefined
    return this.#tokens.read(Buffer.from(token, 'base64url'), loginAddress(email), this.#clock.now())?.id
  }
}
