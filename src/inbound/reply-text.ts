// The reply in a text, without quotations and signature.

import EmailReplyParser from 'email-reply-parser'

/** Empty lines in a row that are kept: the library's patterns take quadratic time for longer runs. */
const MAX_EMPTY_LINES = 20

export const replyText = (text: string): string => new EmailReplyParser().parseReply(withFewEmptyLines(text))

function withFewEmptyLines(text: string): string {
  let empty = 0
  const kept = text.split('\n').filter((line) => {
    empty = line.trim() === '' ? empty + 1 : 0
    return empty <= MAX_EMPTY_LINES
  })
  return kept.join('\n')
}
