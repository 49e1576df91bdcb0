// The sample event for the test of a webhook, with the shape of a real event and invented data.

import { newId } from '../lib/ids.ts'
import { type FeedEventType, isAccountEventType, ruleOfAccountEvent } from '../model/account-event.ts'
import { type EventType, isOfMessage } from '../model/event.ts'
import { ownMessageId } from '../model/message.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import type { DeliveredEvent } from './webhook-feed.ts'

const HARD = {
  smtp_code: 550,
  smtp_response: '5.1.1 The mailbox does not exist',
  category: 'mailbox_not_found',
  hard: true,
  stage: 'rcpt',
}

const INCIDENT = {
  ...{
    incident_id: 'inc_01J8Z3Y9V6M2Q4T7W0X5R1N8KC',
    cause: 'rate_limited',
    provider: 'Yahoo',
    code: 'TSS04',
  },
  ...{
    scope: { source_address: '192.0.2.7' },
    began_at: '2026-01-31T09:10:00.000Z',
    attempts: 420,
    failed: 131,
  },
}

const LISTING = {
  ...{ incident_id: 'inc_01J8Z3Y9V6M2Q4T7W0X5R1N8KC', address: '192.0.2.7', domain: null },
  ...{ zone: 'zen.spamhaus.org', answer: '127.0.0.3 (CSS)', since: '2026-01-31T09:10:00.000Z' },
}

const KEYS = { selectors: { rsa: 'pr20260131r', ed25519: 'pr20260131e' }, scheduled: true }

/** Prefixes of the IDs of objects in sample events; the other types are about incidents. */
const PREFIXES: Readonly<Partial<Record<EventType, 'rpt' | 'dkm'>>> = {
  report_received: 'rpt',
  key_due: 'dkm',
  key_switched: 'dkm',
}

const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Detail of the sample event, by event type. */
const DETAILS: Readonly<Partial<Record<EventType, Readonly<Record<string, unknown>>>>> = {
  delivered: { attempt: 1, smtp_code: 250, smtp_response: '2.0.0 Ok', mx: 'mx.example.com' },
  deferred: { attempt: 1, smtp_code: 451, smtp_response: '4.3.0 Try again later', mx: 'mx.example.com' },
  bounced: { attempt: 1, mx: 'mx.example.com', ...HARD },
  failed: { attempt: 1, category: 'expired' },
  suppressed: {
    reason: 'The address is on the suppression list of the stream.',
    suppression: 'hard_bounce',
  },
  opened: { user_agent: USER_AGENT, kind: 'first' },
  clicked: { url: 'https://example.com/', user_agent: USER_AGENT, kind: 'first' },
  complained: { feedback_type: 'abuse' },
  incident_opened: INCIDENT,
  listed: LISTING,
  delisted: { ...LISTING, answer: null },
  incident_closed: { ...INCIDENT, ended_at: '2026-01-31T11:40:00.000Z' },
  report_received: {
    ...{ report_id: 'rpt_01J8Z3Y9V6M2Q4T7W0X5R1N8KC', kind: 'dmarc', submitter: 'google.com' },
    ...{ messages: 420, failed: 3 },
  },
  key_due: {
    ...KEYS,
    records: [
      {
        ...{ type: 'TXT', name: 'pr20260131r._domainkey.example.com' },
        value: 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A',
      },
    ],
  },
  key_switched: KEYS,
}

/** Returns a sample event of a type that the webhook can deliver. */
export function sampleEvent(webhook: Webhook, type: FeedEventType, now: number): DeliveredEvent {
  if (isAccountEventType(type)) {
    const { account_id: accountId } = webhook
    return {
      ...{ position: 0, id: newId('evt', now), type, at: now, accountId },
      ...{ domainId: null, domainName: null, objectId: accountId },
      detail: { ...ruleOfAccountEvent(type).sample, test: true },
    }
  }
  if (!isOfMessage(type)) {
    return {
      ...{ position: 0, id: newId('evt', now), type, at: now, accountId: webhook.account_id },
      ...{
        domainId: webhook.domain_id,
        messageId: newId(PREFIXES[type] ?? 'inc', now),
        messageIdHeader: null,
        from: null,
      },
      ...{ email: '', stream: '', tag: null, tags: [], subject: '', metadata: {} },
      detail: { ...DETAILS[type], test: true },
    }
  }
  const [stream = 'transactional'] = JSON.parse(webhook.streams) as string[]
  const messageId = newId('msg', now)
  const [tag = 'test'] = JSON.parse(webhook.tags) as string[]
  return {
    position: 0,
    id: newId('evt', now),
    type,
    at: now,
    accountId: webhook.account_id,
    domainId: webhook.domain_id,
    ...{ messageId, messageIdHeader: ownMessageId(messageId, 'example.com') },
    ...{ from: 'sender@example.com', email: 'recipient@example.com' },
    ...{ stream, tag, tags: [tag] },
    subject: 'Test of a webhook',
    metadata: { test: 'true' },
    detail: { ...DETAILS[type], test: true },
  }
}
