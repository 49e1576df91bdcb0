// Resend's payload: one event, with the signature of Standard Webhooks in the headers of Svix (resend.com/docs/webhooks).

import { uuidOfId } from '../../lib/ids.ts'
import type { BounceCategory } from '../../model/bounce-category.ts'
import type { EventType } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import { factsOf } from '../event-facts.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'
import type { MessagePayload } from '../received-mail.ts'

/** Resend's names of event types. */
export const RESEND_EVENTS: Readonly<Partial<Record<EventType, string>>> = {
  accepted: 'email.sent',
  scheduled: 'email.scheduled',
  delivered: 'email.delivered',
  deferred: 'email.delivery_delayed',
  bounced: 'email.bounced',
  failed: 'email.failed',
  suppressed: 'email.suppressed',
  opened: 'email.opened',
  clicked: 'email.clicked',
  complained: 'email.complained',
  received: 'email.received',
}

/** Resend's kinds of bounces by category; other bounces are `General`. */
const SUBTYPES: Readonly<Partial<Record<BounceCategory, string>>> = {
  mailbox_not_found: 'NoEmail',
  mailbox_full: 'MailboxFull',
  content: 'ContentRejected',
  size: 'MessageTooLarge',
}

/** Returns Resend's kind of a bounce. */
export const subTypeOfBounce = (category: string | null): string =>
  SUBTYPES[category as BounceCategory] ?? 'General'

/** Names and values of tags: the metadata, and the first tag of a message that was not sent with pairs. */
const tagsOf = ({
  tag,
  metadata,
}: Pick<MessagePayload, 'tag' | 'metadata'>): Readonly<Record<string, string>> =>
  tag === null || Object.hasOwn(metadata, 'tag') ? metadata : { tag, ...metadata }

/** Returns tags and metadata in the header fields in which django-anymail sends them, and expects them here. */
function headersOf({ tags, metadata }: Pick<MessagePayload, 'tags' | 'metadata'>): object {
  const headers = [
    ...(tags.length === 0 ? [] : [{ name: 'X-Tags', value: JSON.stringify(tags) }]),
    ...(Object.keys(metadata).length === 0 ? [] : [{ name: 'X-Metadata', value: JSON.stringify(metadata) }]),
  ]
  return headers.length === 0 ? {} : { headers }
}

function dataOf(event: MessagePayload): object {
  const { at, reply, category } = eventDocument(event)
  const { isHard, suppression, url, userAgent } = factsOf(event)
  const response = [reply?.smtp_code, reply?.smtp_response].filter((part) => part != null).join(' ')
  switch (event.type) {
    case 'bounced':
      return {
        bounce: {
          message: response || (category ?? ''),
          subType: subTypeOfBounce(category),
          type: isHard ? 'Permanent' : 'Undetermined',
        },
      }
    case 'failed':
      return { failed: { reason: category ?? 'failed' } }
    case 'suppressed':
      return {
        suppressed: {
          message: 'The address is on the suppression list.',
          type: suppression === 'complaint' ? 'OnAccountSuppressionList' : 'Suppressed',
        },
      }
    case 'clicked':
      return { click: { ipAddress: '', link: url, timestamp: at, userAgent } }
    default:
      return {}
  }
}

/** Parts of a received mail that the payload shows. */
interface Received {
  readonly received_at: string
  readonly from: { readonly email: string; readonly name: string | null } | null
  readonly rcpt_to: readonly string[]
  readonly to: readonly { readonly email: string }[]
  readonly cc: readonly { readonly email: string }[]
  readonly message_id: string | null
  readonly attachments: readonly {
    readonly filename: string | null
    readonly content_type: string
    readonly content_id: string | null
    readonly inline: boolean
  }[]
}

/** Returns the data of a received mail; the content is read with the API, as at Resend. */
function receivedOf(event: MessagePayload): object {
  const mail = event.inbound as Received | undefined
  const emails = (list: Received['to'] = []): string[] => list.map(({ email }) => email)
  return {
    created_at: mail?.received_at ?? new Date(event.at).toISOString(),
    from: mail?.from?.email ?? '',
    to: mail === undefined ? [event.email] : emails(mail.to),
    ...{ bcc: [], cc: emails(mail?.cc) },
    received_for: mail?.rcpt_to ?? [event.email],
    subject: event.subject,
    attachments: (mail?.attachments ?? []).map((one, index) => ({
      id: attachmentUuid(index),
      filename: one.filename,
      content_type: one.content_type,
      content_disposition: one.inline ? 'inline' : 'attachment',
      content_id: one.content_id,
    })),
  }
}

/** Returns the UUID of an attachment of a received mail: the position of the attachment in the mail. */
export const attachmentUuid = (index: number): string =>
  `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`

function payloadOf(event: MessagePayload): object {
  const { at } = eventDocument(event)
  const ids = {
    email_id: uuidOfId(event.messageId),
    message_id: `<${event.messageIdHeader ?? event.messageId}>`,
  }
  const data =
    event.type === 'received'
      ? { ...ids, ...receivedOf(event) }
      : {
          ...ids,
          created_at: at,
          from: event.from ?? '',
          to: [event.email],
          subject: event.subject,
          tags: tagsOf(event),
          ...headersOf(event),
          ...dataOf(event),
        }
  return { type: RESEND_EVENTS[event.type], created_at: at, data }
}

export const resend: PayloadFormat = {
  types: new Set(Object.keys(RESEND_EVENTS) as EventType[]),
  batches: false,
  signatureHeaders: 'svix',
  compose: ([event]) => ({ headers: JSON_TYPE, body: JSON.stringify(payloadOf(event!)) }),
}
