// Tests how every payload format reports addresses, hits and suppressions of stored events.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { claim, createOwner, type Held, messageTo, NOW } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { webhookOf } from '../../test/support/webhook-rows.ts'
import { makeDkimKeys } from '../domains/dkim-keys.ts'
import { newId } from '../lib/ids.ts'
import { DELIVERED, type Outcome } from '../model/attempt.ts'
import { EVENT_TYPES } from '../model/event.ts'
import { OPEN_LINK } from '../model/tracking-link.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import { addNextKeys, switchKeys } from '../store/domains/key-rotation.ts'
import { type FeedEvent, readFeed } from '../store/events/feed.ts'
import { acceptInbound, finishInbound } from '../store/inbound/inbound.ts'
import { closeIncident, openIncident } from '../store/incidents/incidents.ts'
import type { Owner } from '../store/messages/messages.ts'
import { recordHits } from '../store/messages/tracked-links.ts'
import { reportLook } from '../store/problems/listings.ts'
import { type AsynchronousBounce, recordBounce } from '../store/queue/bounces.ts'
import { recordOutcome } from '../store/queue/outcomes.ts'
import { cancelRecipients } from '../store/queue/queue-control.ts'
import { readWholeLog } from '../store/readers/log-readers.ts'
import { keepReport } from '../store/reports/reports.ts'
import { suppress } from '../store/workspace/suppressions.ts'
import { unsubscribe } from '../store/workspace/unsubscribe.ts'
import { FORMATS } from './request.ts'
import { sampleEvent } from './sample-event.ts'
import { newGeneration, readKeys } from './signing-keys.ts'

const [keys] = readKeys({ generations: [newGeneration(NOW)], basicAuth: null }, NOW)
assert.ok(keys !== undefined)

type FormatName = keyof typeof FORMATS

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was written
function told(format: FormatName, event: FeedEvent): any {
  const context = { keys: [keys!], at: NOW, isBatch: false }
  const body = JSON.parse(FORMATS[format].compose([event], context).body)
  return format === 'sendgrid' ? body[0] : format === 'mailgun' ? body['event-data'] : body
}

/** Returns the fields in which each format reports a failure or a suppression. */
function failureIn(event: FeedEvent) {
  const postmark = FORMATS.postmark.types.has(event.type) ? told('postmark', event) : undefined
  const { type, reason } = told('sendgrid', event)
  return {
    postmark: postmark && [postmark.Type, postmark.Inactive],
    sendgrid: type ?? reason,
    mailgun: told('mailgun', event).reason,
  }
}

const SOFT = { postmark: ['SoftBounce', false], sendgrid: 'blocked', mailgun: 'generic' }
const HARD = { postmark: ['HardBounce', true], sendgrid: 'bounce', mailgun: 'bounce' }

describe('stored events in the formats of webhooks', () => {
  let store: Store
  let owner: Owner
  let events: readonly FeedEvent[]
  /** Returns the events of one type for an address. */
  const of = (local: string, type: string): FeedEvent[] =>
    events.filter((one) => one.email === `${local}@b.example` && one.type === type)
  const one = (local: string, type: string): FeedEvent => {
    const [found, second] = of(local, type)
    assert.ok(found !== undefined && second === undefined, `${type} of ${local}`)
    return found
  }

  async function accepted(local: string, more: Parameters<typeof messageTo>[2] = {}): Promise<string> {
    const item = messageTo(owner, [`${local}@b.example`], more)
    await store.write(acceptMessage, item)
    return item.message.id
  }

  async function attempted(local: string, outcome: Outcome, reply?: { code: number; text: string }) {
    const id = await accepted(local)
    const [claimed] = (await claim(store)).recipients as [Held]
    await store.write(recordOutcome, {
      ...{ claimed, lease: claimed.lease, outcome, now: NOW + 1 },
      attempt: { startedAt: NOW, durationMs: 5, transcript: '', ...(reply && { reply }) },
      nextAttemptAt: outcome.status === 'deferred' ? NOW + 1e9 : null,
    })
    return id
  }

  const report = (messageId: string, what: Partial<AsynchronousBounce>) =>
    store.write(recordBounce, {
      ...{ messageId, position: 0, now: NOW + 2 },
      report: {
        ...{ type: 'bounced', category: 'mailbox_not_found', hard: true, reason: 'A report said so.' },
        ...{ smtpCode: 550, diagnostic: '5.1.1 no', mx: undefined, finalRecipient: undefined, ...what },
      },
    })

  before(async () => {
    store = await openTestStore('sqlite')
    owner = await createOwner(store)
    const bounced = { status: 'bounced', reason: 'refused', stage: 'rcpt' } as const
    const refused = { code: 550, text: 'no' }
    await attempted('hard', { ...bounced, category: 'mailbox_not_found', hard: true }, refused)
    await attempted('disabled', { ...bounced, category: 'mailbox_disabled', hard: true }, refused)
    await attempted('soft', { ...bounced, category: 'mailbox_not_found', hard: false }, refused)
    await attempted('large', { ...bounced, category: 'size', hard: false }, refused)
    await attempted('blocked', { ...bounced, category: 'blocked', hard: false }, refused)
    await attempted('waits', { status: 'deferred', reason: 'no answer', category: 'network' })
    await attempted('expired', { status: 'failed', reason: 'given up', category: 'mailbox_not_found' })
    const delivered = await attempted('late', DELIVERED)
    await report(delivered, { hard: false })
    await report(await attempted('latehard', DELIVERED), {})
    const complaint = { type: 'complained', feedbackType: 'fraud', userAgent: 'FBL/1' } as const
    const complained = await attempted('complains', DELIVERED)
    await store.write(recordBounce, { messageId: complained, position: 0, report: complaint, now: NOW + 2 })

    const messageId = await attempted('reads', DELIVERED)
    const hit = { messageId, position: 0, userAgent: 'Firefox', machine: undefined, more: 0 } as const
    const hits = [
      { ...hit, link: OPEN_LINK, url: '', at: NOW + 3_600_000, machine: 'prefetch' as const },
      { ...hit, link: OPEN_LINK, url: '', at: NOW + 3_600_001 },
      { ...hit, link: OPEN_LINK, url: '', at: NOW + 3_600_002 },
      { ...hit, link: OPEN_LINK + 1, url: 'https://shop.example/', at: NOW + 3_600_003 },
    ]
    await store.write(recordHits, { hits })

    const list = { account_id: owner.accountId, domain_id: owner.domainId, stream: 'transactional' }
    for (const reason of ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const) {
      const email = `${reason}@b.example`
      await store.write(suppress, { ...list, email, reason, message_id: null, created_at: NOW })
      await accepted(reason)
    }

    const { recipients, ...rest } = messageTo(owner, ['leaves@b.example'])
    const unsubscribeToken = 'token'
    await store.write(acceptMessage, {
      ...rest,
      recipients: recipients.map((recipient) => ({ ...recipient, unsubscribeToken })),
    })
    await store.write(unsubscribe, { token: unsubscribeToken, now: NOW + 3 })

    const { message } = messageTo(owner, [])
    await accepted('planned', { message: { ...message, send_at: NOW + 1e9 } })
    const cancelled = await accepted('cancelled')
    await store.write(cancelRecipients, {
      ...{ selection: { messageId: cancelled }, after: undefined, by: 'sender', now: NOW },
    })

    const inbound = newId('inb')
    const mail = {
      id: inbound,
      ...{ account_id: owner.accountId, domain_id: owner.domainId, stream: 'in', received_at: NOW },
      ...{ mail_from: 'x@y.example', rcpt_to: '["in@b.example"]', client_address: '192.0.2.1', helo: 'h' },
      ...{ tls: null, size: 3 },
    }
    const limits = { storedBytesLimit: null, inboundBytesLimit: 1_000 }
    await store.write(acceptInbound, { mails: [{ message: mail, raw: Buffer.from('a\r\n'), ...limits }] })
    await store.write(finishInbound, {
      ...{ id: inbound, kind: 'message', flags: [], authentication: null, from: undefined, subject: '' },
      ...{ headerMessageId: null, parsed: null, now: NOW },
    })
    const incident = {
      ...owner,
      name: 'list',
      cause: 'list_quality' as const,
      provider: null,
      code: null,
      scope: {},
    }
    await store.write(openIncident, { ...incident, beganAt: NOW, now: NOW })
    await store.write(closeIncident, { domainId: owner.domainId, name: 'list', endedAt: NOW, now: NOW + 1 })
    await store.write(keepReport, {
      ...{ owner, identity: undefined, rows: [], raw: Buffer.from('report') },
      report: {
        id: newId('rpt', NOW),
        received_at: NOW,
        size: 6,
        state: 'read',
        warnings: '[]',
        detail: '{}',
      },
    })
    const look = {
      subject: '192.0.2.7',
      zone: 'bl.example',
      since: NOW,
      due_at: NOW,
      isAddress: true,
      now: NOW,
    }
    const words = { wording: 'listing', values: {} } as const
    const advice = { removalPage: null, words, domains: [owner] }
    await store.write(reportLook, {
      ...{ ...look, ...advice, state: 'listed', answer: '127.0.0.2', told_at: NOW, event: 'listed' },
    })
    await store.write(reportLook, {
      ...{ ...look, ...advice, state: 'not_listed', answer: null, told_at: null, event: 'delisted' },
    })
    const domain = { id: owner.domainId, account_id: owner.accountId, name: 'example.com' }
    const next = await makeDkimKeys(store, domain, 'next', NOW)
    await store.write(addNextKeys, { domain, keys: next, records: [], isScheduled: false, now: NOW })
    await store.write(switchKeys, { domain, isScheduled: false, now: NOW })
    await readWholeLog(store)
    const query = { domainId: owner.domainId, after: 0, limit: 500 }
    events = (await readFeed(store.read, query)).events
  })
  after(() => store.close())

  test('have every type, and each format writes the types that it supports', () => {
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(EVENT_TYPES))
    for (const [name, { types }] of Object.entries(FORMATS)) {
      for (const event of events) if (types.has(event.type)) assert.ok(told(name as FormatName, event))
    }
  })

  test('report that an address takes no mail only if it is suppressed for that reason', () => {
    assert.deepEqual(failureIn(one('hard', 'bounced')), HARD)
    assert.deepEqual(failureIn(one('latehard', 'bounced')), HARD)
    assert.deepEqual(failureIn(one('disabled', 'bounced')), HARD)
    assert.deepEqual(failureIn(one('soft', 'bounced')), SOFT)
    assert.deepEqual(failureIn(one('late', 'bounced')), SOFT)
    assert.deepEqual(failureIn(one('expired', 'failed')), SOFT)
    assert.deepEqual(failureIn(one('large', 'bounced')), SOFT)
    assert.deepEqual(failureIn(one('blocked', 'bounced')), { ...SOFT, postmark: ['Blocked', false] })
  })

  test('report why an address is suppressed', () => {
    const dropped = (sendgrid: string, mailgun: string) => ({ postmark: undefined, sendgrid, mailgun })
    assert.deepEqual(
      ['hard_bounce', 'complaint', 'unsubscribe', 'manual'].map((reason) =>
        failureIn(one(reason, 'suppressed')),
      ),
      [
        dropped('Bounced Address', 'suppress-bounce'),
        dropped('Spam Reporting Address', 'suppress-complaint'),
        dropped('Unsubscribed Address', 'suppress-unsubscribe'),
        dropped('Unsubscribed Address', 'suppress-unsubscribe'),
      ],
    )
  })

  test('distinguish the first open of a recipient from repeated ones and from those of machines', () => {
    const opens = of('reads', 'opened')
    assert.deepEqual(
      opens.map(({ detail }) => detail.kind),
      ['machine', 'first', 'repeated'],
    )
    assert.deepEqual(
      opens.map((open) => told('postmark', open).FirstOpen),
      [false, true, false],
    )
    assert.deepEqual(
      opens.map((open) => told('sendgrid', open).sg_machine_open),
      [true, false, false],
    )
    const click = one('reads', 'clicked')
    assert.deepEqual(
      [told('postmark', click).OriginalLink, told('sendgrid', click).url, told('mailgun', click).url],
      Array(3).fill('https://shop.example/'),
    )
    assert.equal(told('postmark', click).UserAgent, 'Firefox')
    assert.deepEqual(told('mailgun', click)['client-info'], { 'user-agent': 'Firefox' })
  })

  test('report a deferral as temporary in codes as well', () => {
    const deferred = one('waits', 'deferred')
    assert.equal(told('mailgun', deferred)['delivery-status'].code, 450)
  })

  test('have the same fields as the events of a test', () => {
    const webhook = webhookOf(owner)
    for (const type of ['bounced', 'suppressed', 'opened', 'clicked', 'complained'] as const) {
      const stored = new Set(
        events.filter((event) => event.type === type).flatMap(({ detail }) => Object.keys(detail)),
      )
      const { test: _, ...sample } = sampleEvent(webhook, type, NOW).detail
      for (const name of Object.keys(sample)) assert.ok(stored.has(name) || name === 'mx', `${type}: ${name}`)
    }
  })
})
