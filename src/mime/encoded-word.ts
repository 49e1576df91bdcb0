// Encoded-words: text beyond printable ASCII in a header (RFC 2047).

import { decodeWords as decode } from 'postal-mime'
import { decodeBytes, isContinuation } from './charset.ts'
import { legalText } from './legal-text.ts'

/** Length of `=?utf-8?Q?` and `?=` around the text of an encoded-word. */
const FRAME = 12
/** Maximum length of an encoded-word in characters (RFC 2047 §2). */
export const MAX_WORD = 75

/**
 * Each byte in Q encoding (RFC 2047 §4.2). Only bytes that RFC 2047 §5 (3) allows in a phrase stay unencoded, so that
 * subjects and display names use the same encoding.
 */
const Q_FORMS: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte)
  if (/[A-Za-z0-9!*+/-]/.test(char)) return char
  return byte === 0x20 ? '_' : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

/**
 * Encodes a text as encoded-words of at most 75 characters, the first of at most `firstRoom`. The caller joins the
 * encoded-words by folding white space, which mail clients drop (RFC 2047 §6.2). No character is split between two
 * encoded-words (§5).
 *
 * @param text non-empty text without lone surrogates
 * @param firstRoom characters left on the line of the first encoded-word: at least 40 (an encoded-word needs 24)
 */
export function encodedWords(text: string, firstRoom = MAX_WORD): string[] {
  const bytes = Buffer.from(text, 'utf8')
  let qLength = 0
  for (const byte of bytes) qLength += Q_FORMS[byte]!.length
  return qLength <= Math.ceil(bytes.length / 3) * 4 ? qWords(bytes, firstRoom) : bWords(bytes, firstRoom)
}

function qWords(bytes: Buffer, firstRoom: number): string[] {
  const words: string[] = []
  let room = Math.min(firstRoom, MAX_WORD) - FRAME
  let word = ''
  for (let at = 0; at < bytes.length; ) {
    const next = afterCharacter(bytes, at)
    let form = ''
    for (; at < next; at++) form += Q_FORMS[bytes[at]!]
    if (word.length + form.length > room) {
      words.push(`=?utf-8?Q?${word}?=`)
      room = MAX_WORD - FRAME
      word = ''
    }
    word += form
  }
  words.push(`=?utf-8?Q?${word}?=`)
  return words
}

function bWords(bytes: Buffer, firstRoom: number): string[] {
  const words: string[] = []
  let room = Math.min(firstRoom, MAX_WORD) - FRAME
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + Math.floor(room / 4) * 3, bytes.length)
    while (end < bytes.length && isContinuation(bytes[end])) end--
    words.push(`=?utf-8?B?${bytes.toString('base64', at, end)}?=`)
    room = MAX_WORD - FRAME
    at = end
  }
  return words
}

/** Returns the end of the UTF-8 character that begins at `at`. */
function afterCharacter(bytes: Buffer, at: number): number {
  let next = at + 1
  while (next < bytes.length && isContinuation(bytes[next])) next++
  return next
}

/**
 * Decodes the encoded-words in a value to one line of text: characters that would end the line, encoded or not, are
 * replaced as in `legalText`. Unknown charsets and broken encodings produce some text, and never an error.
 */
export function decodeWords(value: string): string {
  return legalText(decode(withUtf8Words(value)))
}

/**
 * Adjacent encoded-words with the same charset and encoding, because a character may be split between two
 * encoded-words; the charset label may be missing.
 */
const WORDS = /=\?([^?\s]{0,80})\?([QqBb])\?([^?]*)\?=(?:[ \t\r\n]+=\?\1\?\2\?[^?]*\?=)*/gi
const WORD = /=\?[^?\s]{0,80}\?[QqBb]\?([^?]*)\?=/g

/**
 * Converts the encoded-words in a value to UTF-8, from the charset that their labels name or their bytes suggest
 * (`decodeBytes`). The text stays encoded, so that no program mistakes a decoded character for a delimiter.
 */
export function withUtf8Words(value: string): string {
  if (!value.includes('=?')) return value
  return value.replace(WORDS, (words, label: string, encoding: string) => {
    const bytes = Buffer.concat(
      Array.from(words.matchAll(WORD), ([, text = '']) => bytesOf(text, encoding.toLowerCase())),
    )
    // A language tag may follow the charset (RFC 2231 §5).
    const text = decodeBytes(bytes, label.split('*', 1)[0])
    return text === '' ? '' : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  })
}

/** Decodes the text of an encoded-word to bytes (RFC 2047 §4); illegal characters stay unchanged. */
function bytesOf(text: string, encoding: string): Buffer {
  if (encoding === 'b') return Buffer.from(text, 'base64')
  // Some programs fold a line within an `=XX` code.
  const bytes = Buffer.from(text)
    .toString('latin1')
    .replace(/=[ \t]{0,3}([0-9A-Fa-f]{2})|[_\s]/g, (_, code?: string) =>
      code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
    )
  return Buffer.from(bytes, 'latin1')
}
