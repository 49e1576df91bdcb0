// The body hash of a signature: SHA-256 of the relaxed form of the body (RFC 6376 §3.4.4).

import { createHash, hash } from 'node:crypto'
import { Scratch } from '../threads/scratch.ts'

const CRLF = '\r\n'
const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32

/** Memory for the relaxed form of a body until the hash is computed. */
const scratch = new Scratch()

/** Approximate size, in bytes, of the pieces of whole lines in which long bodies are hashed. */
const PIECE = 256 * 1024

/** Returns the body hash (`bh=`) of a body in which CR and LF occur only as CRLF. */
export function relaxedBodyHash(body: Buffer): string {
  const inked = lastInk(body)
  // A body of only empty lines counts as empty (RFC 6376 §3.4.4).
  if (inked === 0) return hash('sha256', '', 'base64')
  const ends = body[inked] === CR
  const end = ends ? inked + 2 : inked
  if (ends && end <= PIECE) return hash('sha256', relaxed(body.subarray(0, end)), 'base64')

  const sum = createHash('sha256')
  for (let from = 0; from < end; ) {
    const next = endOfPiece(body, from, end)
    sum.update(relaxed(body.subarray(from, next)))
    from = next
  }
  if (!ends) sum.update(CRLF)
  return sum.digest('base64')
}

/** Returns the end of the last non-empty line without its trailing white space; 0 if all lines are empty. */
function lastInk(body: Buffer): number {
  let end = body.length
  for (; end > 0; end--) {
    const byte = body[end - 1]!
    if (byte !== LF && byte !== CR && byte !== SPACE && byte !== TAB) break
  }
  return end
}

/**
 * Returns the end of a piece, which is after a line end, so that the relaxed form of a piece does not depend on other
 * pieces.
 */
function endOfPiece(body: Buffer, from: number, end: number): number {
  if (end - from <= PIECE) return end
  const before = body.lastIndexOf(LF, from + PIECE - 1)
  if (before >= from) return before + 1
  const newline = body.indexOf(LF, from + PIECE)
  return newline < 0 || newline >= end ? end : newline + 1
}

/**
 * Reduces white space within lines to one space, and removes white space at line ends; returns the same buffer if no
 * byte changes. The search by a regular expression and the copy in blocks are several times faster than a loop over
 * bytes.
 */
function relaxed(lines: Buffer): Buffer {
  const run = /[ \t]{2,}|\t|[ \t]\r/g
  const text = lines.toString('latin1')
  let found = run.exec(text)
  if (found === null) return lines

  scratch.clear()
  const copy = scratch.take(lines.length)
  let to = 0
  let from = 0
  for (; found !== null; found = run.exec(text)) {
    to += lines.copy(copy, to, from, found.index)
    from = run.lastIndex
    if (text.charCodeAt(from - 1) === CR) run.lastIndex = --from
    else if (text.charCodeAt(from) !== CR) copy[to++] = SPACE
  }
  to += lines.copy(copy, to, from)
  return copy.subarray(0, to)
}
