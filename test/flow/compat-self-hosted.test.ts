// The calls of Postal and useSend: Postal's by their documented bodies, useSend's by its own client.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { until } from '../support/test-clock.ts'

// The types of the client include those of React, which replace the types of the browser in all other tests.
const { UseSend } = createRequire(import.meta.url)('usesend-js')

const FROM = 'The Shop <shop@example.test>'

const startApp = (): Promise<TestApp> =>
  TestApp.start({
    host: {
      script({ verb, address }) {
        return verb === 'RCPT' && address.startsWith('gone') ? '550 5.1.1 no such user' : undefined
      },
    },
  })

/** Returns the mail to an address that the mail host has received. */
const received = (app: TestApp, to: string) =>
  until(`mail to ${to}`, async () => {
    const mail = app.host.mails.find(({ recipients }) => recipients.includes(to))
    return mail && PostalMime.parse(mail.data)
  })

describe('Postal', () => {
  let app: TestApp
  before(async () => {
    app = await startApp()
  })
  after(() => app.stop())

  const call = async (path: string, body: object | string, headers: Record<string, string> = {}) => {
    const answer = await app.callWith('POST', `/compat/postal/api/v1/${path}`, body, {
      'x-server-api-key': app.playground.sending_key,
      ...headers,
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const message = { from: FROM, subject: 'Hello', plain_body: 'Hello.' }

  test('sends a message with everything that it can express, and shows it', async () => {
    const body = await call('send/message', {
      ...message,
      ...{
        to: ['Ann <ann@receiver.test>', 'gone@receiver.test'],
        cc: 'cy@receiver.test',
        bcc: ['dan@receiver.test'],
      },
      ...{
        reply_to: 'help@example.test',
        html_body: '<p>Hello.</p>',
        tag: 'greeting',
        headers: { 'X-Own': 'yes' },
      },
      attachments: [
        { name: 'a.txt', content_type: 'text/plain', data: Buffer.from('file').toString('base64') },
      ],
      ...{ sender: 'x@example.test', bounce: false },
    })
    assert.deepEqual([body.status, body.flags], ['success', {}])
    assert.match(body.data.message_id, /^[0-9A-Z]{26}@example\.test$/)
    const { messages } = body.data
    assert.deepEqual(Object.keys(messages).toSorted(), [
      ...['ann@receiver.test', 'cy@receiver.test', 'dan@receiver.test', 'gone@receiver.test'],
    ])
    const ids = Object.values(messages as Record<string, { id: number; token: string }>)
    assert.equal(new Set(ids.map(({ id }) => id)).size, 4)
    assert.ok(ids.every(({ id, token }) => Number.isSafeInteger(id) && id > 0 && /^\w{16}$/.test(token)))
    const mail = await received(app, 'ann@receiver.test')
    assert.equal(mail.headers.find(({ key }) => key === 'x-own')?.value, 'yes')
    assert.deepEqual(
      [mail.replyTo?.[0]?.address, mail.attachments[0]?.filename],
      ['help@example.test', 'a.txt'],
    )
    const { id } = messages['gone@receiver.test']
    const shown = await until('the bounce', async () => {
      const { data } = await call('messages/message', { id, _expansions: true })
      return data.status.status === 'HardFail' && data
    })
    assert.deepEqual(
      [shown.details.rcpt_to, shown.details.tag, shown.plain_body.trim()],
      [...['gone@receiver.test', 'greeting', 'Hello.']],
    )
    const { data: deliveries } = await call('messages/deliveries', { id })
    assert.deepEqual([deliveries[0].status, deliveries[0].output], ['HardFail', '550 5.1.1 no such user'])
    const { data: brief } = await call('messages/message', { id })
    assert.deepEqual(Object.keys(brief), ['id', 'token'])
  })

  test('sends a complete message, and takes parameters in a form', async () => {
    const raw = `From: ${FROM}\r\nTo: ann@receiver.test\r\nSubject: Raw\r\n\r\nHello.\r\n`
    const parameters = { mail_from: 'shop@example.test', rcpt_to: ['raw@receiver.test'], data: btoa(raw) }
    const body = await call(
      'send/raw',
      new URLSearchParams({ params: JSON.stringify(parameters) }).toString(),
      {
        'content-type': 'application/x-www-form-urlencoded',
      },
    )
    assert.equal(body.status, 'success')
    assert.equal((await received(app, 'raw@receiver.test')).subject, 'Raw')
  })

  test('errors have the codes of Postal, with the status 200', async () => {
    const to = ['ann@receiver.test']
    const many = (name: string) => Array.from({ length: 51 }, (_, index) => `${name}${index}@receiver.test`)
    const cases: [string, object, string][] = [
      ['send/message', { ...message, to: [] }, 'NoRecipients'],
      ['send/message', { to, subject: 'x', plain_body: 'x' }, 'FromAddressMissing'],
      ['send/message', { from: FROM, to, subject: 'x' }, 'NoContent'],
      ['send/message', { ...message, to, from: 'x@other.test' }, 'UnauthenticatedFromAddress'],
      ['send/message', { ...message, to, from: 'webmaster@localhost' }, 'UnauthenticatedFromAddress'],
      ['send/message', { ...message, to: many('t') }, 'TooManyToAddresses'],
      ['send/message', { ...message, to, cc: many('c') }, 'TooManyCCAddresses'],
      ['send/message', { ...message, to, bcc: many('b') }, 'TooManyBCCAddresses'],
      ['send/message', { ...message, to, attachments: [{ data: 'AAAA' }] }, 'AttachmentMissingName'],
      ['send/message', { ...message, to, attachments: [{ name: 'a' }] }, 'AttachmentMissingData'],
      ['messages/message', { id: 12_345_678 }, 'MessageNotFound'],
      ['messages/deliveries', { id: 12_345_678 }, 'MessageNotFound'],
    ]
    for (const [path, body, code] of cases) {
      const answer = await call(path, body)
      assert.deepEqual(
        [answer.status, answer.data.code],
        ['error', code],
        JSON.stringify([body, answer]).slice(0, 300),
      )
    }
    const cut = { mail_from: 'shop@example.test', rcpt_to: to, data: 'AAAAA' }
    for (const [path, body] of [
      ['send/raw', cut],
      ['messages/message', {}],
      ['send/message', { ...message, to: ['nobody'] }],
      ['send/message', { ...message, to, attachments: [{ name: 'a', data: '*' }] }],
    ] as const) {
      assert.equal((await call(path, body)).status, 'parameter-error', path)
    }
    const wrong = await call('send/message', {}, { 'x-server-api-key': 'wrong' })
    assert.equal(wrong.data.code, 'InvalidServerAPIKey')
    const none = await app.callWith('POST', '/compat/postal/api/v1/send/message', {}, {})
    assert.deepEqual([none.status, none.body.data.code], [200, 'AccessDenied'])
  })

  test('a repeated request sends one message, and more than fifty recipients get several', async () => {
    const once = { 'idempotency-key': 'postal-once' }
    const body = { ...message, to: ['once@receiver.test'] }
    const [first, second] = [await call('send/message', body, once), await call('send/message', body, once)]
    assert.deepEqual(first.data, second.data)
    const list = (name: string) => Array.from({ length: 40 }, (_, index) => `${name}${index}@receiver.test`)
    const { data } = await call('send/message', { ...message, to: list('x'), cc: list('y') })
    assert.equal(Object.keys(data.messages).length, 80)
  })
})

describe("useSend's client", () => {
  let app: TestApp
  // biome-ignore lint/suspicious/noExplicitAny: the client is used without its types
  let client: any
  // biome-ignore lint/suspicious/noExplicitAny: the client is used without its types
  let account: any
  before(async () => {
    app = await startApp()
    const url = new URL('/compat/usesend', app.app.url).href
    client = new UseSend(app.playground.sending_key, url)
    account = new UseSend(await managementKey(app), url)
  })
  after(() => app.stop())

  const email = (more: object = {}) => ({
    ...{ from: FROM, to: 'ann@receiver.test', subject: 'Hello', html: '<p>Hello.</p>' },
    ...more,
  })

  test('sends an email with everything that it can express, and shows it', async () => {
    const { data, error } = await client.emails.send(
      email({
        ...{
          to: ['Ann <ann.use@receiver.test>'],
          cc: 'cy.use@receiver.test',
          bcc: ['dan.use@receiver.test'],
        },
        ...{ replyTo: 'help@example.test', text: null, headers: { 'X-Own': 'yes' } },
        attachments: [{ filename: 'a.txt', content: btoa('file') }],
      }),
    )
    assert.equal(error, null)
    const id = data?.emailId ?? ''
    const mail = await received(app, 'ann.use@receiver.test')
    assert.equal(mail.headers.find(({ key }) => key === 'x-own')?.value, 'yes')
    assert.equal(mail.attachments[0]?.filename, 'a.txt')
    const shown = await until('the delivery', async () => {
      const { data: found } = await client.emails.get(id)
      return (
        found?.emailEvents.filter(({ status }: { status: string }) => status === 'DELIVERED').length === 3 &&
        found
      )
    })
    assert.deepEqual([shown.to, shown.subject], [['ann.use@receiver.test'], 'Hello'])
    assert.match(shown.html ?? '', /<p>Hello\.<\/p>/)
    const reply = await client.emails.send(email({ to: 'reply.use@receiver.test', inReplyToId: id }))
    assert.equal(reply.error, null)
    const second = await received(app, 'reply.use@receiver.test')
    assert.equal(second.inReplyTo, mail.messageId)
    const { data: list } = await client.get('/emails?limit=1&page=1')
    assert.equal(list?.data.length, 1)
  })

  test('sends a batch, a template, and a scheduled email that is moved and cancelled', async () => {
    const batch = await client.emails.batch([
      email({ to: 'b1@receiver.test' }),
      email({ to: 'b2@receiver.test' }),
    ])
    assert.equal(batch.data?.length, 2)
    await received(app, 'b2@receiver.test')
    const template = { alias: 'hi', name: 'Hi', subject: 'Hi {{name}}', html: '<p>{{name}}</p>' }
    assert.equal((await app.call('POST', '/v1/templates', template)).status, 201)
    const fields = { templateId: 'hi', variables: { name: 'Ann' }, subject: undefined, html: undefined }
    assert.equal((await client.emails.send(email({ ...fields, to: 'tpl@receiver.test' }))).error, null)
    assert.equal((await received(app, 'tpl@receiver.test')).subject, 'Hi Ann')
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const { data } = await client.emails.send(email({ scheduledAt: at(1) }))
    const id = data?.emailId ?? ''
    const moved = at(2)
    assert.equal((await client.emails.update(id, { scheduledAt: moved })).data?.emailId, id)
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.send_at, moved)
    assert.equal((await client.emails.cancel(id)).data?.emailId, id)
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.status, 'cancelled')
  })

  test('errors and repeats are those of the client', async () => {
    const code = ({ error }: { error: unknown }) => {
      const found = error as { code?: string; error?: { code: string } } | null
      return found?.code ?? found?.error?.code
    }
    assert.equal(code(await client.emails.send(email({ to: 'nobody' }))), 'BAD_REQUEST')
    assert.equal(code(await client.emails.send(email({ from: 'x@other.test' }))), 'BAD_REQUEST')
    assert.equal(code(await client.emails.get('nothing')), 'NOT_FOUND')
    assert.equal(code(await client.emails.batch([email(), email({ to: 'nobody' })])), 'BAD_REQUEST')
    const wrong = new UseSend('us_wrong', new URL('/compat/usesend', app.app.url).href)
    assert.equal(code(await wrong.emails.send(email())), 'FORBIDDEN')
    const none = await app.callWith('POST', '/compat/usesend/api/v1/emails', {}, {})
    assert.deepEqual([none.status, none.body.error.code], [401, 'UNAUTHORIZED'])
    const once = { idempotencyKey: 'usesend-once' }
    const first = await client.emails.send(email(), once)
    assert.deepEqual(await client.emails.send(email(), once), first)
    assert.equal(code(await client.emails.send(email({ subject: 'Other' }), once)), 'NOT_UNIQUE')
  })

  test('domains: create, list, get, verify, delete', async () => {
    const created = await account.domains.create({ name: 'new.test', region: 'eu' })
    assert.deepEqual([created.data?.name, created.data?.status], ['new.test', 'PENDING'])
    const id = created.data?.id ?? 0
    assert.ok((await account.domains.list()).data?.some((one: { id: number }) => one.id === id))
    assert.equal((await account.domains.get(id)).data?.name, 'new.test')
    assert.equal((await account.domains.verify(id)).data?.message, 'Domain verification started')
    assert.equal((await account.domains.delete(id)).data?.success, true)
    assert.equal((await account.domains.get(id)).data, null)
  })
})
