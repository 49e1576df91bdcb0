// Encodes and decodes quoted-printable, for text that is mostly ASCII (RFC 2045 §6.7).

import type { Allocate } from './allocate.ts'

/** Maximum number of characters in a line before the `=` of a soft line break (RFC 2045 §6.7 (5)). */
const MAX_COLUMN = 75

const CR = 13
const LF = 10
const TAB = 9
const SPACE = 32
const EQUALS = 61
const DASH = 45
const DOT = 46
const CAPITAL_F = 70

/** Bytes that stay unencoded; blanks only within a line. */
const LITERAL = new Uint8Array(256).fill(1, 32, 127)
LITERAL[TAB] = 1
LITERAL[EQUALS] = 0

const HEX = Buffer.from('0123456789ABCDEF')

/**
 * Encodes a text in quoted-printable; returns undefined if the result would be longer than `limit` bytes. Hard line
 * breaks stay. Blanks before a hard line break, and `From ` and dots at the start of a line, are encoded, because some
 * hosts change such characters (RFC 2049 §3). Two dashes at the start of a line are encoded too: the line could
 * otherwise be a delimiter of an enclosing multipart with any boundary (RFC 2046 §5.1.1).
 *
 * @param text bytes in which CR and LF occur only as CRLF
 * @param allocate allocates the memory of the result
 */
export function quotedPrintable(
  text: Buffer,
  limit: number,
  allocate: Allocate = Buffer.allocUnsafe,
): Buffer | undefined {
  // The encoder writes less than two lines between two checks of the limit.
  const out = allocate(limit + 2 * MAX_COLUMN)
  let to = 0
  let lineStart = 0
  let at = 0
  for (;;) {
    if (to > lineStart || !isHazard(text, at)) {
      const stop = Math.min(text.length, at + MAX_COLUMN - (to - lineStart))
      for (; at < stop; at++) {
        const byte = text[at]!
        if (LITERAL[byte] === 0) break
        out[to++] = byte
      }
    }

    if (to > limit) return undefined
    const byte = text[at]
    if (byte === undefined || byte === CR) {
      to = blankEscaped(out, lineStart, to)
      if (byte === undefined) break
      lineStart = lineEnd(out, to)
      to = lineStart
      at += 2
    } else if (to - lineStart + 3 > MAX_COLUMN) {
      lineStart = softBreak(out, to)
      to = lineStart
    } else {
      to = escaped(out, to, byte)
      at++
    }
  }
  return to > limit ? undefined : out.subarray(0, to)
}

/** True for a dot, two dashes or `From ` at the start of a line. */
function isHazard(text: Buffer, at: number): boolean {
  if (text[at] === DOT) return true
  if (text[at] === DASH) return text[at + 1] === DASH
  return text[at] === CAPITAL_F && text.toString('latin1', at, at + 5) === 'From '
}

/**
 * Encodes a blank at the end of the line; moves the blank to a new line if the encoded blank does not fit. Returns the
 * next position.
 */
function blankEscaped(out: Buffer, lineStart: number, to: number): number {
  const last = out[to - 1]!
  if (to === lineStart || (last !== SPACE && last !== TAB)) return to
  const column = to - lineStart
  return escaped(out, column + 2 > MAX_COLUMN + 1 ? softBreak(out, to - 1) : to - 1, last)
}

// The functions `escaped`, `softBreak` and `lineEnd` write at `to` and return the next position.

function escaped(out: Buffer, to: number, byte: number): number {
  out[to] = EQUALS
  out[to + 1] = HEX[byte >> 4]!
  out[to + 2] = HEX[byte & 15]!
  return to + 3
}

function softBreak(out: Buffer, to: number): number {
  out[to] = EQUALS
  return lineEnd(out, to + 1)
}

function lineEnd(out: Buffer, to: number): number {
  out[to] = CR
  out[to + 1] = LF
  return to + 2
}

/** Values of the hexadecimal digits in upper and lower case; 255 for all other bytes. */
const DIGIT = new Uint8Array(256).fill(255)
for (const [value, byte] of HEX.entries()) DIGIT[byte] = value
for (const [value, byte] of Buffer.from('abcdef').entries()) DIGIT[byte] = 10 + value

/** Maximum length of the white space that some hosts add between the `=` of a soft line break and the line end. */
const MAX_PADDING = 80

/**
 * Decodes quoted-printable (RFC 2045 §6.7). An `=` that begins neither an escape nor a soft line break stays as it is.
 * Never throws, and runs in linear time.
 */
export function fromQuotedPrintable(text: Buffer): Buffer {
  const out = Buffer.allocUnsafe(text.length)
  let to = 0
  for (let at = 0; at < text.length; ) {
    const byte = text[at]!
    const high = byte === EQUALS && at + 2 < text.length ? DIGIT[text[at + 1]!]! : 255
    const low = high === 255 ? 255 : DIGIT[text[at + 2]!]!
    const next = byte !== EQUALS || low !== 255 ? at : afterSoftBreak(text, at + 1)
    if (low !== 255) {
      out[to++] = (high << 4) | low
      at += 3
    } else if (next > at) at = next
    else {
      out[to++] = byte
      at++
    }
  }
  return out.subarray(0, to)
}

/** Returns the position after optional blanks and a line end; 0 if no line end follows the blanks. */
function afterSoftBreak(text: Buffer, from: number): number {
  let at = from
  while (at - from < MAX_PADDING && (text[at] === SPACE || text[at] === TAB)) at++
  if (text[at] === CR && text[at + 1] === LF) return at + 2
  return text[at] === LF ? at + 1 : 0
}
