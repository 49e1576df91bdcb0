// Writes one free-text header field: folded at spaces, or in encoded-words where plain text is impossible.

import { decodeWords, encodedWords, MAX_WORD } from './encoded-word.ts'
import { ID_FIELD } from './field-kinds.ts'
import { isPlain, legalText } from './legal-text.ts'

/** Column at which lines are folded: at most 78 by RFC 5322 §2.1.1, and 76 for encoded-words by RFC 2047 §2. */
export const FOLD_AT = 76

/**
 * Maximum length of an unencoded word with the white space before it; a longer word would result in a line near or over
 * 998 bytes.
 */
const MAX_PLAIN_WORD = 900
const MAX_NAME = 76

/** Fields that only the service writes, or that would change how the rest of the message is read. */
const RESERVED =
  /^(?:Date|From|To|Cc|Bcc|Reply-To|Subject|Message-ID|MIME-Version|Content-.*|Resent-.*|Received|Return-Path|DKIM-Signature)$/i

/** True if a custom header may not have this name; `compose` leaves such a header out. */
export function isReservedName(name: string): boolean {
  return RESERVED.test(name)
}

/** Replaces characters that are illegal in a field name by `-` (RFC 5322 §3.6.8), and cuts names at 76 characters. */
export function legalName(name: string): string {
  if (/^[!-9;-~]{1,76}$/.test(name)) return name
  return name.slice(0, MAX_NAME).replace(/[^!-9;-~]/g, '-') || 'X'
}

/**
 * Returns the whole field, all ASCII, with its final CRLF and no line over 998 bytes. Parsers read the value as
 * `legalText(value)`. A value that is not printable ASCII, looks like an encoded-word, begins or ends with white space
 * or has a word over 900 bytes is written in encoded-words, except for text in angle brackets. A JSON document without
 * blanks that is too long for a line gets blanks after its commas.
 *
 * @param name field name as returned by `legalName`
 */
export function textField(name: string, value: string): string {
  if (isPlain(value) && value.length + name.length + 2 <= FOLD_AT) return `${name}: ${value}\r\n`
  const text = legalText(value)
  if (text === '') return `${name}: \r\n`
  if (isFoldable(text)) return folded(name, text) ?? folded(name, withBlanks(text)) ?? encoded(name, text)
  return aroundBrackets(name, text) ?? encoded(name, text)
}

/**
 * Returns a JSON document with a blank after each comma, where the field can be folded; any other text unchanged. Some
 * programs that read JSON from a header field do not decode encoded-words.
 */
function withBlanks(text: string): string {
  if (!/^[[{].*[\]}]$/.test(text)) return text
  // Matches a JSON string, or a comma outside of a string.
  return text.replace(/"(?:[^"\\]|\\.?)*(?:"|$)|,/gs, (part) => (part === ',' ? ', ' : part))
}

/** A link, an ID or an address in angle brackets, separated from other text by white space or punctuation. */
const BRACKETED = /(?<=^|[ \t,])<[!-;=?-~]{1,900}>(?=$|[ \t,;])/g

/**
 * Returns the field with text in angle brackets unencoded, and the text around it in encoded-words where necessary:
 * programs cannot find a list or a message by an encoded ID (RFC 2047 §5). Returns undefined for a text without angle
 * brackets.
 */
function aroundBrackets(name: string, text: string): string | undefined {
  if (/^[ \t]|[ \t]$/.test(text)) return undefined
  let written = ''
  let at = 0
  for (const { 0: bracketed, index } of text.matchAll(BRACKETED)) {
    if (bracketed.includes('=?')) continue
    written += phrase(text.slice(at, index), at === 0 ? FOLD_AT - name.length - 2 : undefined) + bracketed
    at = index + bracketed.length
  }
  return at === 0 ? undefined : folded(name, written + phrase(text.slice(at)))
}

/** Encodes a text with characters beyond ASCII in encoded-words, except for blanks and commas at its ends. */
function phrase(text: string, firstRoom = MAX_WORD): string {
  let [start, end] = [0, text.length]
  while (start < end && /[ \t,]/.test(text[start]!)) start++
  while (end > start && /[ \t,]/.test(text[end - 1]!)) end--
  const core = text.slice(start, end)
  if (core === '' || isPlain(core)) return text
  const room = firstRoom >= 40 ? firstRoom : undefined
  return text.slice(0, start) + encodedWords(core, room).join(' ') + text.slice(end)
}

/** Returns the whole field of phrases with commas between them (RFC 5322 §3.6.5), each encoded separately. */
export function phraseListField(name: string, value: string): string {
  const text = legalText(value).trim()
  const phrases = text.split(/,\s*/).map((one) => phrase(one))
  return folded(name, phrases.join(', ')) ?? textField(name, value)
}

/**
 * Returns the whole field, unencoded where possible: mail clients do not recognise a link or an ID in an encoded-word,
 * and `=?` alone, without the rest of an encoded-word, is harmless. Non-ASCII characters are percent-encoded in links,
 * and written in encoded-words in comments and phrases.
 */
export function linkField(name: string, value: string): string {
  // The sender may have encoded the name of a list.
  const text = ID_FIELD.test(name) && ENCODED_WORD.test(value) ? decodeWords(value) : legalText(value)
  const ascii = text
    .replace(/<[a-z][a-z\d+.-]{0,20}:[^<>\s]{1,4000}>/gi, asciiLink)
    .replace(/\([^()]{1,1000}\)/g, asciiComment)
  if (!PRINTABLE.test(ascii) || ENCODED_WORD.test(text)) return textField(name, text)
  return folded(name, ascii) ?? folded(name, brokenLinks(name, ascii)) ?? textField(name, ascii)
}

const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/
const ENCODED_WORD = /=\?[^?\s]{1,80}\?[bq]\?/i

/** Converts an internationalised link to a URI (RFC 3987 §3.1). */
function asciiLink(link: string): string {
  if (PRINTABLE.test(link)) return link
  const url = link.slice(1, -1)
  const parsed = /^https?:/i.test(url) ? URL.parse(url)?.href : undefined
  return `<${parsed ?? url.replace(/[^!-~]+/g, (some) => encodeURIComponent(some.toWellFormed()))}>`
}

const asciiComment = (comment: string): string =>
  PRINTABLE.test(comment) ? comment : `(${encodedWords(comment.slice(1, -1)).join(' ')})`

/**
 * Separates adjacent links, and breaks a link that is too long for a line: mail clients ignore blanks in a link of a
 * List-… field (RFC 2369 §2).
 */
function brokenLinks(name: string, text: string): string {
  const apart = text.replace(/>,?(?=<)/g, '$& ')
  if (!/^list-/i.test(name)) return apart
  return apart.replace(/<[^<>\s]{800,}>/g, (link) => link.replace(/[^\s]{800}(?=[^\s])/g, '$& '))
}

/** True for printable ASCII and tabs: the line may be folded at tabs and spaces. */
function isFoldable(text: string): boolean {
  return isPlain(text.includes('\t') ? text.replaceAll('\t', ' ') : text) && !/^\t|\t$/.test(text)
}

/**
 * Folds a field before white space, which stays unchanged (RFC 5322 §2.2.3). Returns undefined if a word is too long.
 */
function folded(name: string, text: string): string | undefined {
  let field = `${name}:`
  let column = field.length
  for (const [word] of ` ${text}`.matchAll(/[ \t]+[^ \t]+/g)) {
    if (word.length > MAX_PLAIN_WORD) return undefined
    // Lines are never folded right after the colon: some mail clients lose a field whose first line has no value.
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
  // The value begins on a new line if the line of the field name has no room for an encoded-word.
  const separator = room >= 40 ? ' ' : '\r\n '
  return `${name}:${separator}${encodedWords(text, room >= 40 ? room : undefined).join('\r\n ')}\r\n`
}
