// Postal's payload: one event, signed with an RSA key (docs.postalserver.io/developer/webhooks).

import { timeOfId, uuidOfId } from '../../lib/ids.ts'
import type { EventType } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import { numberOfEvent, numberOfRecipient, tokenOfRecipient } from '../../model/event-number.ts'
import type { FeedEvent } from '../../store/events/feed.ts'
import { factsOf } from '../event-facts.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'
import { rsaKeyId, signLater } from '../signing-keys.ts'

/** Postal's names of the events of an attempt, and of the state of the message after the event. */
const ATTEMPTS: Readonly<Partial<Record<EventType, readonly [event: string, status: string]>>> = {
  delivered: ['MessageSent', 'Sent'],
  deferred: ['MessageDelayed', 'SoftFail'],
  bounced: ['MessageDeliveryFailed', 'HardFail'],
  failed: ['MessageDeliveryFailed', 'HardFail'],
  suppressed: ['MessageHeld', 'Held'],
}

/** Returns the message of one recipient, as Postal shows it. */
function messageOf(event: FeedEvent): object {
  const { messageId, email, from, subject, tag } = event
  return {
    id: numberOfRecipient(event),
    token: tokenOfRecipient(event),
    direction: 'outgoing',
    message_id: event.messageIdHeader ?? messageId,
    ...{ to: email, from: from ?? '', subject, timestamp: timeOfId(messageId) / 1_000 },
    ...{ spam_status: 'NotChecked', tag },
  }
}

/** Returns the report by which a message bounced after its delivery, as a message. */
const reportOf = ({ id, at, from, subject }: FeedEvent): object => ({
  ...{ id: numberOfEvent({ id, at }), token: '', direction: 'incoming', message_id: '' },
  ...{ to: from ?? '', from: '', subject, timestamp: at / 1_000, spam_status: 'NotChecked', tag: null },
})

function contentOf(event: FeedEvent): readonly [name: string, payload: object] {
  const { isAsynchronous, url, userAgent: user_agent } = factsOf(event)
  const message = messageOf(event)
  const reader = { ip_address: '', user_agent }
  if (event.type === 'opened') return ['MessageLoaded', { message, ...reader }]
  if (event.type === 'clicked') return ['MessageLinkClicked', { message, url, token: '', ...reader }]
  if (event.type === 'bounced' && isAsynchronous) {
    return ['MessageBounced', { original_message: message, bounce: reportOf(event) }]
  }
  const [name, status] = ATTEMPTS[event.type] ?? []
  if (name === undefined) throw new Error(`Postal has no payload for ${event.type}`)
  const { reply, category } = eventDocument(event)
  return [
    name,
    {
      ...{ message, status, details: category ?? '' },
      output: [reply?.smtp_code, reply?.smtp_response].filter((part) => part != null).join(' '),
      ...{ sent_with_ssl: event.detail.tls !== undefined, timestamp: event.at / 1_000, time: null },
    },
  ]
}

export const postal: PayloadFormat = {
  types: new Set([...(Object.keys(ATTEMPTS) as EventType[]), 'opened', 'clicked']),
  batches: false,
  compose([first]) {
    const event = first!
    const [name, payload] = contentOf(event)
    const body = { event: name, timestamp: event.at / 1_000, payload, uuid: uuidOfId(event.id) }
    return { headers: JSON_TYPE, body: JSON.stringify(body) }
  },
  async sign(body, [newest]) {
    // The request has room for one signature of each kind, made with the newest key.
    const key = newest?.rsa
    if (key === undefined) return {}
    const signed = Buffer.from(body)
    const [sha1, sha256] = await Promise.all(
      ['sha1', 'sha256'].map((algorithm) => signLater(algorithm, signed, key)),
    )
    return {
      'x-postal-signature': sha1?.toString('base64') ?? '',
      'x-postal-signature-256': sha256?.toString('base64') ?? '',
      'x-postal-signature-kid': rsaKeyId(key),
    }
  },
}
