// Encodes base64 in lines of 76 characters (RFC 2045 §6.8).

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** Bytes in a full line. */
const LINE = 57

/** The two base64 characters of each 12-bit number, in one 16-bit number of the machine's byte order. */
const PAIRS = new Uint16Array(4096)
const pairBytes = new Uint8Array(PAIRS.buffer)
for (let bits = 0; bits < 4096; bits++) {
  pairBytes[2 * bits] = ALPHABET.charCodeAt(bits >> 6)
  pairBytes[2 * bits + 1] = ALPHABET.charCodeAt(bits & 63)
}
const CRLF = new Uint16Array(Uint8Array.of(13, 10).buffer)[0]!

/** Returns the length of the result of `base64Lines` for this number of bytes. */
export function base64Length(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4
  return bytes === 0 ? 0 : characters + 2 * (Math.ceil(characters / 76) - 1)
}

/** Encodes bytes in base64, with CRLF between the lines but not after the last line. */
export function base64Lines(bytes: Buffer): Buffer {
  const lines = Buffer.allocUnsafeSlow(base64Length(bytes.length))
  // Two characters are written at a time. The buffer is not part of a pool, so that it begins at an even address.
  const pairs = new Uint16Array(lines.buffer, 0, lines.length >> 1)
  let to = 0
  let at = 0
  // The call of `write` below encodes the last line, which may be shorter.
  for (; at + LINE < bytes.length; to++) {
    for (const end = at + LINE; at < end; at += 3, to += 2) {
      const bits = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
      pairs[to] = PAIRS[bits >> 12]!
      pairs[to + 1] = PAIRS[bits & 4095]!
    }
    pairs[to] = CRLF
  }
  lines.write(bytes.toString('base64', at), 2 * to, 'latin1')
  return lines
}
