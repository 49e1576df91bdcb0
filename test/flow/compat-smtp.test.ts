// SMTP logins in the form of other services: the user name of the service, a Sending key, and the service's fields.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import nodemailer from 'nodemailer'
import { type Answer, TestApp } from '../support/app.ts'

describe('SMTP in the form of other services', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  const MAIL = { from: 'shop@example.test', to: 'ann@receiver.example', subject: 'Hello', text: 'Hello.' }
  const mailer = (user: string, pass = app.playground.sending_key) =>
    nodemailer.createTransport({
      host: '127.0.0.1',
      port: app.playground.smtp.port,
      auth: { user, pass },
      tls: { rejectUnauthorized: false },
    })
  /** Sends mail and returns the ID of the message. */
  const send = async (user: string, mail: object, pass?: string): Promise<string> => {
    const transport = mailer(user, pass)
    const { response } = await transport.sendMail({ ...MAIL, ...mail })
    transport.close()
    const [, id = ''] = /queued as (msg_\w+)$/.exec(response) ?? []
    return id
  }
  const shown = async (id: string): Promise<Answer['body']> =>
    (await app.call('GET', `/v1/messages/${id}?include=content`)).body

  test('resend: a repeated Resend-Idempotency-Key sends once, and the field is removed', async () => {
    const headers = { 'Resend-Idempotency-Key': 'order-7' }
    const id = await send('resend', { headers })
    assert.match(id, /^msg_/)
    assert.equal(await send('resend', { headers }), id)
    const { headers: sent } = await shown(id)
    assert.ok(sent.every(({ name }: { name: string }) => !/idempotency/i.test(name)))
  })

  test('an address: the fields of Mailgun are read and removed', async () => {
    const id = await send('postmaster@example.test', {
      headers: [
        { key: 'X-Mailgun-Tag', value: 'one' },
        { key: 'X-Mailgun-Tag', value: 'two' },
        { key: 'X-Mailgun-Variables', value: '{"order":"7"}' },
        { key: 'X-Mailgun-Require-TLS', value: 'no' },
      ],
    })
    const message = await shown(id)
    assert.deepEqual([message.tags, message.metadata], [['one', 'two'], { order: '7' }])
    assert.ok(message.headers.every(({ name }: { name: string }) => !/mailgun|require-tls/i.test(name)))
    const dropped = { headers: { 'X-Mailgun-Drop-Message': 'yes' } }
    await assert.rejects(send('postmaster@example.test', dropped), /554 .*X-Mailgun-Drop-Message/)
    await assert.rejects(send('postmaster@example.test', {}, 'send_wrong'), /535/)
  })

  test('an organization and a server, and usesend: logins of Postal and useSend', async () => {
    const message = await shown(await send('acme/shop', { headers: { 'X-Postal-Tag': 'receipt' } }))
    assert.deepEqual(message.tags, ['receipt'])
    assert.match(await send('usesend', {}), /^msg_/)
  })

  test('the server token as user and password: fields of Postmark control the message and are removed', async () => {
    const headers = { 'X-PM-Tag': 'receipt', 'X-PM-Metadata-order': '7', 'X-PM-Message-Stream': 'outbound' }
    const message = await shown(await send(app.playground.sending_key, { headers }))
    assert.deepEqual(
      [message.tags, message.metadata, message.stream],
      [['receipt'], { order: '7' }, 'transactional'],
    )
    assert.ok(message.headers.every(({ name }: { name: string }) => !/^x-pm/i.test(name)))
    await assert.rejects(send('send_nonesuch', {}, 'send_nonesuch'), /535/)
  })

  test('apikey: X-SMTPAPI labels the message and is removed', async () => {
    const api = {
      category: ['receipt'],
      unique_args: { order: '7' },
      filters: { opentrack: { settings: { enable: 0 } } },
    }
    const message = await shown(await send('apikey', { headers: { 'X-SMTPAPI': JSON.stringify(api) } }))
    assert.deepEqual([message.tags, message.metadata], [['receipt'], { order: '7' }])
    assert.ok(message.headers.every(({ name }: { name: string }) => !/smtpapi/i.test(name)))
  })

  test('apikey: a message can be scheduled', async () => {
    const send_at = Math.floor(Date.now() / 1_000) + 3_600
    const message = await shown(
      await send('apikey', { headers: { 'X-SMTPAPI': JSON.stringify({ send_at }) } }),
    )
    assert.deepEqual([message.status, Date.parse(message.send_at)], ['scheduled', send_at * 1_000])
  })

  test('apikey: each recipient gets a copy with its substitutions', async () => {
    const api = {
      to: ['Ann <ann@receiver.example>', 'bob@receiver.example'],
      sub: { '-name-': ['Ann', 'Bob'], '-part-': ['-hello-', '-hello-'] },
      section: { '-hello-': 'Dear -name-' },
    }
    const id = await send('apikey', {
      ...{
        subject: 'For -name-',
        text: '-part-.',
        html: '<p>-part-</p>',
        headers: { 'X-SMTPAPI': JSON.stringify(api), 'X-Order': '7' },
      },
      attachments: [{ filename: 'a.txt', content: 'file' }],
    })
    const first = await shown(id)
    const { data } = (await app.call('GET', '/v1/messages?limit=2')).body
    const second = await shown(data[0].message_id)
    assert.deepEqual(
      [first, second]
        .map(({ to, subject, text, html }) => [to[0].email, subject, text.trim(), html.trim()])
        .toSorted(),
      [
        ['ann@receiver.example', 'For Ann', 'Dear Ann.', '<p>Dear Ann</p>'],
        ['bob@receiver.example', 'For Bob', 'Dear Bob.', '<p>Dear Bob</p>'],
      ],
    )
    assert.ok(
      first.headers.some(
        ({ name, value }: { name: string; value: string }) => name === 'X-Order' && value === '7',
      ),
    )
    const bad = { ...api, to: ['ann@receiver.example', 'nobody'] }
    await assert.rejects(
      send('apikey', { headers: { 'X-SMTPAPI': JSON.stringify(bad) } }),
      /554 .*\[1\]\.to\[0\]\.email/,
    )
    assert.equal((await app.call('GET', '/v1/messages?limit=1')).body.data[0].message_id, data[0].message_id)
  })

  test('what cannot be done, wrong keys and other user names are refused', async () => {
    const refused = { headers: { 'X-SMTPAPI': JSON.stringify({ ip_pool: 'fast' }) } }
    await assert.rejects(send('apikey', refused), /554 5\.6\.0 X-SMTPAPI: ip_pool/)
    await assert.rejects(send('apikey', {}, 'send_wrong'), /535 5\.7\.8/)
    await assert.rejects(send('resend', {}, app.playground.smtp.password), /535 5\.7\.8/)
    await assert.rejects(send('somebody', {}), /535 5\.7\.8/)
    await assert.rejects(send('resend', {}, app.playground.verification_key), /535 5\.7\.8/)
    const { username, password } = app.playground.smtp
    const fields = { headers: { 'Resend-Idempotency-Key': 'x', 'X-SMTPAPI': '{"ip_pool":"fast"}' } }
    const message = await shown(await send(username, fields, password))
    assert.ok(
      message.headers.some(({ name }: { name: string }) => name === 'X-SMTPAPI'),
      'an own login reads own fields',
    )
  })
})
