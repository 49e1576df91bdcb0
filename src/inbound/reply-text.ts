// The reply in a text, without quotations and signature.

import EmailReplyParser from 'email-reply-parser'

/** The library's patterns take quadratic time for longer runs of empty lines, and for longer lines. */
const MAX_EMPTY_LINES = 20
const MAX_LINE = 1_000
/** Stands on both sides of the number of the rest of a line; what is kept of a mail has none. */
const MARK = '\0'

/** Of a line that is longer than any that it tells quotations by, the library sees the beginning. */
export function replyText(text: string): string {
  const rests: string[] = []
  const shortened = (line: string): string => {
    if (line.length <= MAX_LINE) return line
    rests.push(line.slice(MAX_LINE))
    return `${line.slice(0, MAX_LINE)}${MARK}${rests.length - 1}${MARK}`
  }
  const lines = withFewEmptyLines(text.replaceAll(MARK, '').split('\n')).map(shortened)
  const pieces = new EmailReplyParser().parseReply(lines.join('\n')).split(MARK)
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : rests[Number(piece)])).join('')
}

function withFewEmptyLines(lines: readonly string[]): string[] {
  let empty = 0
  return lines.filter((line) => {
    empty = line.trim() === '' ? empty + 1 : 0
    return empty <= MAX_EMPTY_LINES
  })
}
