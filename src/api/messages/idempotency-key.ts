// Reads the Idempotency-Key of a request.

import { parseIdempotencyKey } from '../../model/idempotency-key.ts'
import { Problem } from '../../model/problem.ts'

/** Returns the Idempotency-Key of a header value. Throws `malformed_request` for an invalid key. */
export function readIdempotencyKey(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined
  const key = typeof value === 'string' ? parseIdempotencyKey(value) : undefined
  if (key !== undefined) return key
  throw new Problem('malformed_request', 'An Idempotency-Key has 1 to 255 printable ASCII characters.', {
    errors: [
      { path: 'Idempotency-Key', code: 'invalid_key', message: 'Use 1 to 255 printable ASCII characters.' },
    ],
  })
}
