// Bytes of mail as text: in the charset that a label names, in whatever spelling, else in the one that the bytes show.

import { isUtf8 } from 'node:buffer'
import { encodingOf } from './charset-label.ts'
import { CODE_PAGES, codePageText } from './code-pages.ts'
import { hzText, iso2022KrText, utf7Text } from './shift-charsets.ts'

/** Any bytes to text. */
type Decoder = (octets: Buffer) => string

const REPLACEMENT = '\ufffd'

/** Charsets that are written with shifts, which browsers refuse to read. */
const SHIFTED: Readonly<Record<string, Decoder>> = {
  'utf-7': utf7Text,
  'hz-gb-2312': hzText,
  'iso-2022-kr': iso2022KrText,
}

/**
 * The text of bytes. A label decides where it names a charset that the bytes do not contradict; else they are UTF-8 if
 * they can be, ISO-2022-JP if they have its escapes, and Windows-1252, which takes anything. Never throws; linear.
 *
 * @param label as written, in any spelling; undefined, empty, unknown and `us-ascii` all name nothing
 */
export function decodeOctets(octets: Buffer, label?: string): string {
  const named = label === undefined ? undefined : decoderOf(label)
  if (named === undefined) return guessedText(octets)
  if (isUtf8(octets) && isBeyondChance(octets, label!)) return octets.toString('utf8')
  const text = named(octets)
  return text.includes(REPLACEMENT) && isUtf8(octets) ? octets.toString('utf8') : text
}

const DOUBLE_BYTE = /^(?:gbk|gb18030|big5|euc-kr|euc-jp|shift_jis)$/
const MIN_CHARACTERS = 4

/** True for UTF-8 that is labelled with a charset of two bytes a character: of those hardly any four characters are valid UTF-8. */
function isBeyondChance(octets: Buffer, label: string): boolean {
  if (!DOUBLE_BYTE.test(encodingOf(label) ?? '')) return false
  const beyondAscii = octets.toString('utf8').match(/[^\0-\x7f]/gu) ?? []
  return beyondAscii.length >= MIN_CHARACTERS
}

/** The text of header bytes that should be UTF-8 (RFC 6532) and often are in the charset that the body is labelled with. */
export function decodeHeaderOctets(octets: Buffer, bodyLabel: string | undefined): string {
  if (bodyLabel === undefined || isUtf8(octets)) return guessedText(octets)
  const text = decodeOctets(octets, bodyLabel)
  return text.includes(REPLACEMENT) ? guessedText(octets) : text
}

/** True for a label that names a charset other than UTF-8, in a spelling that is understood. */
export const isLegacyCharset = (label: string): boolean => decoderOf(label) !== undefined

/** Decoders by encoding: there are some sixty. */
const decoders = new Map<string, Decoder | undefined>()

/** The decoder for a label; undefined for UTF-8, ASCII and labels that name nothing, where the bytes decide. */
function decoderOf(label: string): Decoder | undefined {
  const encoding = encodingOf(label)
  if (encoding === undefined || encoding === 'utf-8') return undefined
  if (!decoders.has(encoding)) decoders.set(encoding, makeDecoder(encoding))
  return decoders.get(encoding)
}

function makeDecoder(encoding: string): Decoder | undefined {
  if (encoding === 'utf-16') return utf16Text
  const page = CODE_PAGES[encoding]
  if (page !== undefined) return (octets) => codePageText(octets, page)
  const shifted = SHIFTED[encoding]
  if (shifted !== undefined) return shifted
  try {
    const decoder = new TextDecoder(encoding)
    return (octets) => decoder.decode(octets)
  } catch {
    return undefined
  }
}

/** UTF-16 by its mark, else in the order in which ASCII would have its zeros (RFC 2781 §3.3); text without any zero is none. */
function utf16Text(octets: Buffer): string {
  const isBig = octets[0] === 0xfe && octets[1] === 0xff
  const isLittle = octets[0] === 0xff && octets[1] === 0xfe
  if (!isBig && !isLittle && !octets.includes(0) && isUtf8(octets)) return octets.toString('utf8')
  let evens = 0
  let odds = 0
  for (let at = 0; at + 1 < Math.min(octets.length, 2_000); at += 2) {
    if (octets[at] === 0) evens++
    if (octets[at + 1] === 0) odds++
  }
  return new TextDecoder(isBig || (!isLittle && evens > odds) ? 'utf-16be' : 'utf-16le').decode(octets)
}

const ISO_2022_JP_ESCAPE = '\x1b$'
const WINDOWS_1252 = Array.from({ length: 256 }, (_, octet) =>
  new TextDecoder('windows-1252').decode(Uint8Array.of(octet)),
)

function guessedText(octets: Buffer): string {
  if (!isUtf8(octets)) return mixedText(octets)
  if (octets.includes(ISO_2022_JP_ESCAPE)) {
    const text = new TextDecoder('iso-2022-jp').decode(octets)
    if (!text.includes(REPLACEMENT)) return text
  }
  return octets.toString('utf8')
}

/**
 * Text that is not UTF-8 throughout. Where most of what is beyond ASCII is UTF-8 (a footer in another charset was put below it, or
 * it was cut within a character), the rest alone is read as Windows-1252, else all of it. A stray first byte of characters that the
 * text has elsewhere is what is left of one of them.
 */
function mixedText(octets: Buffer): string {
  const firsts = new Set<number>()
  const strays: number[] = []
  let whole = 0
  for (let at = 0; at < octets.length; ) {
    const length = sequenceLength(octets, at)
    if (length > 1) {
      firsts.add(octets[at]!)
      whole++
    } else if (length === 0) strays.push(at)
    at += length || 1
  }
  if (whole < strays.length || whole === 0) return windows1252Text(octets)
  const pieces: string[] = []
  let from = 0
  for (const at of strays) {
    if (at < from) continue
    const isDamaged = firsts.has(octets[at]!)
    pieces.push(octets.toString('utf8', from, at), isDamaged ? REPLACEMENT : WINDOWS_1252[octets[at]!]!)
    from = at + 1
    while (isDamaged && isContinuation(octets[from])) from++
  }
  pieces.push(octets.toString('utf8', from))
  return pieces.join('')
}

function windows1252Text(octets: Buffer): string {
  const text = octets.toString('latin1')
  return text.replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0)]!)
}

const isContinuation = (octet: number | undefined): boolean => octet !== undefined && (octet & 0xc0) === 0x80

/** Bytes of the character that begins with this one; 0 for a byte that begins none (RFC 3629 §4). */
const expectedLength = (first: number): number =>
  first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0

/** Bytes of the whole character at `at`, or 0 (RFC 3629 §4: no overlong forms, no surrogates). */
function sequenceLength(octets: Buffer, at: number): number {
  const first = octets[at]!
  const length = expectedLength(first)
  if (length < 2) return length
  for (let next = at + 1; next < at + length; next++) if (!isContinuation(octets[next])) return 0
  const second = octets[at + 1]!
  if (first === 0xe0 && second < 0xa0) return 0
  if (first === 0xed && second > 0x9f) return 0
  if (first === 0xf0 && second < 0x90) return 0
  return first === 0xf4 && second > 0x8f ? 0 : length
}
