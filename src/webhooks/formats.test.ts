// Tests of the payloads of other services with the packages and documented receivers of these services.

import assert from 'node:assert/strict'
import { createHmac, createPublicKey, verify } from 'node:crypto'
import { createRequire } from 'node:module'
import { before, describe, test } from 'node:test'
import { EventWebhook } from '@sendgrid/eventwebhook'
import { newId, timeOfId, uuidOfId } from '../lib/ids.ts'
import { EVENT_TYPES, type EventType } from '../model/event.ts'
import { numberOfRecipient, tokenOfRecipient } from '../model/event-number.ts'
import type { FeedEvent } from '../store/events/feed.ts'
import type { SignedRequest } from './request.ts'
import { FORMATS } from './request.ts'
import {
  newGeneration,
  p256PublicKeyOf,
  readKeys,
  rsaPublicKeyOf,
  type WebhookSecrets,
  withKeysFor,
} from './signing-keys.ts'

const AT = Date.UTC(2026, 0, 31, 12, 0, 0, 500)
const MESSAGE_ID = 'msg_01KG9E4K6M5QW8T2V3X7Y9Z0AB'
const EVENT_ID = 'evt_01KG9E4K6M5QW8T2V3X7Y9Z0AC'
const [keys] = readKeys({ generations: [newGeneration(AT)], basicAuth: null }, AT)
assert.ok(keys !== undefined)

const event = (type: EventType, more: Partial<FeedEvent> = {}): FeedEvent => ({
  position: 1,
  id: EVENT_ID,
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
        assert.match(one.body, /receiver\.example/)
        const number = numberOfRecipient(event(type))
        assert.ok([MESSAGE_ID, uuidOfId(MESSAGE_ID), `${number}`].some((id) => one.body.includes(id)))
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
  assert.equal(delivered('postal').payload.message.message_id, 'own-1@shop.example')
  assert.equal(delivered('usesend').data.metadata.messageId, 'own-1@shop.example')
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
      ['blocked', '5.1.1', '550 5.1.1 No such user', EVENT_ID],
    )
  })

  test('does not let metadata replace a field of the event', () => {
    const metadata = { event: 'delivered', email: 'other@x.example', sg_event_id: 'x' }
    const [one] = read(compose('sendgrid', [event('bounced', { metadata })]))
    assert.deepEqual([one.event, one.email, one.sg_event_id], ['bounce', 'jo@receiver.example', EVENT_ID])
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
      ['failed', 'permanent', 'bounce', EVENT_ID, 'jo@receiver.example', 'receiver.example'],
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

describe('the format postal', () => {
  let secrets: WebhookSecrets
  before(async () => {
    secrets = await withKeysFor('postal', { generations: [newGeneration(AT)], basicAuth: null })
  })

  test('has the signatures of Postal, by a key that is made once', async () => {
    assert.equal(await withKeysFor('postal', secrets), secrets)
    const { body } = compose('postal', [event('delivered')])
    const own = readKeys(secrets, AT)
    const headers = (await FORMATS.postal.sign?.(body, own)) ?? {}
    const key = createPublicKey({
      ...{ key: Buffer.from(rsaPublicKeyOf(own[0]!), 'base64'), format: 'der', type: 'spki' },
    })
    const isSigned = (algorithm: string, name: string, text: string) =>
      verify(algorithm, Buffer.from(text), key, Buffer.from(headers[name] ?? '', 'base64'))
    for (const [algorithm, name] of [
      ['sha1', 'x-postal-signature'],
      ['sha256', 'x-postal-signature-256'],
    ] as const) {
      assert.equal(isSigned(algorithm, name, body), true)
      assert.equal(isSigned(algorithm, name, `${body} `), false)
    }
    assert.match(headers['x-postal-signature-kid'] ?? '', /^[0-9a-f]{64}$/)
  })

  test('names the message of a recipient by the number and the token of its sending', () => {
    const sent = event('delivered')
    const { event: name, uuid, timestamp, payload } = read(compose('postal', [sent]))
    assert.deepEqual(
      [name, uuid, timestamp, payload.status, payload.output],
      ['MessageSent', uuidOfId(EVENT_ID), AT / 1_000, 'Sent', '550 5.1.1 No such user'],
    )
    const { id, token, to, from, tag, timestamp: sentAt } = payload.message
    assert.deepEqual([id, token], [numberOfRecipient(sent), tokenOfRecipient(sent)])
    assert.deepEqual(
      [to, from, tag, sentAt],
      [sent.email, sent.from, sent.tag, timeOfId(sent.messageId) / 1_000],
    )
  })

  test('tells a refusal from a bounce that came later', () => {
    const nameOf = (type: EventType, detail = {}) => read(compose('postal', [event(type, { detail })])).event
    assert.deepEqual(
      [
        ...(['deferred', 'bounced', 'failed', 'suppressed', 'opened', 'clicked'] as const).map((type) =>
          nameOf(type),
        ),
        nameOf('bounced', { asynchronous: true }),
      ],
      [
        ...['MessageDelayed', 'MessageDeliveryFailed', 'MessageDeliveryFailed', 'MessageHeld'],
        ...['MessageLoaded', 'MessageLinkClicked', 'MessageBounced'],
      ],
    )
  })
})

describe('the format usesend', () => {
  // The types of the client include those of React, which replace the types of the browser.
  const { UseSend } = createRequire(import.meta.url)('usesend-js')

  test("is read and verified by useSend's own client", () => {
    const webhooks = new UseSend('us_key').webhooks(keys.secret)
    const { body, headers } = compose('usesend', [event('bounced')])
    const read = webhooks.constructEvent(body, { headers, tolerance: -1 })
    assert.deepEqual(
      [read.id, read.type, read.data.id, read.data.to, read.data.bounce.type],
      [EVENT_ID, 'email.bounced', MESSAGE_ID, ['jo@receiver.example'], 'Undetermined'],
    )
    assert.equal(headers['x-usesend-event'], 'email.bounced')
    assert.equal(webhooks.verify(`${body} `, { headers, tolerance: -1 }), false)
  })

  test('reports why an address was left out, and what was clicked', () => {
    const dataOf = (type: EventType, detail: object) =>
      read(compose('usesend', [event(type, { detail: detail as FeedEvent['detail'] })])).data
    assert.equal(dataOf('suppressed', { suppression: 'complaint' }).suppression.type, 'Complaint')
    assert.equal(dataOf('clicked', { url: 'https://shop.example/' }).click.url, 'https://shop.example/')
  })
})
