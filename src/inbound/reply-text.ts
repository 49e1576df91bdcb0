// Extracts the reply from the text of a mail: the author's words, without quotations, introductions of quotations, and
// the signature.

import { endOfAttribution } from './attribution.ts'
import { endOfQuotedHeader, isReplyMarker, separatorOf } from './quoted-header.ts'
import { withoutSignOff } from './sign-off.ts'

/** Maximum number of consecutive empty lines that are kept. */
const MAX_EMPTY_LINES = 20

/**
 * Returns the words of a mail's author; an empty text if the whole text is quoted. Answers between and below marked
 * lines (`>`) are kept. All text below a header as written by Outlook, and below an attribution without marked lines,
 * counts as quoted. Takes linear time for a text of any length.
 */
export function replyText(text: string): string {
  const lines = withFewEmptyLines(text.replaceAll('\0', '').split(/\r\n|\n/))
  const pieces: string[][] = []
  let piece: string[] = []
  for (let at = 0; at < lines.length; ) {
    const end = endOfQuotation(lines, at)
    if (end === undefined) {
      piece.push(lines[at++]!)
      continue
    }
    pieces.push(piece)
    piece = []
    at = end
  }
  pieces.push(piece)
  return pieces
    .map((own) =>
      withoutSignOff(own)
        .join('\n')
        .replace(/^(?:[ \t]*\n)+/, ''),
    )
    .filter((own) => own.trim() !== '')
    .join('\n\n')
}

const isMarked = (line: string): boolean => /^[ \t]{0,3}[>＞]/.test(line)
const isEmpty = (line: string | undefined): boolean => line !== undefined && line.trim() === ''

/**
 * Returns the index of the line after a quotation that begins at `at` with its introduction; undefined for a line of
 * the author.
 */
function endOfQuotation(lines: readonly string[], at: number): number | undefined {
  const line = lines[at]!
  if (isMarked(line)) return endOfMarked(lines, at)
  if (isEmpty(line)) return undefined
  if (isReplyMarker(line)) return lines.length
  const separator = separatorOf(line)
  const below = separator === undefined ? at : nextWritten(lines, at + 1)
  const header = below < lines.length ? endOfQuotedHeader(lines, below) : undefined
  if (header !== undefined) return endOfQuoted(lines, header)
  if (separator === 'original') return endOfQuoted(lines, at + 1)
  if (separator === 'rule') return undefined
  const attribution = endOfAttribution(lines, at, (after) => {
    const next = lines[nextWritten(lines, after)]
    return next !== undefined && (isMarked(next) || isReplyMarker(next))
  })
  return attribution === undefined ? undefined : endOfQuoted(lines, attribution)
}

/**
 * Returns the index of the line after a quotation: a marked quotation ends with its last marked line; an unmarked
 * quotation extends to the end of the text.
 */
function endOfQuoted(lines: readonly string[], from: number): number {
  const next = nextWritten(lines, from)
  return next < lines.length && isMarked(lines[next]!) ? endOfMarked(lines, next) : lines.length
}

/** Returns the index of the line after marked lines; empty lines between marked lines are part of the quotation. */
function endOfMarked(lines: readonly string[], from: number): number {
  let end = from
  for (let at = from; at < lines.length; at++) {
    if (isMarked(lines[at]!)) end = at + 1
    else if (!isEmpty(lines[at])) break
  }
  return end
}

/** Returns the index of the first line that is not empty, starting at `from`. */
function nextWritten(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && isEmpty(lines[at])) at++
  return at
}

function withFewEmptyLines(lines: readonly string[]): string[] {
  let empty = 0
  return lines.filter((line) => {
    empty = isEmpty(line) ? empty + 1 : 0
    return empty <= MAX_EMPTY_LINES
  })
}
