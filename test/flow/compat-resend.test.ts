// Resend's own client, with only its address and its key changed: every call, refusals, wrong keys and repeats.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { startInbound } from '../support/inbound.ts'
import { bringMail, createInboundStream, inboundMessages, mailOf } from '../support/inbound-mail.ts'
import { managementKey } from '../support/keys.ts'
import { createTenant } from '../support/tenant.ts'
import { until } from '../support/test-clock.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const FROM = 'The Shop <shop@example.test>'
const EMAIL = { from: FROM, to: 'ann@receiver.example', subject: 'Hello', text: 'Hello.' }

const require = createRequire(import.meta.url)
// The types of the client declare the elements of HTML anew, which the tests of the dashboard do not bear.
const { Resend } = require('resend')
const clientOf = (key: string, baseUrl: string) => new Resend(key, { baseUrl })
type Client = ReturnType<typeof clientOf>

interface Result {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body
  readonly data: any
  readonly error: {
    readonly statusCode: number | null
    readonly name: string
    readonly message: string
  } | null
}

/** Entry of a list. */
type Entry = Result['data']

/** Returns the data of a call that has to succeed. */
async function done(call: PromiseLike<Result>): Promise<Result['data']> {
  const { data, error } = await call
  assert.equal(error, null, JSON.stringify(error))
  return data
}

/** Checks status and name of a refusal, and returns its message. */
async function refusal(call: Promise<Result>, statusCode: number, name: string): Promise<string> {
  const { error } = await call
  assert.deepEqual([error?.statusCode, error?.name], [statusCode, name], JSON.stringify(error))
  return error?.message ?? ''
}

describe("Resend's own client", () => {
  let app: TestApp
  let resend: Client
  let managing: Client
  before(async () => {
    process.env.NODE_ENV = 'production'
    app = await startInbound({ env: { POSTRIDER_WEBHOOK_HTTP: 'yes' } })
    const baseUrl = `${app.app.url}/compat/resend`
    resend = clientOf(app.playground.sending_key, baseUrl)
    managing = clientOf(await managementKey(app), baseUrl)
  })
  after(() => app.stop())

  const countMessages = async (): Promise<number> =>
    (await app.store.read.selectFrom('messages').select('id').execute()).length

  test('sends, and reads what was sent', async () => {
    const { id } = await done(
      resend.emails.send({
        ...EMAIL,
        ...{ to: ['Ann <ann@receiver.example>', 'bob@receiver.example'], cc: 'carl@receiver.example' },
        ...{ bcc: ['dora@receiver.example'], replyTo: 'Help <help@example.test>', html: '<p>Hello.</p>' },
        headers: { 'X-Order': '7' },
        tags: [{ name: 'category', value: 'receipt' }],
        attachments: [
          { filename: 'a.txt', content: Buffer.from('as bytes') },
          { filename: 'b.txt', content: Buffer.from('as base64').toString('base64'), contentId: 'b' },
        ],
      }),
    )
    assert.match(id, UUID)
    const email = await done(resend.emails.get(id))
    assert.deepEqual(
      [email.object, email.id, email.from, email.to, email.cc, email.bcc, email.reply_to, email.subject],
      [
        ...['email', id, FROM, ['Ann <ann@receiver.example>', 'bob@receiver.example']],
        ...[['carl@receiver.example'], ['dora@receiver.example'], ['Help <help@example.test>'], 'Hello'],
      ],
    )
    assert.deepEqual([email.html?.trim(), email.text?.trim()], ['<p>Hello.</p>', 'Hello.'])
    assert.deepEqual((email as { tags?: unknown }).tags, [{ name: 'category', value: 'receipt' }])
    await until('the email has arrived', () => app.host.mails.length > 0)
    const [mail] = app.host.mails
    const raw = mail?.data.toString('latin1') ?? ''
    assert.match(raw, /^X-Order: 7\r$/m)
    assert.match(raw, new RegExp(Buffer.from('as bytes').toString('base64')))
    assert.match(raw, new RegExp(Buffer.from('as base64').toString('base64')))
    await until('the email is delivered', async () => {
      return (await done(resend.emails.get(id))).last_event === 'delivered'
    })
    const list = await done(resend.emails.list({ limit: 1 }))
    assert.deepEqual([list.data[0]?.id, list.has_more], [id, false])
  })

  test('mail to addresses for tests goes to a test inbox, and other recipients beside them are refused', async () => {
    const to = ['delivered+one@resend.dev', 'complained@resend.dev']
    const email = { ...EMAIL, from: 'onboarding@resend.dev' }
    await done(resend.emails.send({ ...email, to }))
    // The last event of a mail to both would depend on which of the two deliveries ends first.
    const { id } = await done(resend.emails.send({ ...email, to: 'complained@resend.dev' }))
    await until('the complaint', async () => (await done(resend.emails.get(id))).last_event === 'complained')
    const batch = [{ ...EMAIL, to: 'bounced@resend.dev' }]
    const { data } = await done(resend.batch.send(batch))
    await until(
      'the bounce',
      async () => (await done(resend.emails.get(data[0].id))).last_event === 'bounced',
    )
    assert.ok(app.host.mails.every(({ recipients }) => !recipients.some((one) => /resend\.dev/.test(one))))
    const mixed = { ...EMAIL, to: [...to, 'ann@receiver.example'] }
    assert.match(await refusal(resend.emails.send(mixed), 422, 'validation_error'), /^to: .*for tests/)
    const among = resend.batch.send([...batch, EMAIL])
    assert.match(await refusal(among, 422, 'validation_error'), /^\[0\]\.to: .*for tests/)
  })

  test('sends later, in words and by ISO 8601, changes the time and cancels', async () => {
    const inAnHour = await done(resend.emails.send({ ...EMAIL, scheduledAt: 'in 1 hour' }))
    const at = Date.parse((await done(resend.emails.get(inAnHour.id))).scheduled_at ?? '')
    assert.ok(Math.abs(at - Date.now() - 3_600_000) < 60_000)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    assert.deepEqual(await done(resend.emails.update({ id: inAnHour.id, scheduledAt: tomorrow })), {
      object: 'email',
      id: inAnHour.id,
    })
    const changed = await done(resend.emails.get(inAnHour.id))
    assert.deepEqual([changed.scheduled_at, changed.last_event], [tomorrow, 'scheduled'])
    assert.deepEqual(await done(resend.emails.cancel(inAnHour.id)), { object: 'email', id: inAnHour.id })
    assert.equal((await done(resend.emails.get(inAnHour.id))).last_event, 'canceled')
    await refusal(resend.emails.cancel((await done(resend.emails.send(EMAIL))).id), 422, 'validation_error')
    const words = resend.emails.send({ ...EMAIL, scheduledAt: 'when it rains' })
    assert.match(await refusal(words, 422, 'validation_error'), /^scheduled_at: Give a time such as/)
  })

  test('an idempotency key works once, whatever time its words mean', async () => {
    const options = { idempotencyKey: 'order-7' }
    const email = { ...EMAIL, scheduledAt: 'in 1 hour' }
    const before = await countMessages()
    const { id } = await done(resend.emails.send(email, options))
    assert.equal((await done(resend.emails.send(email, options))).id, id)
    assert.equal(await countMessages(), before + 1)
    const other = resend.emails.send({ ...email, subject: 'Other' }, options)
    await refusal(other, 409, 'invalid_idempotent_request')
    const long = resend.emails.send(EMAIL, { idempotencyKey: 'x'.repeat(300) })
    await refusal(long, 400, 'invalid_idempotency_key')
  })

  test('a strict batch is sent as a whole, a permissive one as far as possible', async () => {
    const good = (index: number) => ({ ...EMAIL, to: `r${index}@receiver.example` })
    const before = await countMessages()
    const wrong = [good(0), { ...good(1), to: 'nobody' }, good(2)]
    const message = await refusal(resend.batch.send(wrong), 422, 'validation_error')
    assert.match(message, /^\[1\]\.to\[0\]: /)
    assert.equal(await countMessages(), before)
    const { data } = await done(resend.batch.send([good(0), good(2)], { idempotencyKey: 'batch' }))
    assert.deepEqual(
      (await done(resend.batch.send([good(0), good(2)], { idempotencyKey: 'batch' }))).data,
      data,
    )
    assert.equal(await countMessages(), before + 2)
    const permissive = await done(resend.batch.send(wrong, { batchValidation: 'permissive' }))
    assert.equal(permissive.data.length, 2)
    assert.deepEqual(
      permissive.errors.map(({ index }: Entry) => index),
      [1],
    )
    assert.match(permissive.errors[0]?.message ?? '', /^to\[0\]: /)
    await refusal(resend.batch.send([]), 422, 'validation_error')
    await refusal(resend.batch.send(Array.from({ length: 101 }, () => EMAIL)), 422, 'validation_error')
  })

  test('bad input is refused in the form of Resend, and nothing is sent', async () => {
    const before = await countMessages()
    const send = (fields: object) => resend.emails.send({ ...EMAIL, ...fields })
    assert.match(await refusal(send({ to: 'nobody' }), 422, 'validation_error'), /^to\[0\]: /)
    assert.match(await refusal(send({ from: 'nobody' }), 422, 'invalid_from_address'), /^from: /)
    await refusal(send({ from: undefined }), 422, 'missing_required_field')
    await refusal(send({ subject: '' }), 422, 'missing_required_field')
    await refusal(send({ from: 'shop@elsewhere.test' }), 403, 'validation_error')
    const cut = { attachments: [{ filename: 'a.txt', content: 'YWJjZ' }] }
    assert.match(await refusal(send(cut), 422, 'invalid_attachment'), /^attachments\[0\]\.content: /)
    const far = { attachments: [{ filename: 'a.txt', path: 'https://127.0.0.1:1/a.txt' }] }
    assert.match(await refusal(send(far), 422, 'invalid_attachment'), /^attachments\[0\]\.path: /)
    await refusal(send({ html: 'x'.repeat(41 * 1_048_576) }), 413, 'validation_error')
    assert.match(await refusal(send({ topicId: 'news' }), 422, 'validation_error'), /^topic_id: /)
    await refusal(resend.emails.get('4ef9a417-02e9-4d39-ad75-9611e0fcc33c'), 404, 'not_found')
    const many = Array.from({ length: 51 }, (_, index) => `r${index}@receiver.example`)
    await refusal(send({ to: many }), 422, 'validation_error')
    assert.equal(await countMessages(), before)
  })

  test('wrong keys, keys without the right, and unknown calls are refused as there', async () => {
    const baseUrl = `${app.app.url}/compat/resend`
    const wrong = clientOf('send_wrong', baseUrl)
    await refusal(wrong.emails.send(EMAIL), 401, 'validation_error')
    await refusal(wrong.domains.list(), 400, 'validation_error')
    await refusal(resend.domains.list(), 401, 'restricted_api_key')
    const response = await fetch(`${baseUrl}/emails`, { method: 'POST', body: '{}' })
    assert.deepEqual(
      [response.status, ((await response.json()) as { name: string }).name],
      [401, 'missing_api_key'],
    )
    await refusal(resend.get('/nothing'), 404, 'not_found')
    await refusal(resend.put('/emails', {}), 405, 'method_not_allowed')
    const json = await fetch(`${baseUrl}/emails`, {
      ...{ method: 'POST', body: '{"from"' },
      headers: { authorization: `Bearer ${app.playground.sending_key}`, 'content-type': 'application/json' },
    })
    assert.deepEqual([json.status, ((await json.json()) as { name: string }).name], [400, 'validation_error'])
  })

  test('what is not served is refused by name', async () => {
    for (const call of [
      resend.contacts.create({ email: 'ann@receiver.example', audienceId: 'a' }),
      resend.contacts.list(),
      resend.segments.list(),
      resend.broadcasts.list(),
      resend.topics.list(),
      resend.emails.metrics(),
    ]) {
      const { error } = await call
      assert.deepEqual([error?.statusCode, error?.name], [501, 'not_available'], JSON.stringify(error))
      assert.match(error?.message ?? '', /is not served\. /)
    }
  })

  test('templates with variables, fallbacks and types', async () => {
    const created = await done(
      resend.templates.create({
        name: 'Receipt',
        alias: 'receipt',
        subject: 'Order {{{ORDER}}}',
        html: '<p>Hi {{{NAME}}}: {{{COUNT}}}</p>',
        variables: [
          { key: 'ORDER', type: 'string' },
          { key: 'NAME', type: 'string', fallbackValue: 'friend' },
          { key: 'COUNT', type: 'number', fallbackValue: 5 },
        ],
      }),
    )
    assert.match(created.id, UUID)
    const template = await done(resend.templates.get('receipt'))
    assert.deepEqual(
      [template.id, template.status, template.subject, template.html],
      [created.id, 'published', 'Order {{{ORDER}}}', '<p>Hi {{{NAME}}}: {{{COUNT}}}</p>'],
    )
    const variables = template.variables?.map(({ key, type, fallback_value }: Entry) => [
      key,
      type,
      fallback_value,
    ])
    assert.deepEqual(variables?.toSorted(), [
      ['COUNT', 'number', 5],
      ['NAME', 'string', 'friend'],
      ['ORDER', 'string', null],
    ])
    const send = (id: string, values: Record<string, string>) =>
      resend.emails.send({ from: FROM, to: 'ann@receiver.example', template: { id, variables: values } })
    const sent = await done(send(created.id, { ORDER: 'R-1' }))
    const email = await done(resend.emails.get(sent.id))
    assert.deepEqual([email.subject, email.html?.trim()], ['Order R-1', '<p>Hi friend: 5</p>'])
    const missing = await refusal(send('receipt', {}), 422, 'missing_required_field')
    assert.match(missing, /^template\.variables\.ORDER: /)
    assert.deepEqual((await done(resend.templates.update(created.id, { name: 'Bill' }))).id, created.id)
    assert.equal((await done(resend.templates.get(created.id))).html, template.html)
    assert.equal((await done(resend.templates.publish(created.id))).id, created.id)
    const copy = await done(resend.templates.duplicate(created.id))
    assert.equal((await done(resend.templates.list())).data.length, 2)
    assert.equal((await done(resend.templates.remove(copy.id))).deleted, true)
    await refusal(send(copy.id, {}), 404, 'not_found')
    const tenant = await createTenant(app.store)
    const other = clientOf(tenant.sendingKey, `${app.app.url}/compat/resend`)
    await refusal(other.templates.get(created.id), 404, 'not_found')
    const foreign = { ...EMAIL, from: `a@${tenant.domain.name}`, template: { id: created.id } }
    const { text: _text, ...withoutText } = foreign
    await refusal(other.emails.send(withoutText), 404, 'not_found')
  })

  test('suppressions', async () => {
    const { id } = await done(resend.suppressions.add({ email: 'gone@receiver.example' }))
    const one = await done(resend.suppressions.get(id))
    assert.deepEqual([one.email, one.origin, one.source_id], ['gone@receiver.example', 'manual', null])
    assert.equal((await done(resend.suppressions.get('gone@receiver.example'))).id, id)
    const emails = ['x@receiver.example', 'y@receiver.example']
    const added = await done(resend.suppressions.batch.add({ emails }))
    assert.equal(added.data.length, 2)
    const first = await done(resend.suppressions.list({ limit: 2 }))
    assert.deepEqual([first.data.length, first.has_more], [2, true])
    const last = first.data.at(-1)?.id ?? ''
    const rest = await done(resend.suppressions.list({ limit: 2, after: last }))
    assert.deepEqual(
      rest.data.map(({ email }: Entry) => email),
      ['gone@receiver.example'],
    )
    const back = await done(resend.suppressions.list({ limit: 2, before: id }))
    assert.deepEqual(
      back.data.map((entry: Entry) => entry.id),
      first.data.map((entry: Entry) => entry.id),
    )
    assert.equal((await done(resend.suppressions.list({ origin: 'bounce' }))).data.length, 0)
    assert.equal((await done(resend.suppressions.list({ origin: 'manual' }))).data.length, 3)
    const sent = await done(resend.emails.send({ ...EMAIL, to: 'gone@receiver.example' }))
    assert.equal((await done(resend.emails.get(sent.id))).last_event, 'suppressed')
    assert.deepEqual(await done(resend.suppressions.remove(id)), {
      ...{ object: 'suppression', id, deleted: true },
    })
    await refusal(resend.suppressions.get(id), 404, 'not_found')
    const removed = await done(
      resend.suppressions.batch.remove({ ids: added.data.map((entry: Entry) => entry.id) }),
    )
    assert.ok(removed.data.every(({ deleted }: Entry) => deleted))
  })

  test('webhooks, whose requests the client verifies', async () => {
    const receiver = await WebhookReceiver.start()
    after(() => receiver.stop())
    const created = await done(
      resend.webhooks.create({
        endpoint: receiver.url,
        events: ['email.sent', 'email.delivered', 'domain.created'],
      }),
    )
    const { id, signing_secret: webhookSecret } = created
    assert.match(webhookSecret, /^whsec_/)
    const shown = await done(resend.webhooks.get(id))
    assert.deepEqual(
      [shown.endpoint, shown.status, shown.events],
      [receiver.url, 'enabled', ['email.sent', 'email.delivered']],
    )
    const sent = await done(resend.emails.send({ ...EMAIL, tags: [{ name: 'kind', value: 'test' }] }))
    const types = new Set<string>()
    // Events of earlier emails may arrive as well.
    const own = await receiver.received(2, ({ body }) => body.includes(sent.id))
    for (const { headers, body } of own) {
      const payload = resend.webhooks.verify({
        payload: body,
        headers: {
          id: String(headers['svix-id']),
          timestamp: String(headers['svix-timestamp']),
          signature: String(headers['svix-signature']),
        },
        webhookSecret,
      })
      types.add(payload.type)
      assert.ok('email_id' in payload.data)
      if (payload.type !== 'email.delivered') continue
      const { data } = payload
      assert.deepEqual(
        [data.email_id, data.from, data.to, data.subject, data.tags],
        [sent.id, 'shop@example.test', ['ann@receiver.example'], 'Hello', { kind: 'test' }],
      )
    }
    assert.deepEqual([...types].toSorted(), ['email.delivered', 'email.sent'])
    await done(resend.webhooks.update(id, { status: 'disabled', events: ['email.bounced'] }))
    const [listed] = (await done(resend.webhooks.list())).data
    assert.deepEqual([listed?.status, listed?.events], ['disabled', ['email.bounced']])
    assert.equal((await done(resend.webhooks.remove(id))).deleted, true)
    const only = resend.webhooks.create({ endpoint: receiver.url, events: ['contact.created'] })
    assert.match(await refusal(only, 422, 'validation_error'), /^events\[0\]: /)
    const internal = resend.webhooks.create({ endpoint: 'https://10.0.0.1/', events: ['email.sent'] })
    assert.match(await refusal(internal, 422, 'validation_error'), /^endpoint: /)
  })

  test('received mail with its attachments', async () => {
    await createInboundStream(app, ['support@example.test'])
    const parts = [
      '--b\r\nContent-Type: text/plain\r\n\r\nHelp me.\r\n',
      '--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n1;2;3\r\n--b--\r\n',
    ]
    const mail = mailOf({ 'Content-Type': 'multipart/mixed; boundary=b' }, parts.join(''))
    assert.match(await bringMail(app, 'support@example.test', mail), /^250 /)
    await inboundMessages(app, 1)
    const { data } = await done(resend.emails.receiving.list())
    const [entry] = data
    assert.deepEqual(
      [entry.from, entry.subject, entry.received_for],
      ['Jo Doe <jo@author.example>', 'Hello', ['support@example.test']],
    )
    const email = await done(resend.emails.receiving.get(entry.id))
    assert.deepEqual(
      [email.object, email.text.trim(), email.message_id, email.attachments[0].filename],
      ['email', 'Help me.', '<one@author.example>', 'a.csv'],
    )
    assert.equal(await (await fetch(email.raw.download_url)).text(), mail)
    const files = await done(resend.emails.receiving.attachments.list({ emailId: entry.id }))
    const [{ id, content_type }] = files.data
    assert.equal(content_type, 'text/csv')
    const file = await done(resend.emails.receiving.attachments.get({ emailId: entry.id, id }))
    assert.equal((await (await fetch(file.download_url)).text()).trim(), '1;2;3')
    const absent = { emailId: entry.id, id: '00000000-0000-4000-8000-000000000009' }
    await refusal(resend.emails.receiving.attachments.get(absent), 404, 'not_found')
    await refusal(resend.emails.receiving.get('4ef9a417-02e9-4d39-ad75-9611e0fcc33c'), 404, 'not_found')
  })

  test('domains and API keys, with a management key', async () => {
    const created = await done(managing.domains.create({ name: 'shop.test', region: 'eu-west-1' }))
    assert.match(created.id, UUID)
    assert.deepEqual([created.name, created.status], ['shop.test', 'not_started'])
    assert.ok(created.records.some(({ record }: Entry) => record === 'DKIM'))
    assert.ok(created.records.some(({ record }: Entry) => record === 'SPF'))
    const got = await done(managing.domains.get(created.id))
    assert.equal(got.name, 'shop.test')
    assert.ok((await done(managing.domains.list())).data.some(({ id }: Entry) => id === created.id))
    assert.equal((await done(managing.domains.verify(created.id))).id, created.id)
    await refusal(managing.domains.update({ id: created.id, tls: 'enforced' }), 422, 'validation_error')
    assert.equal(
      (await done(managing.domains.update({ id: created.id, tls: 'opportunistic' }))).id,
      created.id,
    )
    const key = await done(
      managing.apiKeys.create({ name: 'Shop', permission: 'sending_access', domain_id: created.id }),
    )
    assert.match(key.token, /^send_/)
    assert.ok((await done(managing.apiKeys.list())).data.some(({ id }: Entry) => id === key.id))
    assert.equal((await done(managing.apiKeys.update(key.id, { name: 'Store' }))).id, key.id)
    const shop = clientOf(key.token, `${app.app.url}/compat/resend`)
    await refusal(shop.emails.send({ ...EMAIL, from: 'a@shop.test' }), 403, 'validation_error')
    await done(managing.apiKeys.remove(key.id))
    await refusal(shop.emails.send(EMAIL), 401, 'validation_error')
    await refusal(
      managing.apiKeys.create({ name: 'All', permission: 'full_access' }),
      422,
      'validation_error',
    )
    await refusal(managing.apiKeys.create({ name: 'Any' }), 422, 'missing_required_field')
    await refusal(managing.domains.create({ name: 'com' }), 422, 'validation_error')
    assert.equal((await done(managing.domains.remove(created.id))).deleted, true)
    await refusal(managing.domains.get(created.id), 404, 'not_found')
  })
})
