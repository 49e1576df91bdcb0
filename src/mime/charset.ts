// Decodes bytes of mail in the charset that the label names (in any spelling), or in the charset that the bytes
// suggest.

import { isUtf8 } from 'node:buffer'
import { encodingOf } from './charset-label.ts'
import { CODE_PAGES, codePageText } from './code-pages.ts'

/** Decodes any bytes to text. */
type Decoder = (bytes: Buffer) => string

const REPLACEMENT = '\ufffd'
const SHIFT_OUT = 0x0e
const SHIFT_IN = 0x0f
const LF = 0x0a
const TILDE = 0x7e

/** Charsets with shift sequences, which browsers refuse to decode. */
const SHIFTED: Readonly<Record<string, Decoder>> = {
  'utf-7': utf7Text,
  'hz-gb-2312': hzText,
  'iso-2022-kr': iso2022KrText,
}

/**
 * Decodes bytes. The label decides if it names a charset that the bytes do not contradict. Bytes without a usable label
 * are read as UTF-8 if they are valid UTF-8, as ISO-2022-JP if they contain its escape sequences, and otherwise as
 * Windows-1252, which accepts all bytes. Never throws, and runs in linear time.
 *
 * @param label charset label in any spelling; an empty or unknown label and `us-ascii` name no charset
 */
export function decodeBytes(bytes: Buffer, label?: string): string {
  const named = label === undefined ? undefined : decoderOf(label)
  if (named === undefined) return guessedText(bytes)
  if (isUtf8(bytes) && isBeyondChance(bytes, label!)) return bytes.toString('utf8')
  const text = named(bytes)
  return text.includes(REPLACEMENT) && isUtf8(bytes) ? bytes.toString('utf8') : text
}

const DOUBLE_BYTE = /^(?:gbk|gb18030|big5|euc-kr|euc-jp|shift_jis)$/
const MIN_CHARACTERS = 4

/**
 * True for UTF-8 that is labelled with a double-byte charset: four characters in such a charset are very rarely valid
 * UTF-8.
 */
function isBeyondChance(bytes: Buffer, label: string): boolean {
  if (!DOUBLE_BYTE.test(encodingOf(label) ?? '')) return false
  const beyondAscii = bytes.toString('utf8').match(/[^\0-\x7f]/gu) ?? []
  return beyondAscii.length >= MIN_CHARACTERS
}

/** Decodes header bytes, which should be UTF-8 (RFC 6532) but are often in the charset of the body. */
export function decodeHeaderBytes(bytes: Buffer, bodyLabel: string | undefined): string {
  if (bodyLabel === undefined || isUtf8(bytes)) return guessedText(bytes)
  const text = decodeBytes(bytes, bodyLabel)
  return text.includes(REPLACEMENT) ? guessedText(bytes) : text
}

/** True for a label that names a charset other than UTF-8, in a known spelling. */
export const isLegacyCharset = (label: string): boolean => decoderOf(label) !== undefined

/** Decoders by encoding; there are at most about sixty encodings. */
const decoders = new Map<string, Decoder | undefined>()

/**
 * Returns the decoder for a label. Returns undefined for UTF-8, for ASCII and for a label that names no charset,
 * because the bytes then determine the charset.
 */
function decoderOf(label: string): Decoder | undefined {
  const encoding = encodingOf(label)
  if (encoding === undefined || encoding === 'utf-8') return undefined
  if (!decoders.has(encoding)) decoders.set(encoding, makeDecoder(encoding))
  return decoders.get(encoding)
}

function makeDecoder(encoding: string): Decoder | undefined {
  if (encoding === 'utf-16') return utf16Text
  const page = CODE_PAGES[encoding]
  if (page !== undefined) return (bytes) => codePageText(bytes, page)
  const shifted = SHIFTED[encoding]
  if (shifted !== undefined) return shifted
  try {
    const decoder = new TextDecoder(encoding)
    return (bytes) => decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Decodes UTF-16 by its byte order mark, otherwise in the byte order that the zero bytes of ASCII characters suggest
 * (RFC 2781 §3.3). Valid UTF-8 without any zero byte is decoded as UTF-8.
 */
function utf16Text(bytes: Buffer): string {
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe
  if (!isBig && !isLittle && !bytes.includes(0) && isUtf8(bytes)) return bytes.toString('utf8')
  let evens = 0
  let odds = 0
  for (let at = 0; at + 1 < Math.min(bytes.length, 2_000); at += 2) {
    if (bytes[at] === 0) evens++
    if (bytes[at + 1] === 0) odds++
  }
  return new TextDecoder(isBig || (!isLittle && evens > odds) ? 'utf-16be' : 'utf-16le').decode(bytes)
}

/**
 * Decodes UTF-7 (RFC 2152), in which `+` begins UTF-16 in base64, and `-` ends the base64 text. Runs in linear time.
 */
function utf7Text(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\+([A-Za-z0-9+/]*)(-?)/g, (whole, base64: string, end: string) => {
    if (base64 === '') return end === '' ? whole : '+'
    const units = Buffer.from(base64, 'base64')
    return units
      .subarray(0, units.length & ~1)
      .swap16()
      .toString('utf16le')
  })
}

/** Decodes ISO-2022-KR (RFC 1557): bytes between shift-out and shift-in are KS X 1001. Runs in linear time. */
function iso2022KrText(bytes: Buffer): string {
  const euc = Buffer.alloc(bytes.length)
  let length = 0
  let isShifted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    // The designation `ESC $ ) C`.
    if (byte === 0x1b && bytes.toString('latin1', at + 1, at + 4) === '$)C') at += 3
    else if (byte === SHIFT_OUT) isShifted = true
    else if (byte === SHIFT_IN) isShifted = false
    else {
      if (byte === LF) isShifted = false
      euc[length++] = isShifted && byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte
    }
  }
  return new TextDecoder('euc-kr').decode(euc.subarray(0, length))
}

/** Decodes HZ (RFC 1843): bytes between `~{` and `~}` are GB 2312. Runs in linear time. */
function hzText(bytes: Buffer): string {
  const euc = Buffer.alloc(bytes.length)
  let length = 0
  let isShifted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    const next = byte === TILDE ? String.fromCharCode(bytes[at + 1] ?? 0) : ''
    if (next === '{' || next === '}' || next === '\n') {
      if (next !== '\n') isShifted = next === '{'
      at++
    } else if (next === '~' && !isShifted) {
      euc[length++] = TILDE
      at++
    } else {
      euc[length++] = isShifted && byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte
    }
  }
  return new TextDecoder('gbk').decode(euc.subarray(0, length))
}

const ISO_2022_JP_ESCAPE = '\x1b$'
const WINDOWS_1252 = Array.from({ length: 256 }, (_, byte) =>
  new TextDecoder('windows-1252').decode(Uint8Array.of(byte)),
)

function guessedText(bytes: Buffer): string {
  if (!isUtf8(bytes)) return mixedText(bytes)
  if (bytes.includes(ISO_2022_JP_ESCAPE)) {
    const text = new TextDecoder('iso-2022-jp').decode(bytes)
    if (!text.includes(REPLACEMENT)) return text
  }
  return bytes.toString('utf8')
}

/**
 * Decodes text that is only partly UTF-8. Reads only the invalid bytes as Windows-1252 if most non-ASCII characters are
 * UTF-8 (a footer in another charset was appended, or the text was cut within a character); otherwise reads all bytes
 * as Windows-1252. A stray lead byte that also begins a valid character of the text counts as a damaged character.
 */
function mixedText(bytes: Buffer): string {
  const firsts = new Set<number>()
  const strays: number[] = []
  let whole = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    if (length > 1) {
      firsts.add(bytes[at]!)
      whole++
    } else if (length === 0) strays.push(at)
    at += length || 1
  }
  if (whole < strays.length || whole === 0) return windows1252Text(bytes)
  const pieces: string[] = []
  let from = 0
  for (const at of strays) {
    if (at < from) continue
    const isDamaged = firsts.has(bytes[at]!)
    pieces.push(bytes.toString('utf8', from, at), isDamaged ? REPLACEMENT : WINDOWS_1252[bytes[at]!]!)
    from = at + 1
    while (isDamaged && isContinuation(bytes[from])) from++
  }
  pieces.push(bytes.toString('utf8', from))
  return pieces.join('')
}

function windows1252Text(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  return text.replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0)]!)
}

/** True for a byte that continues a UTF-8 character (RFC 3629 §3). */
export const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80

/** Returns the length of the UTF-8 character that begins with this byte; 0 for any other byte (RFC 3629 §4). */
const expectedLength = (first: number): number =>
  first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0

/** Returns the length of the valid UTF-8 character at `at`, or 0 (RFC 3629 §4: no overlong forms, no surrogates). */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length = expectedLength(first)
  if (length < 2) return length
  for (let next = at + 1; next < at + length; next++) if (!isContinuation(bytes[next])) return 0
  const second = bytes[at + 1]!
  if (first === 0xe0 && second < 0xa0) return 0
  if (first === 0xed && second > 0x9f) return 0
  if (first === 0xf0 && second < 0x90) return 0
  return first === 0xf4 && second > 0x8f ? 0 : length
}
