// Amazon SES's payload in the envelope of SNS: one event for each notification (docs.aws.amazon.com: SES, "Contents of
// event publishing"; SNS, "HTTP/HTTPS notification JSON format" and "Verifying the signatures of messages").

import { sign } from 'node:crypto'
import type { BounceCategory } from '../../model/bounce-category.ts'
import type { EventType } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import type { FeedEvent } from '../../store/events/feed.ts'
import { type EventFacts, factsOf } from '../event-facts.ts'
import type { PayloadFormat } from '../format.ts'

const NAMES: Readonly<Partial<Record<EventType, string>>> = {
  accepted: 'Send',
  delivered: 'Delivery',
  deferred: 'DeliveryDelay',
  bounced: 'Bounce',
  failed: 'Bounce',
  suppressed: 'Bounce',
  opened: 'Open',
  clicked: 'Click',
  complained: 'Complaint',
  unsubscribed: 'Subscription',
}

type BounceType = readonly [type: string, subType: string]

/** Types of bounces that say nothing against the address, as SES lists them; by our category. */
const BOUNCE_TYPES: Readonly<Partial<Record<BounceCategory, BounceType>>> = {
  mailbox_full: ['Transient', 'MailboxFull'],
  size: ['Transient', 'MessageTooLarge'],
  content: ['Transient', 'ContentRejected'],
}
const SUPPRESSED = ['Permanent', 'OnAccountSuppressionList'] as const
const OTHER = ['Transient', 'General'] as const

function bounceTypeOf({ isHard, category }: EventFacts): BounceType {
  if (isHard) return ['Permanent', category === 'mailbox_not_found' ? 'NoEmail' : 'General']
  return (category && BOUNCE_TYPES[category]) ?? OTHER
}

function notificationOf(event: FeedEvent): object {
  const name = NAMES[event.type] ?? ''
  const isFeedback = name === 'Bounce' || name === 'Complaint' || name === 'Delivery'
  return {
    eventType: name,
    // Feedback notifications name it so, published events as above; readers look at one of them.
    ...(isFeedback ? { notificationType: name } : {}),
    mail: {
      timestamp: new Date(event.at).toISOString(),
      messageId: event.messageId,
      destination: [event.email],
      headersTruncated: false,
      headers: headersOf(event),
      commonHeaders: { messageId: event.messageId, to: [event.email], subject: event.subject },
      tags: event.tag === null ? {} : { tag: [event.tag] },
    },
    [`${name.charAt(0).toLowerCase()}${name.slice(1)}`]: objectOf(event),
  }
}

/** Header fields by which applications find their own data again. */
const headersOf = ({ tag, subject, email, metadata }: FeedEvent): readonly object[] => [
  { name: 'To', value: email },
  { name: 'Subject', value: subject },
  ...(tag === null ? [] : [{ name: 'X-Tag', value: tag }]),
  ...(Object.keys(metadata).length === 0 ? [] : [{ name: 'X-Metadata', value: JSON.stringify(metadata) }]),
]

function objectOf(event: FeedEvent): object {
  const { at: timestamp, reply } = eventDocument(event)
  const facts = factsOf(event)
  const response = [reply?.smtp_code, reply?.smtp_response].filter((part) => part != null).join(' ')
  const reportingMTA = reply?.mx == null ? {} : { reportingMTA: `dns; ${reply.mx}` }
  const recipient = {
    emailAddress: event.email,
    status:
      /^[245]\.\d{1,3}\.\d{1,3}/.exec(reply?.smtp_response ?? '')?.[0] ??
      (event.type === 'deferred' ? '4.0.0' : '5.0.0'),
    ...(response === '' ? {} : { diagnosticCode: `smtp; ${response}` }),
  }
  switch (event.type) {
    case 'delivered':
      return { timestamp, recipients: [event.email], smtpResponse: response, ...reportingMTA }
    case 'deferred':
      return {
        timestamp,
        delayType: facts.category === 'mailbox_full' ? 'MailboxFull' : 'TransientCommunicationFailure',
        delayedRecipients: [recipient],
        ...reportingMTA,
      }
    case 'bounced':
    case 'failed':
    case 'suppressed': {
      const type = event.type === 'suppressed' ? SUPPRESSED : bounceTypeOf(facts)
      return {
        feedbackId: event.id,
        ...{ bounceType: type[0], bounceSubType: type[1] },
        bouncedRecipients: [{ ...recipient, action: 'failed' }],
        timestamp,
        ...reportingMTA,
      }
    }
    case 'complained':
      return {
        feedbackId: event.id,
        complaintSubType: null,
        complainedRecipients: [{ emailAddress: event.email }],
        timestamp,
        complaintFeedbackType: facts.feedbackType ?? 'abuse',
      }
    case 'opened':
    case 'clicked':
      return {
        timestamp,
        ipAddress: '',
        userAgent: facts.userAgent,
        ...(event.type === 'clicked' ? { link: facts.url, linkTags: null } : {}),
      }
    case 'unsubscribed':
      return { timestamp, source: 'UnsubscribeHeader', newTopicPreferences: { unsubscribeAll: true } }
    default:
      return {}
  }
}

/** Fields of a notification that are signed, in their order; each with its name, a line feed behind both. */
const SIGNED = ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type'] as const

export const ses: PayloadFormat = {
  types: new Set(Object.keys(NAMES) as EventType[]),
  batches: false,
  isSns: true,
  compose([first], { at, sns, webhookId }) {
    const event = first!
    const notification = {
      Type: 'Notification',
      MessageId: event.id,
      // Six parts, as readers split it. It tells one webhook from another: a key signs for all of them.
      TopicArn: `arn:postrider:sns:self-hosted:${event.domainId}:${webhookId}`,
      Message: JSON.stringify(notificationOf(event)),
      Timestamp: new Date(at).toISOString(),
      SignatureVersion: '1',
    }
    const text = SIGNED.map((name) => `${name}\n${notification[name]}\n`).join('')
    // Version 1 is RSA with SHA-1: the only one that every reader of SNS knows.
    const signature = sns === undefined ? '' : sign('sha1', Buffer.from(text), sns.key).toString('base64')
    return {
      headers: {
        'content-type': 'text/plain; charset=UTF-8',
        'x-amz-sns-message-type': notification.Type,
        'x-amz-sns-message-id': notification.MessageId,
        'x-amz-sns-topic-arn': notification.TopicArn,
      },
      body: JSON.stringify({
        ...notification,
        Signature: signature,
        SigningCertURL: sns?.certificateUrl ?? '',
      }),
    }
  },
}
