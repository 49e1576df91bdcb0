// SendGrid's payload: a list of events, signed with ECDSA (Event Webhook in SendGrid's reference).

import { sign } from 'node:crypto'
import type { EventType } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import type { SuppressionReason } from '../../model/suppression.ts'
import type { FeedEvent } from '../../store/events/feed.ts'
import { factsOf } from '../event-facts.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'

const NAMES: Readonly<Partial<Record<EventType, string>>> = {
  accepted: 'processed',
  delivered: 'delivered',
  deferred: 'deferred',
  bounced: 'bounce',
  failed: 'bounce',
  suppressed: 'dropped',
  opened: 'open',
  clicked: 'click',
  complained: 'spamreport',
  unsubscribed: 'unsubscribe',
}

function entryOf(event: FeedEvent): object {
  return {
    // The metadata comes first, so that no key of the metadata overwrites a field of the event.
    ...event.metadata,
    email: event.email,
    timestamp: Math.floor(event.at / 1_000),
    event: NAMES[event.type],
    sg_event_id: event.id,
    sg_message_id: event.messageId,
    'smtp-id': `<${event.messageIdHeader ?? event.messageId}>`,
    ...(event.tags.length === 0 ? {} : { category: event.tags }),
    ...fieldsOf(event),
  }
}

/**
 * SendGrid's reasons for a dropped message. A manual suppression is not caused by a bounce, and is reported as an
 * unsubscription, because someone decided that the address gets no mail.
 */
const SUPPRESSIONS: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'Bounced Address',
  complaint: 'Spam Reporting Address',
  unsubscribe: 'Unsubscribed Address',
  manual: 'Unsubscribed Address',
}

function fieldsOf(event: FeedEvent): object {
  const { attempt, reply, category } = eventDocument(event)
  const { isHard, suppression, hit, userAgent: useragent, url } = factsOf(event)
  const response = [reply?.smtp_code, reply?.smtp_response].filter((part) => part != null).join(' ')
  switch (event.type) {
    case 'delivered':
      return { response }
    case 'deferred':
      return { response, attempt: String(attempt ?? 1) }
    case 'bounced':
    case 'failed': {
      const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(reply?.smtp_response ?? '')?.[0] ?? '5.0.0'
      // `bounce` says that the address itself was refused; every other failure is `blocked`, after which mail to the
      // address continues.
      return { reason: response || (category ?? ''), status, type: isHard ? 'bounce' : 'blocked' }
    }
    case 'suppressed':
      return { reason: suppression === undefined ? 'Suppressed Address' : SUPPRESSIONS[suppression] }
    case 'opened':
      return { useragent, sg_machine_open: hit === 'machine' }
    case 'clicked':
      return { useragent, url }
    default:
      return {}
  }
}

export const sendgrid: PayloadFormat = {
  types: new Set(Object.keys(NAMES) as EventType[]),
  batches: true,
  compose(events, { keys, at }) {
    const body = JSON.stringify(events.map(entryOf))
    const timestamp = String(Math.floor(at / 1_000))
    // The payload has room for one signature, made with the newest key.
    const [newest] = keys
    const signature = newest && sign('sha256', Buffer.from(timestamp + body), newest.p256).toString('base64')
    return {
      body,
      headers: {
        ...JSON_TYPE,
        'x-twilio-email-event-webhook-signature': signature ?? '',
        'x-twilio-email-event-webhook-timestamp': timestamp,
      },
    }
  },
}
