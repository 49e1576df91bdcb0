// Text that may stand in a header: everything but line breaks, controls and halves of characters.

/** C0 but tab, DEL, C1, and the separators U+2028 and U+2029, which some readers take for line breaks. */
const ILLEGAL = /[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]/
const ILLEGAL_RUN = /\r\n|[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]/g

/**
 * The text with a space for each CRLF and for each control character, tab excepted, and U+FFFD for each lone
 * surrogate. Validation refuses the first kind long before; this is the last gate against a second header.
 */
export function legalText(text: string): string {
  const whole = text.toWellFormed()
  return ILLEGAL.test(whole) ? whole.replace(ILLEGAL_RUN, ' ') : whole
}

const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/

/**
 * True if the text can stand in a header as it is: printable ASCII, no space at either end, and nothing that a reader
 * would decode as an encoded-word (RFC 2047 §2).
 */
export function isPlain(text: string): boolean {
  return PRINTABLE.test(text) && !text.includes('=?')
}

/** The string with one character a byte that `HeaderField.raw` wants; most are that already. */
export function asOctets(field: string): string {
  return /[^\0-\x7f]/.test(field) ? Buffer.from(field, 'utf8').toString('latin1') : field
}
