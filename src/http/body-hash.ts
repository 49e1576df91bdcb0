// Calculates the hash that distinguishes a repeated request from another request with the same Idempotency-Key.

import type { Hash, Hmac } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE = 1024 * 1024

/**
 * Returns the hash of a body in hexadecimal, and splits the hashing of a long body over several turns of the event
 * loop.
 */
export async function hashOfBody(hash: Hash | Hmac, body: string | Buffer): Promise<string> {
  for (let from = 0; from < body.length; from += SLICE) {
    if (from > 0) await nextTurn()
    hash.update(body.slice(from, from + SLICE))
  }
  return hash.digest('hex')
}
