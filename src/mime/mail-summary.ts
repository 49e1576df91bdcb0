// Summarizes a mail for the list and the search of a test inbox.

import { withoutAccents } from '../model/subject-words.ts'
import type { MailSummary, SummarizedMail, SummaryMailbox } from '../model/test-inbox.ts'
import { type ReadContent, readContent } from './read-content.ts'

/** Maximum number of characters of a snippet. */
const SNIPPET = 250
/** Maximum number of characters of the text that searches look at; a match may not be found beyond. */
const SEARCHED_TEXT = 16_000
/** Maximum number of characters of one field, and of mailboxes of one field, in a summary. */
const MAX_FIELD = 1_000
const MAX_MAILBOXES = 100

/** Summarizes the bytes of a mail, in bounded time. */
export async function summarize(raw: Buffer): Promise<SummarizedMail> {
  return summaryOf(await readContent(raw))
}

/** Summarizes a mail whose content was read. */
function summaryOf(content: ReadContent): SummarizedMail {
  const { subject, from, to, cc, replyTo, headers, attachments } = content
  const text = content.text ?? htmlText(content.html ?? '')
  const messageId = headers.find(([name]) => name.toLowerCase() === 'message-id')?.[1] ?? ''
  const inline = attachments.filter((one) => one.inline).length
  const summary: MailSummary = {
    messageIdHeader: messageId.replace(/^<|>$/g, '').slice(0, MAX_FIELD),
    from: mailboxes(from)[0] ?? null,
    to: mailboxes(to),
    cc: mailboxes(cc),
    replyTo: mailboxes(replyTo),
    subject: subject.slice(0, MAX_FIELD),
    attachments: attachments.length - inline,
    inline,
    snippet: onOneLine(text.slice(0, 4 * SNIPPET)).slice(0, SNIPPET),
  }
  const people = [...mailboxes(from), ...summary.to, ...summary.cc, ...summary.replyTo]
  const said = [
    summary.subject,
    ...people.map(({ name, address }) => `${name} ${address}`),
    onOneLine(text.slice(0, SEARCHED_TEXT)),
  ]
  return { summary, search: withoutAccents(said.join('\n')).replaceAll('\0', '') }
}

const mailboxes = (all: ReadContent['from']): SummaryMailbox[] =>
  all.slice(0, MAX_MAILBOXES).map(({ name, address }) => ({
    name: (name ?? '').slice(0, MAX_FIELD),
    address: address.slice(0, MAX_FIELD),
  }))

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Number of characters of the HTML that are read for a snippet. */
const HTML_READ = 64_000

/** Returns roughly the text of HTML, for a mail without a text part; every expression takes linear time. */
export const htmlText = (html: string): string =>
  html
    .slice(0, HTML_READ)
    .replace(/<(style|script|title|head)\b[^<]{0,32000}<\/\1\s{0,9}>/gi, ' ')
    .replace(/<[^<>]{0,4000}>/g, ' ')
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? ' ')

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
