// Mails of a test inbox in the documents of Mailpit's API, with its names of fields.

import { createHash } from 'node:crypto'
import { isId } from '../lib/ids.ts'
import type { AttachmentSummary, ReadContent } from '../mime/read-content.ts'
import type { MailSummary, SummaryMailbox } from '../model/test-inbox.ts'
import type { TestMailEntry } from '../store/inboxes/mails.ts'
import type { InboxEvent } from './inbox-feed.ts'
import type { OpenedMail } from './inbox-mails.ts'
import { bccOf } from './search.ts'

/** A mailbox in Mailpit's documents. */
interface PitMailbox {
  readonly Name: string
  readonly Address: string
}

const mailbox = ({ name, address }: SummaryMailbox): PitMailbox => ({ Name: name, Address: address })

/** Returns the ID of a mail for clients of Mailpit, which expect letters and digits alone. */
export const pitId = (id: string): string => id.slice(4)

/** Returns the ID of a mail of which a client of Mailpit gives its ID; an empty text if the ID has another form. */
export const mailIdOf = (id: string): string => (isId('mbx', `mbx_${id}`) ? `mbx_${id}` : '')

/** Fields of a mail that lists and the mail itself have in common. */
function common(entry: TestMailEntry) {
  const summary = JSON.parse(entry.summary) as MailSummary
  const recipients: string[] = JSON.parse(entry.recipients)
  return {
    ID: pitId(entry.id),
    MessageID: summary.messageIdHeader,
    From: summary.from === null ? null : mailbox(summary.from),
    To: summary.to.map(mailbox),
    Cc: summary.cc.map(mailbox),
    Bcc: bccOf(summary, recipients).map((address) => mailbox({ name: '', address })),
    ReplyTo: summary.replyTo.map(mailbox),
    Subject: summary.subject,
    Tags: JSON.parse(entry.tags) as string[],
    Size: entry.size,
  }
}

/** Returns the entry of a mail in a list, and in the event of a new mail. */
function pitSummary(entry: TestMailEntry): object {
  const { attachments, inline, snippet } = JSON.parse(entry.summary) as MailSummary
  const { ID, MessageID, Size, Tags, ...shown } = common(entry)
  return {
    ...{ ID, MessageID, Read: entry.seen === 1, ...shown },
    Created: new Date(entry.received_at).toISOString(),
    ...{ Username: entry.inbox_id, Tags, Size, Attachments: attachments + inline, Snippet: snippet },
  }
}

/** Returns the list of mails. */
export const pitList = (
  entries: readonly TestMailEntry[],
  counts: Readonly<Record<'total' | 'unread' | 'matches' | 'unreadMatches', number>>,
  start: number,
  tags: readonly string[],
): object => ({
  ...{ total: counts.total, unread: counts.unread, count: entries.length },
  ...{ messages_count: counts.matches, messages_unread: counts.unreadMatches, start, tags },
  messages: entries.map(pitSummary),
})

/** An event of Mailpit's WebSocket. */
interface PitEvent {
  readonly Type: string
  readonly Data: object | null
}

/** Returns the events of a change of an inbox; `version` is the version of the program, which `stats` contains. */
export function pitEvents(event: InboxEvent, version: string): readonly PitEvent[] {
  switch (event.kind) {
    case 'added':
      return [{ Type: 'new', Data: pitSummary(event.mail) }]
    case 'marked': {
      const { seen, tags } = event.mark
      const mark = {
        ...(seen === undefined ? {} : { Read: seen }),
        ...(tags === undefined ? {} : { Tags: tags }),
      }
      return event.ids.map((id) => ({ Type: 'update', Data: { ID: pitId(id), ...mark } }))
    }
    case 'removed':
      return event.ids.map((id) => ({ Type: 'delete', Data: { ID: pitId(id) } }))
    case 'counts':
      return [{ Type: 'stats', Data: { Total: event.total, Unread: event.unread, Version: version } }]
    case 'emptied':
      return [{ Type: 'truncate', Data: null }]
    case 'many':
      // Clients of Mailpit read the list again after this event.
      return [{ Type: 'prune', Data: null }]
  }
}

/** Returns a mail, with its links and codes in addition to Mailpit's fields. */
export function pitMessage({ mail, content, links, codes }: OpenedMail): object {
  const { ID, MessageID, From, To, Cc, Bcc, ReplyTo, Subject, Tags, Size } = common(mail)
  const date = fieldOf(content, 'date')
  const at = Date.parse(date ?? '')
  const files = content.attachments.map((file, index) => ({ file, part: attachment(file, index) }))
  return {
    ...{ ID, MessageID, From, To, Cc, Bcc, ReplyTo },
    ReturnPath: mail.mail_from,
    Subject,
    ListUnsubscribe: listUnsubscribe(content),
    Date: new Date(Number.isNaN(at) ? mail.received_at : at).toISOString(),
    ...{ Tags, Username: mail.inbox_id, Text: pitText(content.text), HTML: pitText(content.html), Size },
    Inline: files.filter(({ file }) => file.inline).map(({ part }) => part),
    Attachments: files.filter(({ file }) => !file.inline).map(({ part }) => part),
    ...{ links, codes },
  }
}

/** Returns a text without the line end that reading adds to its last line. */
export const pitText = (text: string | undefined): string => (text ?? '').replace(/\n$/, '')

const fieldOf = ({ headers }: ReadContent, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1]

function attachment(file: AttachmentSummary, index: number): object {
  const bytes = file.content ?? Buffer.alloc(0)
  const sum = (algorithm: string): string => createHash(algorithm).update(bytes).digest('hex')
  return {
    PartID: String(index + 1),
    FileName: file.filename ?? '',
    ContentType: file.contentType,
    ContentID: file.contentId ?? '',
    Size: file.size,
    Checksums: { MD5: sum('md5'), SHA1: sum('sha1'), SHA256: sum('sha256') },
  }
}

function listUnsubscribe(content: ReadContent): object {
  const Header = fieldOf(content, 'list-unsubscribe') ?? ''
  const Links = [...Header.matchAll(/<([^<>\s]{1,2000})>/g)].map(([, link]) => link)
  const isWrong = Header !== '' && Links.length === 0
  return {
    ...{ Header, Links },
    Errors: isWrong ? 'no links in angle brackets (RFC 2369 §2)' : '',
    HeaderPost: fieldOf(content, 'list-unsubscribe-post') ?? '',
  }
}

/** Returns the header fields with all values of each name, in the canonical spelling of names. */
export function pitHeaders({ headers }: Pick<ReadContent, 'headers'>): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null)
  for (const [name, value] of headers) {
    const key = canonical(name)
    fields[key] = [...(fields[key] ?? []), value]
  }
  return fields
}

/** Returns a field name with a capital at its beginning and after each hyphen. */
export const canonical = (name: string): string =>
  name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
