// Decodes header bytes that are not UTF-8: in the charset that the message names, otherwise in Windows-1252.

import { isUtf8 } from 'node:buffer'

/**
 * Charsets in which the ASCII characters of a header keep their bytes. UTF-16 and ISO-2022 are excluded, since bytes in
 * these charsets could be decoded to further fields.
 */
const ASCII_COMPATIBLE =
  /^(?:windows-(?:125\d|874)|iso-8859-\d+(?:-i)?|koi8-[ru]|gbk|gb18030|big5|shift_jis|euc-(?:jp|kr)|macintosh|x-mac-cyrillic|ibm866)$/

/** Number of leading bytes of a message that are searched for a charset. */
const LOOKED_AT = 16 * 1024

/** Reads header bytes of one message. */
export class HeaderText {
  readonly #bytes: Buffer
  #named: TextDecoder | undefined | null = null

  /** @param bytes bytes of the message, whose Content-Type fields may name a charset */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /**
   * Decodes bytes, given as a string in `latin1`; encoded-words stay encoded. Never throws, and runs in linear time.
   */
  read(latin1: string): string {
    if (!NON_ASCII.test(latin1)) return latin1
    if (isUtf8Field(latin1)) return Buffer.from(latin1, 'latin1').toString('utf8')
    // Bytes within an encoded-word are in the charset of that word.
    const bare = latin1.replace(Q_WORD, (word) => word.replace(/[\x80-\xff]/g, escaped))
    return this.#inNamedCharset(Buffer.from(bare, 'latin1')) ?? bare.replace(UTF8_OR_BYTES, decoded)
  }

  #inNamedCharset(bytes: Buffer): string | undefined {
    if (this.#named === null) this.#named = namedCharset(this.#bytes)
    try {
      return this.#named?.decode(bytes)
    } catch {
      return undefined
    }
  }
}

const NON_ASCII = /[\x80-\xff]/
/** An encoded-word in Q encoding (RFC 2047 §4.2), possibly with bytes that should have been escaped. */
const Q_WORD = /=\?[\w.*+-]{1,40}\?q\?[^?]{0,500}\?=/gi
const escaped = (char: string): string => `=${char.charCodeAt(0).toString(16).toUpperCase()}`

/** True if the bytes of a field, given as a string in `latin1`, are valid UTF-8. */
export const isUtf8Field = (latin1: string): boolean =>
  !NON_ASCII.test(latin1) || isUtf8(Buffer.from(latin1, 'latin1'))

/** Returns the decoder of the first charset that the message names, if a header can be in that charset. */
function namedCharset(message: Buffer): TextDecoder | undefined {
  const start = message.toString('latin1', 0, LOOKED_AT)
  const label =
    /^content-type[ \t]*:[^;]{0,200}(?:;[^;]{0,200}){0,8}?;\s{0,9}charset\s{0,9}=\s{0,9}"?([\w.:-]{1,40})/im.exec(
      start,
    )?.[1]
  if (label === undefined) return undefined
  try {
    const decoder = new TextDecoder(label, { fatal: true })
    // Windows-1252 is not returned: it decodes any bytes, but a field that mixes two charsets has to be decoded in
    // pieces.
    return ASCII_COMPATIBLE.test(decoder.encoding) && decoder.encoding !== 'windows-1252'
      ? decoder
      : undefined
  } catch {
    return undefined
  }
}

/** A character in UTF-8 (RFC 3629 §4), or a single byte that begins no such character. */
const UTF8_OR_BYTES =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g

/** The character of each byte in Windows-1252. */
const WINDOWS_1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
)

const decoded = (sequence: string): string =>
  sequence.length > 1
    ? Buffer.from(sequence, 'latin1').toString('utf8')
    : WINDOWS_1252[sequence.charCodeAt(0)]!
