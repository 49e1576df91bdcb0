// Postmark's inbound messages.

import type { Static } from 'typebox'
import type { InboundSummaryView, InboundView } from '../../api/contract/inbound.ts'
import { uuidOfId } from '../../lib/ids.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, orMissing, uuidIn } from './objects.ts'
import { PAGE, RANGE, readPage, readRange } from './paging.ts'
import { timeOf } from './times.ts'

const noun = 'Inbound messages'
const LIST = new FieldNames(
  ...[...PAGE, ...RANGE, 'recipient', 'fromemail', 'tag', 'subject', 'mailboxhash', 'status'],
)
const REFUSED = 'No inbound message is blocked; `POST /v1/webhooks/{webhook_id}/replay` sends events again.'

type Summary = Static<typeof InboundSummaryView>
type Whole = Static<typeof InboundView>
type Mailbox = Whole['to'][number]

export const inboundCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/messages/inbound', noun, scope: 'inbound:read' },
    summary: 'List inbound messages',
    state: 'differs',
    differences:
      'Recipients other than that of the envelope, and the names of attachments, are in the details only. Messages have no tag.',
    handler: listInbound,
  },
  {
    ...{ method: 'GET', path: '/messages/inbound/:id/details', noun, scope: 'inbound:read' },
    summary: 'Read an inbound message',
    state: 'differs',
    differences: 'Attachments have a link (`Url`) instead of their content.',
    handler: details,
  },
  {
    ...{ method: 'PUT', path: '/messages/inbound/:id/bypass', noun, scope: 'any-credential' },
    summary: 'Accept a blocked message',
    state: 'refused',
    differences: REFUSED,
  },
  {
    ...{ method: 'PUT', path: '/messages/inbound/:id/retry', noun, scope: 'any-credential' },
    summary: 'Send the webhook of a message again',
    state: 'refused',
    differences: REFUSED,
  },
]

/** Postmark's inbound rules, which are known and not served. */
const RULES = [
  ['GET', '/triggers/inboundRules', 'List inbound rules'],
  ['POST', '/triggers/inboundRules', 'Create an inbound rule'],
  ['DELETE', '/triggers/inboundRules/:id', 'Delete an inbound rule'],
] as const

export const triggerCalls: readonly VendorCall[] = RULES.map(([method, path, summary]) => ({
  ...{ method, path, summary, noun: 'Inbound rules', scope: 'any-credential', state: 'refused' },
  differences: 'Inbound streams accept mail for their addresses, and refuse no senders.',
}))

async function listInbound(translation: Translation): Promise<object> {
  const { reading } = translation
  const fields = translation.query(LIST)
  const page = readPage(fields, reading)
  const subject = fields.text('subject')?.toLowerCase()
  const hash = fields.text('mailboxhash')
  const [from, recipient] = [fields.text('fromemail'), fields.text('recipient')]
  for (const name of ['tag', 'status']) {
    const isAll = name === 'status' && fields.text(name)?.toLowerCase() === 'processed'
    if (fields.has(name) && !isAll) reading.refuse(name, `Inbound messages have no ${name} of this kind.`)
  }
  const query = {
    ...readRange(fields, reading),
    ...(from === undefined ? {} : { from }),
    ...(recipient === undefined ? {} : { recipient }),
  }
  const isWanted = (row: Summary): boolean =>
    (subject === undefined || row.subject.toLowerCase().includes(subject)) &&
    (hash === undefined || hashOf(row.rcpt_to[0] ?? '') === hash)
  const rows = rowsWhere(rowsOf<Summary>(translation, 'inbound.list', query), isWanted)
  const found = await pageOf(rows, page)
  return { TotalCount: found.total, InboundMessages: found.rows.map((row) => viewOf(row)) }
}

async function details(translation: Translation): Promise<object> {
  const inbound_id = uuidIn(translation, 'inb', MISSING.message)
  const shown = translation.v1<Whole>('inbound.get', { params: { inbound_id } })
  const { body } = await orMissing(MISSING.message, shown)
  return {
    ...viewOf(body, body),
    TextBody: body.text ?? '',
    HtmlBody: body.html ?? '',
    StrippedTextReply: body.reply_text ?? '',
    Headers: body.headers.map(({ name, value }) => ({ Name: name, Value: value })),
    BlockedReason: '',
  }
}

/** Returns the part of a local part after the first plus sign. */
const hashOf = (email: string): string => /^[^+@]*\+([^@]*)@/.exec(email)?.[1] ?? ''

function mailboxView({ email, name }: Mailbox): object {
  return { Email: email, Name: name ?? '', MailboxHash: hashOf(email) }
}

const textOf = ({ email, name }: Mailbox): string => (name === null ? email : `"${name}" <${email}>`)

/** Returns a message in Postmark's form; `whole` adds what only the details have. */
function viewOf(row: Summary, whole?: Whole): object {
  const original = row.rcpt_to[0] ?? ''
  const from = row.from ?? { email: row.mail_from, name: null }
  const to = whole?.to ?? row.rcpt_to.map((email) => ({ email, name: null }))
  const cc = whole?.cc ?? []
  const [replyTo] = whole?.reply_to ?? []
  return {
    From: from.email,
    FromName: from.name ?? '',
    FromFull: mailboxView(from),
    ...{ To: to.map(textOf).join(', '), ToFull: to.map(mailboxView) },
    ...{ Cc: cc.map(textOf).join(', '), CcFull: cc.map(mailboxView), Bcc: '', BccFull: [] },
    ReplyTo: replyTo?.email ?? '',
    OriginalRecipient: original,
    Subject: row.subject,
    Date: timeOf(whole?.date ?? row.received_at),
    MailboxHash: hashOf(original),
    Tag: '',
    MessageID: uuidOfId(row.inbound_id),
    Status: row.status === 'processed' ? 'Processed' : 'Queued',
    Attachments: (whole?.attachments ?? []).map(({ filename, content_type, size, content_id, url }) => ({
      Name: filename ?? '',
      ContentType: content_type,
      ContentLength: size,
      ContentID: content_id ?? '',
      Url: url,
    })),
    MessageStream: row.stream,
  }
}
