// Makes text legal in a header: replaces line breaks, control characters and lone surrogates.

/** C0 (except tab), DEL, C1, and the separators U+2028 and U+2029, which some mail clients treat as line breaks. */
const ILLEGAL = /[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]/
const ILLEGAL_RUN = /\r\n|[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]/g

/**
 * Replaces each CRLF and each control character except tab by a space, and each lone surrogate by U+FFFD. Validation
 * refuses control characters earlier; this function is the last guard against header injection.
 */
export function legalText(text: string): string {
  const whole = text.toWellFormed()
  return ILLEGAL.test(whole) ? whole.replace(ILLEGAL_RUN, ' ') : whole
}

const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/

/**
 * True if the text can be in a header unencoded: printable ASCII, no space at either end, and no `=?`, which a mail
 * client might decode as an encoded-word (RFC 2047 §2).
 */
export function isPlain(text: string): boolean {
  return PRINTABLE.test(text) && !text.includes('=?')
}

/** Converts a field to one character per byte of UTF-8, as `HeaderField.raw` requires; ASCII stays unchanged. */
export function asBytes(field: string): string {
  return /[^\0-\x7f]/.test(field) ? Buffer.from(field, 'utf8').toString('latin1') : field
}
