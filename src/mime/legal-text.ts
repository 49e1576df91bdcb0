// Text that may stand in a header: everything but line breaks, controls and halves of characters.

/** C0 except tab, DEL, C1, and the separators U+2028 and U+2029, which some readers take for line breaks. */
const ILLEGAL = /[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]/
const ILLEGAL_RUN = /\r\n|[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]/g

/**
 * Replaces each CRLF and each control character except tab by a space, and each lone surrogate by U+FFFD. Validation
 * refuses controls earlier; this is the last guard against header injection.
 */
export function legalText(text: string): string {
  const whole = text.toWellFormed()
  return ILLEGAL.test(whole) ? whole.replace(ILLEGAL_RUN, ' ') : whole
}

const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/

/**
 * True if the text can stand in a header unencoded: printable ASCII, no space at either end, and no `=?`, which a reader
 * might decode as an encoded-word (RFC 2047 §2).
 */
export function isPlain(text: string): boolean {
  return PRINTABLE.test(text) && !text.includes('=?')
}

/** Converts a field to one character a byte, as `HeaderField.raw` requires; most fields already are. */
export function asBytes(field: string): string {
  return /[^\0-\x7f]/.test(field) ? Buffer.from(field, 'utf8').toString('latin1') : field
}
