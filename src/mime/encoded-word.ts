// Encoded-words: text beyond printable ASCII in a header (RFC 2047).

import { decodeWords as decode } from 'postal-mime'
import { decodeBytes } from './charset.ts'
import { legalText } from './legal-text.ts'

/** `=?utf-8?Q?` and `?=` around the text. */
const FRAME = 12
/** RFC 2047 §2: an encoded-word is 75 characters at most. */
export const MAX_WORD = 75

/**
 * Form of each byte in a Q word. Only bytes that §5 (3) allows in a phrase stay unencoded, so that one encoding serves
 * subjects and display names alike.
 */
const Q_FORMS: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte)
  if (/[A-Za-z0-9!*+/-]/.test(char)) return char
  return byte === 0x20 ? '_' : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

/**
 * Encodes a text as words, each at most 75 characters and the first at most `firstRoom`. The caller joins them by
 * folding white space, which readers drop (§6.2). No character is split between two words (§5).
 *
 * @param text without lone surrogates, not empty
 * @param firstRoom characters left on the line of the first word; at least 40 (a word needs 24)
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
    while (end < bytes.length && isContinuation(bytes[end]!)) end--
    words.push(`=?utf-8?B?${bytes.toString('base64', at, end)}?=`)
    room = MAX_WORD - FRAME
    at = end
  }
  return words
}

/** Returns the end of the UTF-8 character that begins at `at`. */
function afterCharacter(bytes: Buffer, at: number): number {
  let next = at + 1
  while (next < bytes.length && isContinuation(bytes[next]!)) next++
  return next
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/**
 * Decodes the encoded-words in a value, on one line: characters that would end the line, encoded or not, are replaced as
 * in `legalText`. Unknown charsets and broken encodings give some text, never an error.
 */
export function decodeWords(value: string): string {
  return legalText(decode(withUtf8Words(value)))
}

/** Adjacent words of one charset and encoding, which may split a character between them; the label may be missing. */
const WORDS = /=\?([^?\s]{0,80})\?([QqBb])\?([^?]*)\?=(?:[ \t\r\n]+=\?\1\?\2\?[^?]*\?=)*/gi
const WORD = /=\?[^?\s]{0,80}\?[QqBb]\?([^?]*)\?=/g

/**
 * Converts the encoded-words in a value to UTF-8, from the charset that their labels name or their bytes suggest
 * (`decodeBytes`). They stay encoded, so that no character in them is taken for a delimiter.
 */
export function withUtf8Words(value: string): string {
  if (!value.includes('=?')) return value
  return value.replace(WORDS, (words, label: string, encoding: string) => {
    const bytes = Buffer.concat(
      Array.from(words.matchAll(WORD), ([, text = '']) => bytesOf(text, encoding.toLowerCase())),
    )
    // RFC 2231 §5: a language may stand after the charset.
    const text = decodeBytes(bytes, label.split('*', 1)[0])
    return text === '' ? '' : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  })
}

/** Decodes an encoded text to bytes (RFC 2047 §4); characters that it may not contain stay as they are. */
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
