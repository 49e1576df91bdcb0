// useSend's payload: one event, signed with HMAC-SHA256 (docs.usesend.com/guides/webhooks).

import { createHmac } from 'node:crypto'
import type { EventType } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import type { SuppressionReason } from '../../model/suppression.ts'
import type { FeedEvent } from '../../store/events/feed.ts'
import { factsOf } from '../event-facts.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'
import { subTypeOfBounce } from './resend.ts'

/** Version of the payloads. */
const VERSION = '2026-01-18'

/** useSend's states of an email by the type of event; the name of an event is its state. */
const STATES: Readonly<Partial<Record<EventType, string>>> = {
  accepted: 'QUEUED',
  delivered: 'DELIVERED',
  deferred: 'DELIVERY_DELAYED',
  bounced: 'BOUNCED',
  failed: 'FAILED',
  suppressed: 'SUPPRESSED',
  cancelled: 'CANCELLED',
  opened: 'OPENED',
  clicked: 'CLICKED',
  complained: 'COMPLAINED',
}

/** useSend's kinds of suppressions. */
const SUPPRESSIONS: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'Bounce',
  complaint: 'Complaint',
  unsubscribe: 'Manual',
  manual: 'Manual',
}

/** Returns the fields that only events of one type have. */
function fieldsOf(event: FeedEvent): object {
  const { at: timestamp, reply, category } = eventDocument(event)
  const { isHard, suppression = 'manual', url, userAgent } = factsOf(event)
  const response = [reply?.smtp_code, reply?.smtp_response].filter((part) => part != null).join(' ')
  switch (event.type) {
    case 'bounced': {
      const type = isHard ? 'Permanent' : 'Undetermined'
      return { bounce: { type, subType: subTypeOfBounce(category), message: response || (category ?? '') } }
    }
    case 'failed':
      return { failed: { reason: response || (category ?? 'failed') } }
    case 'suppressed':
      return {
        suppression: { type: SUPPRESSIONS[suppression], reason: 'The address is on the suppression list.' },
      }
    case 'opened':
      return { open: { timestamp, userAgent } }
    case 'clicked':
      return { click: { timestamp, url, userAgent } }
    default:
      return {}
  }
}

function dataOf(event: FeedEvent, status: string): object {
  return {
    ...{ id: event.messageId, status, from: event.from ?? '', to: [event.email] },
    occurredAt: new Date(event.at).toISOString(),
    ...{ campaignId: null, contactId: null, domainId: null, subject: event.subject },
    metadata: { ...event.metadata, messageId: event.messageIdHeader ?? event.messageId },
    ...fieldsOf(event),
  }
}

export const usesend: PayloadFormat = {
  types: new Set(Object.keys(STATES) as EventType[]),
  batches: false,
  compose([first], { keys, at }) {
    const event = first!
    const status = STATES[event.type] ?? ''
    const type = `email.${status.toLowerCase()}`
    const createdAt = new Date(event.at).toISOString()
    const body = JSON.stringify({
      ...{ id: event.id, type, version: VERSION, createdAt, teamId: 0 },
      data: dataOf(event, status),
    })
    const timestamp = String(at)
    // The header has room for one signature, made with the newest secret; the text of the secret is the key.
    const signature = createHmac('sha256', keys[0]?.secret ?? '').update(`${timestamp}.${body}`)
    return {
      body,
      headers: {
        ...JSON_TYPE,
        'x-usesend-event': type,
        'x-usesend-call': event.id,
        'x-usesend-timestamp': timestamp,
        'x-usesend-signature': `v1=${signature.digest('hex')}`,
      },
    }
  },
}
