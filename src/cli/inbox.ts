// postrider inbox: shows inbound mail, such as unrecognised bounces, that only a person can interpret.

import { formatTime } from '../lib/rfc3339.ts'
import { Problem } from '../model/problem.ts'
import { findInboxMail, type InboxMail, listInboxMails } from '../store/inbound/inbox.ts'
import type { Answer, Context } from './command.ts'
import { withStore } from './open.ts'
import { fields, printable, table } from './text.ts'
import { shortTime } from './times.ts'

const MAX_LINES = 100

export function list(context: Context, { limit }: { readonly limit: number | undefined }): Promise<Answer> {
  return withStore(context, async ({ store }) => {
    const mails = await listInboxMails(store.read, limit ?? MAX_LINES)
    const rows = mails.map((mail) => [
      mail.id,
      shortTime(mail.received_at),
      mail.mail_from || '<>',
      mail.rcpt_to,
      mail.subject.slice(0, 60),
    ])
    return {
      document: { data: mails.map(summary) },
      text: table(['mail', 'received', 'from', 'to', 'subject'], rows, 'The inbox is empty.'),
    }
  })
}

export function show(context: Context, { mail: id }: { readonly mail: string }): Promise<Answer> {
  return withStore(context, async ({ store }) => {
    const mail = await findInboxMail(store.read, id)
    if (mail === undefined) {
      throw new Problem(
        'not_found',
        `There is no message ${JSON.stringify(id)}; \`postrider inbox list\` shows all messages.`,
      )
    }
    const raw = Buffer.from(mail.raw).toString('utf8')
    const cut = mail.raw.length < mail.size ? `\n\n(the first ${mail.raw.length} of ${mail.size} bytes)` : ''
    const about = fields([
      ['Mail', mail.id],
      ['Received', shortTime(mail.received_at)],
      ['From', mail.mail_from || '<>'],
      ['To', mail.rcpt_to],
    ])
    return {
      document: { ...summary(mail), raw },
      text: `${about}\n\n${printable(raw.replaceAll('\r\n', '\n'), true)}${cut}`,
    }
  })
}

const summary = (mail: Omit<InboxMail, 'raw'>): object => ({
  mail_id: mail.id,
  received_at: formatTime(mail.received_at),
  mail_from: mail.mail_from,
  rcpt_to: mail.rcpt_to,
  subject: mail.subject,
  size: mail.size,
})
