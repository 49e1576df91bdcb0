// Finds lines over 998 bytes, and folds long lines of header sections at white space.

import { MAX_LINE } from '../raw-message.ts'

/** Column at which lines are folded (RFC 5322 §2.1.1, RFC 2047 §2). */
const FOLD_AT = 76
/** Maximum length of a run without white space: a longer run leaves no room for the field name. */
export const MAX_RUN = 900

const LF = 10

/** Counts line ends. */
export function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) lines++
  return lines
}

/** Returns the start of the first line over 998 bytes, or -1. Lines end in CRLF. Runs in linear time. */
export function longLineIn(bytes: Buffer): number {
  for (let start = 0; bytes.length - start > MAX_LINE; ) {
    // Finds the last newline that keeps the line within the limit.
    const newline = bytes.lastIndexOf(LF, start + MAX_LINE + 1)
    if (newline < start) return start
    start = newline + 1
  }
  return -1
}

/** True if a text, given as a string in `latin1`, has a line over 998 bytes. */
export const hasLongLine = (latin1: string): boolean =>
  latin1.length > MAX_LINE && longLineIn(Buffer.from(latin1, 'latin1')) >= 0

/**
 * Folds long header lines before white space (RFC 5322 §2.2.3); other lines stay unchanged. Returns undefined if a run
 * without white space is too long for a line. White space at the end of a long line is dropped. Runs in linear time.
 */
export function withFoldedLines(latin1: string): string | undefined {
  const lines: string[] = []
  for (const line of latin1.split('\r\n')) {
    const folded = line.length > MAX_LINE ? foldedLine(line) : line
    if (folded === undefined) return undefined
    lines.push(folded)
  }
  return lines.join('\r\n')
}

function foldedLine(line: string): string | undefined {
  let folded = ''
  let column = 0
  let blanks = ''
  let words = 0
  for (const [run] of line.matchAll(/[ \t]+|[^ \t]+/g)) {
    if (/^[ \t]/.test(run)) {
      if (run.length > MAX_RUN) return undefined
      blanks = run
      continue
    }
    if (run.length > MAX_RUN) return undefined
    words++
    // Lines are never folded right after the field name: some mail clients lose a field whose first line has no value.
    const isValue = words > 2 || (words === 2 && !folded.endsWith(':'))
    if (blanks !== '' && isValue && column + blanks.length + run.length > FOLD_AT) {
      folded += '\r\n'
      column = 0
    }
    folded += blanks + run
    column += blanks.length + run.length
    blanks = ''
  }
  return folded
}
