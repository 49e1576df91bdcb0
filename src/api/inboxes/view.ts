// Views of test inboxes and their mail in the API.

import type { OpenedMail } from '../../inboxes/inbox-mails.ts'
import { bccOf } from '../../inboxes/search.ts'
import type { MailSummary, SummaryMailbox } from '../../model/test-inbox.ts'
import type { TestInbox } from '../../store/inboxes/inboxes.ts'
import type { TestMailEntry } from '../../store/inboxes/mails.ts'
import type { InboxMail, InboxMailSummary, InboxView } from '../contract/inbox.ts'

/** Returns an inbox; `publicUrl` is the base URL of the installation. */
export const inboxView = (inbox: TestInbox, publicUrl: string): InboxView => ({
  inbox_id: inbox.id,
  name: inbox.name,
  keep_days: Number(inbox.keep_days),
  keep_messages: Number(inbox.keep_messages),
  base_url: `${publicUrl}/inboxes/${inbox.id}`,
  username: inbox.id,
  created_at: new Date(Number(inbox.created_at)).toISOString(),
})

const mailbox = ({ name, address }: SummaryMailbox) => ({ email: address, name })

/** Returns a mail as an entry of a list. */
export function mailSummary(mail: TestMailEntry): InboxMailSummary {
  const summary = JSON.parse(mail.summary) as MailSummary
  const recipients: string[] = JSON.parse(mail.recipients)
  return {
    mail_id: mail.id,
    inbox_id: mail.inbox_id,
    message_id: mail.message_id.startsWith('msg_') ? mail.message_id : null,
    received_at: new Date(Number(mail.received_at)).toISOString(),
    from: summary.from && mailbox(summary.from),
    to: summary.to.map(mailbox),
    cc: summary.cc.map(mailbox),
    bcc: bccOf(summary, recipients),
    recipients,
    subject: summary.subject,
    tags: JSON.parse(mail.tags),
    read: mail.seen === 1,
    size: Number(mail.size),
    attachment_count: summary.attachments + summary.inline,
    snippet: summary.snippet,
  }
}

/** Returns a mail with its content. */
export function mailView({ mail, content, links, codes }: OpenedMail): InboxMail {
  return {
    ...mailSummary(mail),
    html: content.html ?? null,
    text: content.text ?? null,
    headers: content.headers.map(([name, value]) => ({ name, value })),
    attachments: content.attachments.map(({ filename, contentType, contentId, size, inline }, number) => ({
      ...{ number, filename: filename ?? null, content_type: contentType },
      ...{ content_id: contentId ?? null, size, inline },
    })),
    ...{ links: [...links], codes: [...codes], return_path: mail.mail_from },
    ...{ tls: mail.tls, incomplete: content.incomplete },
  }
}
