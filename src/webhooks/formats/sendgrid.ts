// SendGrid's payload: a list of events, and its signature by ECDSA (the Event Webhook of its reference).

import { sign } from 'node:crypto'
import type { EventType } from '../../model/event.ts'
import { type EventDocument, eventDocument } from '../../model/event-document.ts'
import type { FeedEvent } from '../../store/events/feed.ts'
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
  const document = eventDocument(event)
  return {
    // First, so that no name of the metadata replaces a field of the event.
    ...event.metadata,
    email: event.email,
    timestamp: Math.floor(event.at / 1_000),
    event: NAMES[event.type],
    sg_event_id: event.id,
    sg_message_id: event.messageId,
    'smtp-id': `<${event.messageId}>`,
    ...(event.tag === null ? {} : { category: [event.tag] }),
    ...fieldsOf(event.type, document),
  }
}

function fieldsOf(type: EventType, { attempt, reply, category, detail }: EventDocument): object {
  const response = [reply?.smtp_code, reply?.smtp_response].filter((part) => part != null).join(' ')
  switch (type) {
    case 'delivered':
      return { response }
    case 'deferred':
      return { response, attempt: String(attempt ?? 1) }
    case 'bounced':
    case 'failed': {
      const blocked = category === 'blocked' || category === 'policy' || category === 'content'
      const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(reply?.smtp_response ?? '')?.[0] ?? '5.0.0'
      return { reason: response || (category ?? ''), status, type: blocked ? 'blocked' : 'bounce' }
    }
    case 'suppressed':
      return { reason: detail.reason === 'unsubscribe' ? 'Unsubscribed Address' : 'Bounced Address' }
    case 'opened':
      return { useragent: detail.user_agent, ip: detail.ip }
    case 'clicked':
      return { useragent: detail.user_agent, ip: detail.ip, url: detail.url }
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
    // It knows one signature: that of the newest key.
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
