// Views of a stored message in the API.

import type { Static } from 'typebox'
import { formatTime } from '../../lib/rfc3339.ts'
import { heldView } from '../../model/held.ts'
import { allTags, messageIdHeader } from '../../model/message.ts'
import { type MessageOrigin, originOfMessage } from '../../model/message-origin.ts'
import type { AcceptedDetail } from '../../model/tracking.ts'
import { findSubmitter, type Submitter } from '../../store/access/key-reads.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { FoundMessage, Message, Recipient } from '../../store/messages/messages.ts'
import type { MessageSummary, MessageView } from '../contract/message.ts'

type RecipientView = Static<typeof MessageSummary>['to'][number]

function recipientView(recipient: Recipient): RecipientView {
  const next = recipient.status === 'deferred' ? recipient.next_attempt_at : null
  return {
    email: recipient.email,
    name: recipient.name,
    status: recipient.status,
    last_event_at: formatTime(recipient.last_event_at),
    ...(recipient.smtp_code === null ? {} : { smtp_code: recipient.smtp_code }),
    ...(recipient.smtp_response === null ? {} : { smtp_response: recipient.smtp_response }),
    ...(recipient.mx === null ? {} : { mx: recipient.mx }),
    ...(next === null ? {} : { next_attempt_at: formatTime(next) }),
    ...(recipient.held === null ? {} : { held: heldView(recipient.held) }),
  }
}

/**
 * Returns a message as an entry of a list.
 *
 * @param accepted changes that were made to the message or left out, if known
 */
export function messageSummary(
  message: Message,
  recipients: readonly Recipient[],
  { warnings, ...accepted }: AcceptedDetail = {},
): Static<typeof MessageSummary> {
  const inRole = (role: Recipient['role']): RecipientView[] =>
    recipients.filter((recipient) => recipient.role === role).map(recipientView)
  return {
    message_id: message.id,
    message_id_header: messageIdHeader(message),
    status: message.status,
    stream: message.stream,
    from: message.from_email,
    from_name: message.from_name,
    subject: message.subject,
    tag: message.tag,
    tags: [...allTags(message)],
    metadata: message.metadata === null ? {} : JSON.parse(message.metadata),
    to: inRole('to'),
    cc: inRole('cc'),
    bcc: inRole('bcc'),
    send_at: formatTime(message.send_at),
    created_at: formatTime(message.created_at),
    updated_at: formatTime(message.updated_at),
    size: message.size,
    ...accepted,
    ...(warnings === undefined ? {} : { warnings: [...warnings] }),
    ...(message.inbox_id === null ? {} : { test: true, inbox_id: message.inbox_id }),
  }
}

/**
 * Returns a message with its recipients and its history.
 *
 * @param submitter the key or user that submitted the message, if known
 */
export function messageView(
  found: FoundMessage,
  submitter: Submitter | undefined,
): Static<typeof MessageView> {
  return {
    ...messageSummary(found.message, found.recipients, acceptedDetailOf(found)),
    ...originView(found.message),
    key:
      submitter === undefined ? null : { key_id: submitter.id, name: submitter.name, kind: submitter.kind },
    ...(found.message.resend_of === null ? {} : { resend_of: found.message.resend_of }),
    events: found.events.map((event) => ({
      id: event.id,
      type: event.type,
      at: formatTime(event.at),
      email: event.email,
      detail: JSON.parse(event.detail),
    })),
  }
}

/** Returns the template and the reply addresses of a message. */
function originView(message: Message): Omit<MessageOrigin, 'reply_to'> & {
  readonly reply_to?: { readonly email: string; readonly name: string | null }[]
} {
  const { reply_to: replyTo, ...template } = originOfMessage(message) ?? {}
  if (replyTo === undefined) return template
  return { ...template, reply_to: replyTo.map(({ email, name = null }) => ({ email, name })) }
}

/** Returns a message of the owner with its submitter. */
export async function shownMessage(read: Read, found: FoundMessage): Promise<Static<typeof MessageView>> {
  const { account_id, key_id } = found.message
  return messageView(found, await reading(findSubmitter(read, account_id, key_id)))
}

/** Returns the changes that were made to a message or left out, as recorded in its first `accepted` event. */
const acceptedDetailOf = ({ events }: FoundMessage): AcceptedDetail =>
  JSON.parse(events.find(({ type }) => type === 'accepted')?.detail ?? '{}')
