// The body hash of a signature: SHA-256 over the relaxed form of the body (RFC 6376 §3.4.4).

import { createHash, hash } from 'node:crypto'
import { Scratch } from '../lib/scratch.ts'

const CRLF = '\r\n'
const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32

/** For the relaxed form, until it has been hashed. */
const scratch = new Scratch()

/** Long bodies are taken in pieces of whole lines, each about as large as this. */
const PIECE = 256 * 1024

/** The value of `bh=` for a body whose CR and LF are those of CRLF. */
export function relaxedBodyHash(body: Buffer): string {
  const inked = lastInk(body)
  // §3.4.4: a body of empty lines alone is empty.
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

/** The end of the last line that is not empty, without the white space behind it; 0 if there is none. */
function lastInk(body: Buffer): number {
  let end = body.length
  for (; end > 0; end--) {
    const octet = body[end - 1]!
    if (octet !== LF && octet !== CR && octet !== SPACE && octet !== TAB) break
  }
  return end
}

/** A place behind a line end, so that a piece has its relaxed form without regard to the others. */
function endOfPiece(body: Buffer, from: number, end: number): number {
  if (end - from <= PIECE) return end
  const before = body.lastIndexOf(LF, from + PIECE - 1)
  if (before >= from) return before + 1
  const behind = body.indexOf(LF, from + PIECE)
  return behind < 0 || behind >= end ? end : behind + 1
}

/**
 * White space within a line reduced to one space and removed at its end; the lines themselves where there is
 * nothing to do. The search runs in the regular expression engine and the rest is copied whole: several times
 * faster than going through the bytes one by one.
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
