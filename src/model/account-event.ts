// Events of an account: changes of its domains, keys, limits and lists. One table lists every type with its detail; the
// contract, the documentation and the tests come from the table.

import type { EventType } from './event.ts'

interface AccountEventRule {
  /** Object whose ID is the `object_id` of the event. */
  readonly object:
    | 'domain'
    | 'key'
    | 'account'
    | 'bulk'
    | 'verification list'
    | 'list of suppressions'
    | 'suppression'
    | 'webhook'
  /** The cause of the event, as a sentence for the documentation. */
  readonly when: string
  /** Detail of a sample event; every event of the type has these fields. */
  readonly sample: Readonly<Record<string, unknown>>
}

/** Percentages of a sending allowance whose use is an event. */
export const ALLOWANCE_STEPS = [80, 95] as const

/** Part of the credits after the latest grant below which credits are low. */
export const LOW_CREDITS_PART = 0.1

/** Times in days before the end of a key at which the key is expiring. */
export const EXPIRING_DAYS = [14, 3] as const

const KEY = { kind: 'sending', name: 'App', last4: 'x7Qa' } as const
const SUPPRESSION = { email: 'ann@example.net', stream: 'transactional', reason: 'hard_bounce' } as const

/** Every type of account event, in the order of the documentation. */
const ACCOUNT_EVENTS = {
  'domain.verified': {
    object: 'domain',
    when: 'The DNS records of the domain are complete, and the domain may send; `again` is true after records were missing.',
    sample: { again: false },
  },
  'domain.records_missing': {
    object: 'domain',
    when: 'Records of a verified domain are missing; the domain sends for three more days.',
    sample: { records: [{ purpose: 'dkim_rsa', status: 'missing' }] },
  },
  'domain.closed': {
    object: 'domain',
    when: 'The records were missing for three days, and the domain sends no more.',
    sample: { records: [{ purpose: 'dkim_rsa', status: 'missing' }] },
  },
  'domain.deleted': {
    object: 'domain',
    when: 'The domain was deleted (`reason` `deleted`), or another account has proved that it owns the domain (`lost`).',
    sample: { reason: 'deleted' },
  },
  'key.created': {
    object: 'key',
    when: 'A key or an SMTP credential was created.',
    sample: { ...KEY, created_by: 'usr_01J8Z3Y9V6M2Q4T7W0X5R1N8KC' },
  },
  'key.rotated': {
    object: 'key',
    when: 'The key has a new secret; the secret before is valid until `previous_until`.',
    sample: { ...KEY, previous_until: '2026-02-01T09:00:00.000Z' },
  },
  'key.expiring': {
    object: 'key',
    when: 'The key ends within 14 days; a second event follows 3 days before the end.',
    sample: { ...KEY, expires_at: '2026-02-14T09:00:00.000Z', days_left: 14 },
  },
  'key.revoked': {
    object: 'key',
    when: 'The key was revoked; `reason` is `revoked`, or `domain_deleted` or `account_deleted`.',
    sample: { ...KEY, reason: 'revoked' },
  },
  'key.refused_network': {
    object: 'key',
    when: 'The key was used from an address outside of its networks; once a day for each key.',
    sample: { ...KEY, address: '203.0.113.9' },
  },
  'allowance.low': {
    object: 'account',
    when: 'The account has used 80 % or 95 % of its sending allowance.',
    sample: { used_percent: 80, left: 2_000, allowance: 10_000 },
  },
  'allowance.exhausted': {
    object: 'account',
    when: 'The sending allowance is used up, or too small for a message.',
    sample: { left: 0, allowance: 10_000 },
  },
  'credits.low': {
    object: 'account',
    when: 'A tenth of the verification credits after the latest grant is left.',
    sample: { left: 100 },
  },
  'bulk.finished': {
    object: 'bulk',
    when: 'Every row of the bulk is a message or refused (`status` `done`), or the bulk was cancelled (`cancelled`).',
    sample: { name: 'Newsletter', status: 'done', total: 5_000 },
  },
  'verification_list.finished': {
    object: 'verification list',
    when: 'Every address of the list has a result (`status` `done`), or the list was cancelled (`cancelled`).',
    sample: { name: 'Customers', status: 'done', total: 5_000 },
  },
  'import.finished': {
    object: 'list of suppressions',
    when: 'A request with more than 100 addresses was added to the suppressions of a domain or of the account; `existing` addresses were suppressed before, and `rejected` entries are invalid.',
    sample: { list: 'suppressions', total: 5_000, added: 4_890, existing: 100, rejected: 10 },
  },
  'suppression.added': {
    object: 'suppression',
    when: 'An address was suppressed. A request that adds more than 100 addresses causes one event with `count` and without `email`.',
    sample: { ...SUPPRESSION, count: 1, message_id: 'msg_01J8Z3Y9V6M2Q4T7W0X5R1N8KC' },
  },
  'suppression.removed': {
    object: 'suppression',
    when: 'A suppression was removed. A request that removes more than 100 addresses causes one event with `count` and without `email`.',
    sample: { ...SUPPRESSION, count: 1 },
  },
  'webhook.failing': {
    object: 'webhook',
    when: 'The receiver has failed ten times in a row (`status` `paused`: the deliveries are repeated), or the webhook was turned off because the receiver is gone or has failed for three days (`disabled`).',
    sample: { name: 'Shop', host: 'app.example.com', status: 'paused', reason: 'failing' },
  },
  'complaints.high': {
    object: 'domain',
    when: 'More than 0.1 % of the delivered messages of the last 7 days were reported as spam (`status` `begun`), or the share is lower again (`ended`). The shares are compared every five minutes, and a change has to last for two comparisons.',
    sample: { status: 'begun', share: 0.002, limit: 0.001, complained: 20, delivered: 10_000 },
  },
  'bounces.high': {
    object: 'domain',
    when: 'More than 5 % of the finished deliveries of the last 7 days bounced (`begun`), or the share is lower again (`ended`), in the same way.',
    sample: { status: 'begun', share: 0.06, limit: 0.05, bounced: 600, finished: 10_000 },
  },
  'account.suspended': {
    object: 'account',
    when: 'The operator has suspended the account, which sends and verifies nothing.',
    sample: {},
  },
  'account.resumed': {
    object: 'account',
    when: 'The operator has resumed the account.',
    sample: {},
  },
} as const satisfies Record<string, AccountEventRule>

export type AccountEventType = keyof typeof ACCOUNT_EVENTS

export const ACCOUNT_EVENT_TYPES = Object.keys(ACCOUNT_EVENTS) as readonly AccountEventType[]

/** Types of all events with a position in a feed: events of messages, and events of accounts. */
export type FeedEventType = EventType | AccountEventType

export const ruleOfAccountEvent = (type: AccountEventType): AccountEventRule => ACCOUNT_EVENTS[type]

export const isAccountEventType = (text: string): text is AccountEventType =>
  Object.hasOwn(ACCOUNT_EVENTS, text)

/** An event of an account as it is stored and read. */
export interface AccountEvent {
  readonly id: string
  readonly type: AccountEventType
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly accountId: string
  /** Domain of the object; null for an object of the whole account. */
  readonly domainId: string | null
  readonly domainName: string | null
  readonly objectId: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Public JSON form of an account event, the same in the API, the event stream and webhooks. */
export interface AccountEventDocument {
  readonly id: string
  readonly type: AccountEventType
  readonly at: string
  readonly account_id: string
  readonly domain_id: string | null
  readonly domain: string | null
  readonly object_id: string
  readonly detail: Readonly<Record<string, unknown>>
}

export const accountEventDocument = (event: AccountEvent): AccountEventDocument => ({
  id: event.id,
  type: event.type,
  at: new Date(event.at).toISOString(),
  account_id: event.accountId,
  domain_id: event.domainId,
  domain: event.domainName,
  object_id: event.objectId,
  detail: event.detail,
})
