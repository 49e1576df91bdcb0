// One free-text header field: folded at spaces, or in encoded-words where it cannot stand as it is.

import { encodedWords } from './encoded-word.ts'
import { isPlain, legalText } from './legal-text.ts'

/** Column of folding: RFC 5322 §2.1.1 asks for 78 at most, RFC 2047 §2 for 76 around encoded-words. */
export const FOLD_AT = 76

/** A word that is longer, with the white space before it, is encoded, since plain it could only be a line near or over 998 bytes. */
const MAX_PLAIN_WORD = 900
const MAX_NAME = 76

/** Fields that only the service writes, or that would change how the rest of the message is read. */
const RESERVED =
  /^(?:Date|From|To|Cc|Bcc|Reply-To|Subject|Message-ID|MIME-Version|Content-.*|Resent-.*|Received|Return-Path|DKIM-Signature)$/i

/** True if a custom header may not have this name; `compose` leaves such a header out. */
export function isReservedName(name: string): boolean {
  return RESERVED.test(name)
}

/** The name with `-` for what a field name may not have (RFC 5322 §3.6.8), cut at 76 characters. */
export function legalName(name: string): string {
  if (/^[!-9;-~]{1,76}$/.test(name)) return name
  return name.slice(0, MAX_NAME).replace(/[^!-9;-~]/g, '-') || 'X'
}

/**
 * The whole field, all ASCII, with its final CRLF and no line over 998 bytes. The value reads back as
 * `legalText(value)`: what is not printable ASCII, looks like an encoded-word, begins or ends with white space
 * or has a word over 900 bytes is written in encoded-words.
 *
 * @param name as `legalName` gives it
 */
export function textField(name: string, value: string): string {
  if (isPlain(value) && value.length + name.length + 2 <= FOLD_AT) return `${name}: ${value}\r\n`
  const text = legalText(value)
  if (text === '') return `${name}: \r\n`
  return (isFoldable(text) ? folded(name, text) : undefined) ?? encoded(name, text)
}

/**
 * The whole field as it stands where it can: a link or an ID is none any more in an encoded-word, and `=?` makes none of it
 * unless the rest of one follows.
 */
export function linkField(name: string, value: string): string {
  const stands = /^[!-~](?:[ -~]*[!-~])?$/.test(value) && !/=\?[^?\s]{1,80}\?[bq]\?/i.test(value)
  return (stands ? folded(name, value) : undefined) ?? textField(name, value)
}

/** Printable ASCII and tabs: tabs and spaces may be where a line is folded. */
function isFoldable(text: string): boolean {
  return isPlain(text.includes('\t') ? text.replaceAll('\t', ' ') : text) && !/^\t|\t$/.test(text)
}

/** Folded before white space, which stays what it is (RFC 5322 §2.2.3); undefined if a word is too long. */
function folded(name: string, text: string): string | undefined {
  let field = `${name}:`
  let column = field.length
  for (const [word] of ` ${text}`.matchAll(/[ \t]+[^ \t]+/g)) {
    if (word.length > MAX_PLAIN_WORD) return undefined
    // Never right behind the colon: a first line without a value is legal, and still lost by some readers.
    if (column + word.length > FOLD_AT && column > name.length + 1) {
      field += '\r\n'
      column = 0
    }
    field += word
    column += word.length
  }
  return `${field}\r\n`
}

function encoded(name: string, text: string): string {
  const room = FOLD_AT - name.length - 2
  // A name that leaves no room for a word stands alone on its line.
  const separator = room >= 40 ? ' ' : '\r\n '
  return `${name}:${separator}${encodedWords(text, room >= 40 ? room : undefined).join('\r\n ')}\r\n`
}
