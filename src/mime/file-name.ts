// Makes the name of an attached file harmless, and encodes it for new and old mail clients (RFC 2183, RFC 2231).

import { encodedWords } from './encoded-word.ts'
import { FOLD_AT } from './header-field.ts'
import { legalText } from './legal-text.ts'

/** Maximum length of a file name in bytes; nearly every file system supports names of this length. */
const MAX_BYTES = 255

/** Bidirectional control characters, with which mail clients can show `doc.exe` as `exe.cod`. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Returns the name in the form that is sent: `_` for path separators and control characters, no bidi controls, no `=?`
 * (mail clients would decode it), no space at the ends, at most 255 bytes with the extension kept; `attachment` if no
 * character is left.
 */
export function legalFileName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\0-\x1f\x7f-\x9f\u2028\u2029/\\]/g, '_')
    .replace(BIDI_CONTROLS, '')
    .replaceAll('=?', '=_')
    .trim()
  return shortened(/^\.*$/.test(plain) ? 'attachment' : plain, MAX_BYTES)
}

/**
 * Returns the parameters of Content-Disposition that name the file, to be appended after a `;`: each on a separate
 * folded line, without a final CRLF. A name that is not plain ASCII is written twice: by RFC 2231, and in encoded-words
 * for mail clients that understand only encoded-words (Outlook, Lotus Notes, QQ), although RFC 2047 §5 forbids
 * encoded-words in parameters. The RFC 2231 parameter comes first, since clients that understand both use the first.
 *
 * @param name file name as returned by `legalFileName`
 */
export function fileNameParameters(name: string): string {
  if (PLAIN.test(name)) return `\r\n filename="${name}"`
  return `${extendedParameter(name)};${encodedParameter('filename', name)}`
}

/**
 * Returns the `name` parameter of a Content-Type, with its `;`, for mail clients without RFC 2231; empty for a name in
 * plain ASCII.
 */
export const nameParameter = (name: string): string =>
  PLAIN.test(name) ? '' : `;${encodedParameter('name', name)}`

/** Writes a parameter in encoded-words, on folded lines. */
function encodedParameter(parameter: string, name: string): string {
  const beginning = ` ${parameter}="`
  const words = encodedWords(name, FOLD_AT - beginning.length - 2)
  return `\r\n${beginning}${words.join('\r\n ')}"`
}

/** File name in printable ASCII that needs no escaping; a line with such a name is far shorter than 998 bytes. */
const PLAIN = /^(?!.*=\?)[ !#$&-.0-[\]-~]{1,255}$/

/** Writes the parameter `filename*=utf-8''…`, in numbered sections if it is too long for a line (RFC 2231 §3, §4). */
function extendedParameter(name: string): string {
  const forms = Array.from(name, percentEncoded)
  const whole = `\r\n filename*=utf-8''${forms.join('')}`
  if (whole.length - 2 < FOLD_AT) return whole

  let parameters = ''
  let section = "\r\n filename*0*=utf-8''"
  let count = 0
  for (const form of forms) {
    // One column is left for the `;`.
    if (section.length - 2 + form.length >= FOLD_AT) {
      parameters += `${section};`
      section = `\r\n filename*${++count}*=`
    }
    section += form
  }
  return parameters + section
}

/**
 * Percent-encodes a character that is no attr-char (RFC 5987 §3.2.1); RFC 2231 §7 would allow a few more characters.
 */
function percentEncoded(char: string): string {
  if (/^[A-Za-z0-9!#$&+.^_`|~-]$/.test(char)) return char
  let form = ''
  for (const byte of Buffer.from(char, 'utf8')) form += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return form
}

/** Shortens a name to this number of bytes in UTF-8: cuts before the extension, and never inside a character. */
function shortened(name: string, bytes: number): string {
  if (Buffer.byteLength(name) <= bytes) return name
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? ''
  let room = bytes - extension.length
  let stem = ''
  for (const char of name) {
    room -= Buffer.byteLength(char)
    if (room < 0) break
    stem += char
  }
  return stem.trimEnd() + extension
}

/** Returns a Content-ID without its angle brackets, with `_` for illegal characters (RFC 2392, RFC 5322 §3.6.4). */
export function legalContentId(id: string): string {
  const bare = legalText(id).trim().replace(/^<|>$/g, '')
  return bare.slice(0, 250).replace(/[^!-;=?-~]/g, '_') || '_'
}
