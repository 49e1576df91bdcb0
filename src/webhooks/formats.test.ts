// Payloads of other services: what their own packages and documented receivers make of them.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { EventWebhook } from '@sendgrid/eventwebhook'
import MessageValidator from 'sns-validator'
import { certificateFor } from '../../test/support/authority.ts'
import { validNow } from '../../test/support/certificate.ts'
import { testStorage } from '../../test/support/store.ts'
import { makeCertificate } from '../certificates/x509.ts'
import { silentLog } from '../lib/log.ts'
import { PublicUrl } from '../lib/public-url.ts'
import { EVENT_TYPES, type EventType } from '../model/event.ts'
import type { FeedEvent } from '../store/events/feed.ts'
import { openStore } from '../store/open-store.ts'
import type { SignedRequest } from './request.ts'
import { FORMATS } from './request.ts'
import { newGeneration, p256PublicKeyOf, readKeys } from './signing-keys.ts'
import { SnsSigner } from './sns-signer.ts'

const AT = Date.UTC(2026, 0, 31, 12, 0, 0, 500)
const [keys] = readKeys({ generations: [newGeneration(AT)], basicAuth: null }, AT)
assert.ok(keys !== undefined)

const event = (type: EventType, more: Partial<FeedEvent> = {}): FeedEvent => ({
  position: 1,
  id: `evt_${type}`,
  type,
  at: AT,
  accountId: 'acc_1',
  domainId: 'dom_1',
  messageId: 'msg_1',
  email: 'jo@receiver.example',
  stream: 'transactional',
  tag: 'welcome',
  subject: 'Hello',
  metadata: { order: '7' },
  detail: { attempt: 2, smtp_code: 550, smtp_response: '5.1.1 No such user', mx: 'mx.receiver.example' },
  ...more,
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was written
const read = (request: SignedRequest): any => JSON.parse(request.body)

const compose = (format: keyof typeof FORMATS, events: FeedEvent[]): SignedRequest =>
  FORMATS[format].compose(events, { keys: [keys], at: AT + 2_000, isBatch: false, webhookId: 'whk_1' })

describe('every format', () => {
  test('writes each type of event that it names, in the same words every time', () => {
    for (const [name, format] of Object.entries(FORMATS)) {
      assert.ok(format.types.size > 5, name)
      for (const type of format.types) {
        assert.ok((EVENT_TYPES as readonly string[]).includes(type))
        const one = compose(name as keyof typeof FORMATS, [event(type)])
        const other = compose(name as keyof typeof FORMATS, [event(type)])
        assert.equal(one.body, other.body)
        assert.match(one.body, /receiver\.example/)
        assert.match(one.body, /msg_1/)
      }
    }
  })
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

  test('is a list of its events, with metadata beside their fields', () => {
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
        ['welcome'],
      ]),
    )
    const { type, status, reason, sg_event_id } = events[1]
    assert.deepEqual(
      [type, status, reason, sg_event_id],
      ['blocked', '5.1.1', '550 5.1.1 No such user', 'evt_bounced'],
    )
  })

  test('lets no metadata replace a field of the event', () => {
    const metadata = { event: 'delivered', email: 'other@x.example', sg_event_id: 'x' }
    const [one] = read(compose('sendgrid', [event('bounced', { metadata })]))
    assert.deepEqual(
      [one.event, one.email, one.sg_event_id],
      ['bounce', 'jo@receiver.example', 'evt_bounced'],
    )
  })
})

describe('the format mailgun', () => {
  test('has the signature of its documentation, with a token of the event', () => {
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
    assert.deepEqual([data.tags, data['user-variables']], [['welcome'], { order: '7' }])
    assert.equal(data['delivery-status'].code, 550)
    assert.equal(data.timestamp, AT / 1_000)
  })

  test('calls a deferral a temporary failure', () => {
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

  test('tells of a bounce by the types of its API', () => {
    const bounce = (category: string, hard = false) => {
      const detail = { ...event('bounced').detail, category, hard }
      return read(compose('postmark', [event('bounced', { detail })]))
    }
    const hard = bounce('mailbox_not_found', true)
    assert.deepEqual(
      [hard.Type, hard.TypeCode, hard.Inactive, hard.Email, hard.MessageID, hard.MessageStream, hard.Tag],
      ['HardBounce', 1, true, 'jo@receiver.example', 'msg_1', 'transactional', 'welcome'],
    )
    assert.ok(Number.isSafeInteger(hard.ID))
    assert.deepEqual([bounce('mailbox_full').Type, bounce('policy').Type], ['SoftBounce', 'Blocked'])
  })
})

describe('the format ses', () => {
  const NAMES = {
    ...{ accepted: 'Send', delivered: 'Delivery', deferred: 'DeliveryDelay', bounced: 'Bounce' },
    ...{ failed: 'Bounce', suppressed: 'Bounce', opened: 'Open', clicked: 'Click' },
    ...{ complained: 'Complaint', unsubscribed: 'Subscription' },
  } as const

  test("is a notification that SNS's own package verifies by the certificate of the installation, and no other", async () => {
    const storage = await testStorage('sqlite', 'tables')
    const store = await openStore({ ...storage, log: silentLog })
    const publicUrl = new PublicUrl()
    const sns = new SnsSigner({
      store,
      publicUrl,
      makeCertificate: () => makeCertificate({ ...validNow(), names: [], isRsa: true }),
    })
    assert.equal(await sns.certificate('SimpleNotificationService-0.pem'), undefined)
    const server = createServer(await certificateFor(['localhost']), (request, response) => {
      void sns.certificate(request.url?.slice(1) ?? '').then((certificate) => {
        response.statusCode = certificate === undefined ? 404 : 200
        response.end(certificate)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    publicUrl.listensAt(`https://localhost:${port}`)
    const snsKey = await sns.key()
    // Another node of the installation has the same key.
    const other = new SnsSigner({ store, publicUrl, makeCertificate: () => assert.fail('there is one') })
    assert.equal((await other.key()).certificateUrl, snsKey.certificateUrl)

    const validator = new MessageValidator(/^localhost:\d+$/)
    const verify = (message: object): Promise<string> =>
      new Promise((resolve) => {
        validator.validate(message as never, (error) => resolve(error?.message ?? 'verified'))
      })
    for (const [type, name] of Object.entries(NAMES)) {
      const subject = 'Grüße "\n'
      const context = { keys: [], at: AT, isBatch: false, webhookId: 'whk_1', sns: snsKey }
      const request = FORMATS.ses.compose([event(type as EventType, { subject })], context)
      const notification = read(request)
      assert.equal(await verify(notification), 'verified', type)
      assert.equal(JSON.parse(notification.Message).eventType, name)
      assert.equal(request.headers['x-amz-sns-message-type'], notification.Type)
      assert.equal(request.headers['x-amz-sns-message-id'], notification.MessageId)
      for (const field of ['Message', 'MessageId', 'Timestamp', 'TopicArn']) {
        const changed = { ...notification, [field]: `${notification[field]} ` }
        assert.equal(await verify(changed), 'The message signature is invalid.', field)
      }
    }
    server.close()
    await store.close()
    await storage.remove()
  })

  test('tells of bounces by the types of its documentation, once for each recipient', () => {
    const told = (type: EventType, category?: string) => {
      const hard = category === 'mailbox_not_found'
      const detail = { ...event(type).detail, ...(category === undefined ? {} : { category, hard }) }
      return JSON.parse(read(compose('ses', [event(type, { detail })])).Message)
    }
    const kinds = (['mailbox_not_found', 'mailbox_full', 'policy'] as const).map((category) => {
      const { bounce } = told('bounced', category)
      return [bounce.bounceType, bounce.bounceSubType]
    })
    assert.deepEqual(kinds, [
      ['Permanent', 'NoEmail'],
      ['Transient', 'MailboxFull'],
      ['Transient', 'General'],
    ])
    const { mail, bounce, notificationType } = told('bounced', 'mailbox_not_found')
    assert.equal(notificationType, 'Bounce')
    assert.deepEqual(mail.destination, ['jo@receiver.example'])
    assert.deepEqual(mail.headers.map(({ name, value }: Record<string, string>) => [name, value]).slice(2), [
      ['X-Tag', 'welcome'],
      ['X-Metadata', '{"order":"7"}'],
    ])
    assert.deepEqual(bounce.bouncedRecipients, [
      {
        ...{ emailAddress: 'jo@receiver.example', status: '5.1.1' },
        ...{ diagnosticCode: 'smtp; 550 5.1.1 No such user', action: 'failed' },
      },
    ])
    assert.equal(told('suppressed').bounce.bounceType, 'Permanent')
    assert.deepEqual(told('complained').complaint.complainedRecipients, [
      { emailAddress: 'jo@receiver.example' },
    ])
  })
})
