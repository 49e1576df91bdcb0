// Signatures of Standard Webhooks (standardwebhooks.com, version 1), which cover the ID, timestamp and body of a
// request.

import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { SigningKeys } from './signing-keys.ts'

/**
 * Returns the header fields with which a receiver detects forged and repeated requests: one signature of each kind for
 * each valid generation of keys.
 *
 * @param id ID of the request, the same for every attempt
 * @param at time of the attempt in milliseconds since the epoch
 */
export async function standardHeaders(
  keys: readonly SigningKeys[],
  id: string,
  at: number,
  body: string,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000))
  const signed = Buffer.from(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(
    keys.flatMap(({ hmac, ed25519 }) => [
      `v1,${createHmac('sha256', hmac).update(signed).digest('base64')}`,
      signLater(signed, ed25519).then((signature) => `v1a,${signature.toString('base64')}`),
    ]),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** Signs in a thread, since an Ed25519 signature takes as long as all other work for a request. */
const signLater = (signed: Buffer, key: KeyObject): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    sign(null, signed, key, (error, signature) => (error === null ? resolve(signature) : reject(error)))
  })
