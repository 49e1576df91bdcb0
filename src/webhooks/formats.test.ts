// Tests of the payloads of other services with the packages and documented receivers of these services.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { EventWebhook } from '@sendgrid/eventwebhook'
import { newId, uuidOfId } from '../lib/ids.ts'
import { EVENT_TYPES, type EventType, isOfMessage } from '../model/event.ts'
import type { FeedEvent } from '../store/events/feed.ts'
import type { SignedRequest } from './request.ts'
import { FORMATS } from './request.ts'
import { newGeneration, p256PublicKeyOf, readKeys } from './signing-keys.ts'

const AT = Date.UTC(2026, 0, 31, 12, 0, 0, 500)
const MESSAGE_ID = 'msg_01KG9E4K6M5QW8T2V3X7Y9Z0AB'
const [keys] = readKeys({ generations: [newGeneration(AT)], basicAuth: null }, AT)
assert.ok(keys !== undefined)

const event = (type: EventType, more: Partial<FeedEvent> = {}): FeedEvent => ({
  position: 1,
  id: `evt_${type}`,
  type,
  at: AT,
  accountId: 'acc_1',
  domainId: 'dom_1',
  messageId: MESSAGE_ID,
  messageIdHeader: 'own-1@shop.example',
  from: 'shop@shop.example',
  email: 'jo@receiver.example',
  stream: 'transactional',
  tag: 'welcome',
  tags: ['welcome', 'spring'],
  subject: 'Hello',
  metadata: { order: '7' },
  detail: { attempt: 2, smtp_code: 550, smtp_response: '5.1.1 No such user', mx: 'mx.receiver.example' },
  ...more,
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was written
const read = (request: SignedRequest): any => JSON.parse(request.body)

const compose = (format: keyof typeof FORMATS, events: FeedEvent[]): SignedRequest =>
  FORMATS[format].compose(events, { keys: [keys], at: AT + 2_000, isBatch: false })

describe('every format', () => {
  test('writes each event type that it supports, identically every time', () => {
    for (const [name, format] of Object.entries(FORMATS)) {
      assert.ok(format.types.size > 5, name)
      for (const type of format.types) {
        assert.ok((EVENT_TYPES as readonly string[]).includes(type))
        const one = compose(name as keyof typeof FORMATS, [event(type)])
        const other = compose(name as keyof typeof FORMATS, [event(type)])
        assert.equal(one.body, other.body)
        if (!isOfMessage(type)) continue
        assert.match(one.body, /receiver\.example/)
        assert.ok(one.body.includes(MESSAGE_ID) || one.body.includes(uuidOfId(MESSAGE_ID)))
        assert.match(one.body, /own-1@shop\.example/, 'the Message-ID that the sender matches by')
      }
    }
  })
})

test('the Message-ID is at the place where readers of each format expect it', () => {
  const delivered = (format: keyof typeof FORMATS) => read(compose(format, [event('delivered')]))
  assert.equal(delivered('sendgrid')[0]['smtp-id'], '<own-1@shop.example>')
  assert.equal(delivered('mailgun')['event-data'].message.headers['message-id'], 'own-1@shop.example')
  assert.deepEqual(delivered('postmark').Headers, [{ Name: 'Message-ID', Value: '<own-1@shop.example>' }])
  assert.equal(delivered('postmark').MessageID, uuidOfId(MESSAGE_ID))
  assert.equal(delivered('standard').data.message_id_header, 'own-1@shop.example')
  assert.equal(delivered('resend').data.message_id, '<own-1@shop.example>')
})

describe('the format sendgrid', () => {
  test("has a signature that SendGrid's own package verifies, and no other", () => {
    const { body, headers } = compose('sendgrid', [event('delivered'), event('bounced')])
    const webhook = new EventWebhook()
    const key = webhook.convertPublicKeyToECDSA(p256PublicKeyOf(keys))
    const signature = headers['x-twilio-email-event-webhook-signature'] as string
    const timestamp = headers['x-twilio-email-event-webhook-timestamp'] as string
    assert.equal(webhook.verifySignature(key, body, signature, timestamp), true)
    assert.equal(webhook.verifySignature(key, `${body} `, signature, timestamp), false)
    assert.equal(webhook.verifySignature(key, body, signature, '1'), false)
  })

  test('is a list of its events, with metadata in addition to their fields', () => {
    const detail = { ...event('bounced').detail, category: 'blocked' }
    const events = read(compose('sendgrid', [event('accepted'), event('bounced', { detail })]))
    assert.deepEqual(
      events.map((one: Record<string, unknown>) => [
        one.event,
        one.email,
        one.timestamp,
        one.order,
        one.category,
      ]),
      ['processed', 'bounce'].map((name) => [
        name,
        'jo@receiver.example',
        AT / 1_000 - 0.5,
        '7',
        ['welcome', 'spring'],
      ]),
    )
    const { type, status, reason, sg_event_id } = events[1]
    assert.deepEqual(
      [type, status, reason, sg_event_id],
      ['blocked', '5.1.1', '550 5.1.1 No such user', 'evt_bounced'],
    )
  })

  test('does not let metadata replace a field of the event', () => {
    const metadata = { event: 'delivered', email: 'other@x.example', sg_event_id: 'x' }
    const [one] = read(compose('sendgrid', [event('bounced', { metadata })]))
    assert.deepEqual(
      [one.event, one.email, one.sg_event_id],
      ['bounce', 'jo@receiver.example', 'evt_bounced'],
    )
  })
})

describe('the format mailgun', () => {
  test('has the documented signature, with a token of the event', () => {
    const detail = { ...event('bounced').detail, hard: true }
    const { signature, 'event-data': data } = read(compose('mailgun', [event('bounced', { detail })]))
    const expected = createHmac('sha256', keys.secret)
      .update(signature.timestamp + signature.token)
      .digest('hex')
    assert.equal(signature.signature, expected)
    assert.equal(signature.token.length, 50)
    assert.deepEqual(
      [data.event, data.severity, data.reason, data.id, data.recipient, data['recipient-domain']],
      ['failed', 'permanent', 'bounce', 'evt_bounced', 'jo@receiver.example', 'receiver.example'],
    )
    assert.deepEqual([data.tags, data['user-variables']], [['welcome', 'spring'], { order: '7' }])
    assert.equal(data['delivery-status'].code, 550)
    assert.equal(data.timestamp, AT / 1_000)
  })

  test('reports a deferral as a temporary failure', () => {
    const { 'event-data': data } = read(compose('mailgun', [event('deferred')]))
    assert.deepEqual([data.event, data.severity], ['failed', 'temporary'])
  })
})

describe('the format postmark', () => {
  test('is a record by type', () => {
    const types = ['delivered', 'bounced', 'complained', 'opened', 'clicked', 'unsubscribed'] as const
    assert.deepEqual(
      types.map((type) => read(compose('postmark', [event(type)])).RecordType),
      ['Delivery', 'Bounce', 'SpamComplaint', 'Open', 'Click', 'SubscriptionChange'],
    )
  })

  test('reports a bounce by the types of its API', () => {
    const bounce = (category: string, hard = false) => {
      const detail = { ...event('bounced').detail, category, hard }
      return read(compose('postmark', [event('bounced', { detail })]))
    }
    const hard = bounce('mailbox_not_found', true)
    assert.deepEqual(
      [hard.Type, hard.TypeCode, hard.Inactive, hard.Email, hard.MessageID, hard.MessageStream, hard.Tag],
      ['HardBounce', 1, true, 'jo@receiver.example', uuidOfId(MESSAGE_ID), 'outbound', 'welcome'],
    )
    assert.ok(Number.isSafeInteger(hard.ID))
    assert.deepEqual([bounce('mailbox_full').Type, bounce('policy').Type], ['SoftBounce', 'Blocked'])
  })
})

describe('the format resend', () => {
  const dataOf = (type: EventType, more: Partial<FeedEvent> = {}) =>
    read(compose('resend', [event(type, { messageId: newId('msg', AT), ...more })]))

  test('names the message by a UUID, its sender, its recipient and its tags', () => {
    const messageId = newId('msg', AT)
    const { type, data } = dataOf('delivered', { messageId })
    assert.deepEqual(
      [type, data.email_id, data.from, data.to, data.subject, data.tags],
      [
        ...['email.delivered', uuidOfId(messageId), 'shop@shop.example', ['jo@receiver.example'], 'Hello'],
        { tag: 'welcome', order: '7' },
      ],
    )
  })

  test('reports why an email bounced or was not sent', () => {
    const detail = { ...event('bounced').detail, category: 'mailbox_full' }
    const full = { message: '550 5.1.1 No such user', subType: 'MailboxFull', type: 'Undetermined' }
    assert.deepEqual(dataOf('bounced', { detail }).data.bounce, full)
    const hard = { ...detail, category: 'mailbox_not_found', hard: true }
    const { subType, type } = dataOf('bounced', { detail: hard }).data.bounce
    assert.deepEqual([subType, type], ['NoEmail', 'Permanent'])
    assert.equal(
      dataOf('suppressed', { detail: { suppression: 'hard_bounce' } }).data.suppressed.type,
      'Suppressed',
    )
    const clicked = dataOf('clicked', { detail: { url: 'https://shop.example/', user_agent: 'Firefox' } })
    assert.deepEqual(
      [clicked.data.click.link, clicked.data.click.userAgent],
      ['https://shop.example/', 'Firefox'],
    )
  })
})
