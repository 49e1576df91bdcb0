// Shows messages in the form of Resend.

import type { Static } from 'typebox'
import type { MessageSummary, MessageView } from '../../api/contract/message.ts'
import { uuidOfId } from '../../lib/ids.ts'
import type { EventType } from '../../model/event.ts'
import type { MessageStatus } from '../../model/message.ts'

type Summary = Static<typeof MessageSummary>
type View = Static<typeof MessageView>

/** Resend's names of the states of a message. */
const BY_STATUS: Readonly<Record<MessageStatus, string>> = {
  scheduled: 'scheduled',
  queued: 'queued',
  sending: 'sent',
  delivered: 'delivered',
  partially_delivered: 'delivered',
  bounced: 'bounced',
  suppressed: 'suppressed',
  failed: 'failed',
  cancelled: 'canceled',
}

/** Resend's names of events; an event without a name does not change the last event. */
const BY_EVENT: Readonly<Partial<Record<EventType, string>>> = {
  scheduled: 'scheduled',
  sending: 'sent',
  delivered: 'delivered',
  deferred: 'delivery_delayed',
  bounced: 'bounced',
  failed: 'failed',
  suppressed: 'suppressed',
  cancelled: 'canceled',
  opened: 'opened',
  clicked: 'clicked',
  complained: 'complained',
}

/** Returns a mailbox as text. */
export const mailboxText = ({
  email,
  name,
}: {
  readonly email: string
  readonly name?: string | null
}): string => {
  if (!name) return email
  return `${/^[\w !#$%&'*+/=?^`{|}~-]+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${email}>`
}

const fieldsOf = (message: Summary) => ({
  id: uuidOfId(message.message_id),
  message_id: `<${message.message_id_header}>`,
  to: message.to.map(mailboxText),
  from: mailboxText({ email: message.from, name: message.from_name }),
  created_at: message.created_at,
  subject: message.subject,
  bcc: message.bcc.map(mailboxText),
  cc: message.cc.map(mailboxText),
  scheduled_at: message.send_at,
})

/** Returns a message as an entry of a list. */
export const emailEntry = (message: Summary): object => ({
  ...fieldsOf(message),
  reply_to: null,
  last_event: isDelayed(message) ? 'delivery_delayed' : BY_STATUS[message.status],
})

const isDelayed = ({ status, to, cc, bcc }: Summary): boolean =>
  status === 'sending' && [...to, ...cc, ...bcc].some((one) => one.status === 'deferred')

/** Returns a message with its content, as far as the content is known. */
export const emailView = (message: View): object => ({
  object: 'email',
  ...fieldsOf(message),
  reply_to: (message.reply_to ?? []).map(mailboxText),
  html: message.html ?? null,
  text: message.text ?? null,
  last_event: lastEvent(message),
  tags: Object.entries(message.metadata).map(([name, value]) => ({ name, value })),
})

/** Returns the name of the newest event that Resend knows. */
function lastEvent(message: View): string {
  const names = message.events.flatMap(({ type }) => BY_EVENT[type] ?? [])
  return names.at(-1) ?? BY_STATUS[message.status]
}
