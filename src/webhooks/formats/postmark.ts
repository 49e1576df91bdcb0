// Postmark's payload: one record for each event (postmarkapp.com/developer/webhooks/webhooks-overview).

import { uuidOfId } from '../../lib/ids.ts'
import type { BounceCategory } from '../../model/bounce-category.ts'
import type { EventType } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import { numberOfEvent } from '../../model/event-number.ts'
import { DEFAULT_STREAM } from '../../model/stream.ts'
import type { FeedEvent } from '../../store/events/feed.ts'
import { type EventFacts, factsOf } from '../event-facts.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'

/** A bounce type of Postmark with its code and its name. */
export type BounceType = readonly [type: string, code: number, name: string]

/** Postmark's bounce types and their API codes, for bounce categories that do not mean that the address is invalid. */
const BOUNCE_TYPES: Readonly<Partial<Record<BounceCategory, BounceType>>> = {
  dns: ['DnsError', 256, 'DNS error'],
  content: ['SpamNotification', 512, 'Spam notification'],
  blocked: ['Blocked', 100_006, 'ISP block'],
  policy: ['Blocked', 100_006, 'ISP block'],
  auth: ['DMARCPolicy', 100_009, 'DMARC policy'],
}
const HARD = ['HardBounce', 1, 'Hard bounce'] as const
const SOFT = ['SoftBounce', 4_096, 'Soft bounce'] as const
const COMPLAINT = ['SpamComplaint', 512, 'Spam complaint'] as const
const SERVER_ID = 1

/** ID of Postmark's default stream, which is our stream `transactional`. */
export const OUTBOUND = 'outbound'

/** Returns the ID of the stream with an alias, as Postmark's clients know it. */
export const streamId = (alias: string): string => (alias === DEFAULT_STREAM ? OUTBOUND : alias)

function recordOf(event: FeedEvent): object {
  const { at, reply } = eventDocument(event)
  const facts = factsOf(event)
  const common = {
    MessageStream: streamId(event.stream),
    MessageID: uuidOfId(event.messageId),
    Headers: [{ Name: 'Message-ID', Value: `<${event.messageIdHeader ?? event.messageId}>` }],
    ServerID: SERVER_ID,
    Metadata: event.metadata,
    Tag: event.tag ?? '',
  }
  const details = reply?.smtp_response ?? ''
  switch (event.type) {
    case 'delivered':
      return { RecordType: 'Delivery', ...common, Recipient: event.email, DeliveredAt: at, Details: details }
    case 'opened':
    case 'clicked': {
      const opened = event.type === 'opened'
      return {
        RecordType: opened ? 'Open' : 'Click',
        ...common,
        Recipient: event.email,
        ReceivedAt: at,
        UserAgent: facts.userAgent,
        ...(opened
          ? { FirstOpen: facts.hit === 'first' }
          : { OriginalLink: facts.url, ClickLocation: 'HTML', Platform: 'Unknown' }),
      }
    }
    case 'unsubscribed':
      return {
        RecordType: 'SubscriptionChange',
        ...common,
        Recipient: event.email,
        ChangedAt: at,
        Origin: 'Recipient',
        SuppressSending: true,
        SuppressionReason: 'ManualSuppression',
      }
    case 'bounced':
    case 'failed':
    case 'complained': {
      const complaint = event.type === 'complained'
      const [Type, TypeCode, Name] = complaint ? COMPLAINT : bounceTypeOf(facts)
      const inactive = complaint || facts.isHard
      return {
        RecordType: complaint ? 'SpamComplaint' : 'Bounce',
        ...common,
        ...{ ID: numberOfEvent(event), Type, TypeCode, Name },
        ...{ Description: Name, Details: details, Email: event.email, BouncedAt: at },
        ...{ DumpAvailable: false, Inactive: inactive, CanActivate: !complaint, Subject: event.subject },
      }
    }
    default:
      throw new Error(`Postmark has no payload for ${event.type}`)
  }
}

/** Returns Postmark's type of a bounce or a failure. */
export function bounceTypeOf({ isHard, category }: Pick<EventFacts, 'isHard' | 'category'>): BounceType {
  if (isHard) return HARD
  return (category && BOUNCE_TYPES[category]) ?? SOFT
}

export const postmark: PayloadFormat = {
  types: new Set<EventType>([
    'delivered',
    'bounced',
    'failed',
    'complained',
    'opened',
    'clicked',
    'unsubscribed',
  ]),
  batches: false,
  compose: ([event]) => ({ headers: JSON_TYPE, body: JSON.stringify(recordOf(event!)) }),
}
