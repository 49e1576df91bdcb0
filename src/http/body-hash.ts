// The hash by which a repeat of a request is told from another request under the same key.

import type { Hash, Hmac } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE = 1024 * 1024

/** Hashes a body, a long one in turns of the event loop; answers the whole hash in hex. */
export async function hashOfBody(hash: Hash | Hmac, body: string | Buffer): Promise<string> {
  for (let from = 0; from < body.length; from += SLICE) {
    if (from > 0) await nextTurn()
    hash.update(body.slice(from, from + SLICE))
  }
  return hash.digest('hex')
}
