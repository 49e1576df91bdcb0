// Signed tokens with an expiry and a MAC, which need no row in the store, so strangers may request any number of
// tokens.

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const NONCE_BYTES = 16
/** Length of the expiry in a token: milliseconds since the epoch as 48 bits. */
const EXPIRY_BYTES = 6
const MAC_BYTES = 16
const TOKEN_BYTES = NONCE_BYTES + EXPIRY_BYTES + MAC_BYTES

/** Makes and reads tokens with a key derived from the secret of the installation (RFC 5869). */
export class SignedTokens {
  readonly #key: Buffer

  /** @param purpose purpose of the tokens; a token of one purpose is invalid for another purpose */
  constructor(secret: string, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', `postrider token ${purpose}`, 32))
  }

  /** Returns a new token of 38 bytes for `subject`; `expiresAt` is in milliseconds since the epoch. */
  make(subject: string, expiresAt: number): Buffer {
    const head = Buffer.alloc(NONCE_BYTES + EXPIRY_BYTES)
    randomBytes(NONCE_BYTES).copy(head)
    head.writeUIntBE(expiresAt, NONCE_BYTES, EXPIRY_BYTES)
    return Buffer.concat([head, this.#mac(head, subject)])
  }

  /** Returns the nonce and the expiry of a genuine, unexpired token for `subject`; otherwise undefined. */
  read(
    token: Buffer,
    subject: string,
    now: number,
  ): { readonly id: string; readonly expiresAt: number } | undefined {
    if (token.length !== TOKEN_BYTES) return undefined
    const head = token.subarray(0, NONCE_BYTES + EXPIRY_BYTES)
    if (!timingSafeEqual(token.subarray(head.length), this.#mac(head, subject))) return undefined
    const expiresAt = head.readUIntBE(NONCE_BYTES, EXPIRY_BYTES)
    return expiresAt > now ? { id: head.toString('hex', 0, NONCE_BYTES), expiresAt } : undefined
  }

  /** True if `text` is the base64url form of a genuine, unexpired token for `subject`. */
  isGood(text: string, subject: string, now: number): boolean {
    const token = Buffer.from(text, 'base64url')
    // Only the canonical base64url spelling of a token is valid.
    return token.toString('base64url') === text && this.read(token, subject, now) !== undefined
  }

  #mac(head: Buffer, subject: string): Buffer {
    return createHmac('sha256', this.#key).update(head).update(subject).digest().subarray(0, MAC_BYTES)
  }
}
