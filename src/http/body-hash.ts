// Calculates the hash of a request body. The hash shows whether a second request with the same Idempotency-Key repeats
// the first request.

import type { Hash, Hmac } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE = 1024 * 1024

/** Returns the hash of a body in hexadecimal. Hashes a long body in several turns of the event loop. */
export async function hashOfBody(hash: Hash | Hmac, body: string | Buffer): Promise<string> {
  for (let from = 0; from < body.length; from += SLICE) {
    if (from > 0) await nextTurn()
    hash.update(body.slice(from, from + SLICE))
  }
  return hash.digest('hex')
}
