// The Idempotency-Key of a request.

import { Problem } from '../../model/problem.ts'

/** Reads the header. Throws `malformed_request` for what is no key. */
export function readIdempotencyKey(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)) return value
  throw new Problem('malformed_request', 'An Idempotency-Key has 1 to 255 printable ASCII characters.', {
    errors: [
      { path: 'Idempotency-Key', code: 'invalid_key', message: 'Use 1 to 255 printable ASCII characters.' },
    ],
  })
}
