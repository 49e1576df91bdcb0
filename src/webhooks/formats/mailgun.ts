// Mailgun's payload: one event with its signature (documentation.mailgun.com, Webhooks).

import { createHash, createHmac } from 'node:crypto'
import type { EventType } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import type { SuppressionReason } from '../../model/suppression.ts'
import type { PublishedEvent } from '../../store/events/feed.ts'
import { type EventFacts, factsOf } from '../event-facts.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'

const NAMES: Readonly<Partial<Record<EventType, string>>> = {
  accepted: 'accepted',
  delivered: 'delivered',
  deferred: 'failed',
  bounced: 'failed',
  failed: 'failed',
  suppressed: 'failed',
  opened: 'opened',
  clicked: 'clicked',
  complained: 'complained',
  unsubscribed: 'unsubscribed',
}

/** Returns Mailgun's name of an event type, and the severity of a failure; undefined if Mailgun has none. */
export const mailgunType = (type: EventType): { readonly name?: string; readonly severity?: string } => {
  const name = NAMES[type]
  if (name === undefined) return {}
  return name === 'failed' ? { name, severity: type === 'deferred' ? 'temporary' : 'permanent' } : { name }
}

/** Returns an event as Mailgun shows it in webhooks and in its list of events. */
export function mailgunEvent(event: PublishedEvent): object {
  const { attempt, reply, category } = eventDocument(event)
  const facts = factsOf(event)
  const { type } = event
  const failed = NAMES[type] === 'failed'
  const attempted = failed || type === 'delivered'
  return {
    event: NAMES[type],
    id: event.id,
    timestamp: event.at / 1_000,
    'log-level': type === 'deferred' ? 'warn' : failed ? 'error' : 'info',
    recipient: event.email,
    'recipient-domain': event.email.slice(event.email.lastIndexOf('@') + 1),
    tags: event.tags,
    'user-variables': event.metadata,
    campaigns: [],
    message: {
      id: event.messageId,
      headers: {
        'message-id': event.messageIdHeader ?? event.messageId,
        to: event.email,
        ...(event.from === null ? {} : { from: event.from }),
        subject: event.subject,
      },
      attachments: [],
    },
    ...(failed
      ? { severity: type === 'deferred' ? 'temporary' : 'permanent', reason: reasonOf(type, facts) }
      : {}),
    ...(attempted
      ? {
          'delivery-status': {
            'attempt-no': attempt ?? 1,
            code: reply?.smtp_code ?? codeOf(type),
            message: reply?.smtp_response ?? '',
            description: category ?? '',
            'mx-host': reply?.mx ?? '',
          },
          flags: {
            'is-routed': false,
            'is-authenticated': true,
            'is-system-test': false,
            'is-test-mode': event.detail.test === true,
          },
        }
      : {}),
    ...(type === 'opened' || type === 'clicked' ? { 'client-info': { 'user-agent': facts.userAgent } } : {}),
    ...(type === 'clicked' ? { url: facts.url } : {}),
  }
}

/**
 * Mailgun's names of suppression reasons. A manual suppression is not caused by a bounce, and is reported as an
 * unsubscription, because someone decided that the address gets no mail.
 */
const SUPPRESSIONS: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'suppress-bounce',
  complaint: 'suppress-complaint',
  unsubscribe: 'suppress-unsubscribe',
  manual: 'suppress-unsubscribe',
}

function reasonOf(type: EventType, { suppression, isHard }: EventFacts): string {
  if (type === 'suppressed' && suppression !== undefined) return SUPPRESSIONS[suppression]
  return type === 'bounced' && isHard ? 'bounce' : 'generic'
}

/** Returns the SMTP code for an attempt that ended without a reply; receivers read the first digit of the code. */
function codeOf(type: EventType): number {
  if (type === 'delivered') return 250
  return type === 'deferred' ? 450 : 550
}

export const mailgun: PayloadFormat = {
  types: new Set(Object.keys(NAMES) as EventType[]),
  batches: false,
  compose([first], { keys, at }) {
    const event = first!
    const timestamp = String(Math.floor(at / 1_000))
    // The token of an event is the same at every attempt, since receivers refuse a repeated token.
    const token = createHash('sha256').update(event.id).digest('hex').slice(0, 50)
    // The payload has room for one signature, made with the newest secret; the text of the secret is the signing key.
    const signature = createHmac('sha256', keys[0]?.secret ?? '')
      .update(timestamp + token)
      .digest('hex')
    const body = JSON.stringify({
      signature: { timestamp, token, signature },
      'event-data': mailgunEvent(event),
    })
    return { headers: JSON_TYPE, body }
  },
}
