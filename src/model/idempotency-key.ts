// Parses the idempotency key, which clients send in a header field to identify a repeated request.

/** A string of a structured field (RFC 9651 §4.2.5): printable ASCII in quotes, with quotes and backslashes escaped. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/**
 * Parses an idempotency key: a structured-field string (`"abc-1"`, draft-ietf-httpapi-idempotency-key-header) or the
 * bare text (`abc-1`), which are the same key. Returns undefined unless the key has 1 to 255 printable ASCII
 * characters.
 */
export function parseIdempotencyKey(value: string): string | undefined {
  const quoted = QUOTED.exec(value.trim())?.[1]
  const key = quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1')
  return /^[\x20-\x7e]{1,255}$/.test(key) ? key : undefined
}
