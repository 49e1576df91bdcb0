// Streams have separate header fields, rates, retry times and allowances; a broadcast requires DMARC.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { recordDomainCheck } from '../../src/store/domains/domain-checks.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { answerTo, type HostScript } from '../support/mail-host/script.ts'
import { TestClock, until } from '../support/test-clock.ts'

const MESSAGE = { from: 'a@example.test', to: [{ email: 'you@receiver.example' }], subject: 's', text: 't' }

describe('a stream', () => {
  let app: TestApp
  const clock = new TestClock()
  const later = answerTo('RCPT', '451 4.3.0 not now')
  const script: HostScript = (command) => (command.address.startsWith('later@') ? later(command) : undefined)
  before(async () => {
    app = await TestApp.start({ clock, host: { tls: true, script } })
  })
  after(() => app.stop())

  const post = (fields: object): Promise<Answer> =>
    app.call('POST', '/v1/messages', { ...MESSAGE, ...fields })
  async function stream(alias: string, fields: object = {}): Promise<void> {
    const body = { alias, name: alias, kind: 'transactional', ...fields }
    assert.equal((await app.call('POST', '/v1/streams', body)).status, 201)
  }
  /** Returns the message that the mail host received. */
  async function arrived(id: string) {
    await app.messageIn(id, 'delivered')
    const { body } = await app.call('GET', `/v1/messages/${id}/raw`)
    assert.ok(app.host.mails.some(({ data }) => data.toString() === body))
    return PostalMime.parse(body)
  }
  const recipients = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ email: `r${index}@receiver.example` }))

  test('is the one in the message, and the first one by default', async () => {
    await stream('alerts')
    const named = await app.messageIn(await app.send({ stream: 'alerts' }), 'delivered')
    const unnamed = await app.messageIn(await app.send(), 'delivered')
    assert.deepEqual([named.stream, unnamed.stream], ['alerts', 'transactional'])
    const { body } = await app.call('GET', '/v1/messages?stream=alerts')
    assert.deepEqual(
      body.data.map((one: { message_id: string }) => one.message_id),
      [named.message_id],
    )
  })

  test('has to exist', async () => {
    for (const name of ['nowhere', '', 'Transactional', '__proto__', 'a\0']) {
      const { status, body } = await post({ stream: name })
      assert.deepEqual([status, body.errors[0].path, body.errors[0].code], [422, 'stream', 'not_found'])
    }
  })

  test('adds header fields, except those that the message has', async () => {
    await stream('fields', { headers: { 'X-Kind': 'of stream', 'X-Own': 'of stream' } })
    const mail = await arrived(await app.send({ stream: 'fields', headers: { 'x-own': 'of message' } }))
    const values = mail.headers
      .filter(({ key }) => /^x-(kind|own)$/.test(key))
      .map(({ key, value }) => [key, value])
    assert.deepEqual(values.sort(), [
      ['x-kind', 'of stream'],
      ['x-own', 'of message'],
    ])
  })

  test('is named over SMTP by X-Stream, with the same effect', async () => {
    const { smtp } = app.playground
    const transport = createTransport({
      host: smtp.host,
      port: app.app.smtpPort as number,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: smtp.username, pass: smtp.password },
    })
    const mail = { from: 'a@example.test', to: 'you@receiver.example', subject: 's', text: 't' }
    const { response } = await transport.sendMail({
      ...mail,
      headers: { 'X-Stream': 'fields', 'X-Own': 'grüß' },
    })
    const id = /msg_\w+/.exec(response)?.[0] as string
    assert.equal((await app.messageIn(id, 'delivered')).stream, 'fields')
    const named = (await arrived(id)).headers.filter(({ key }) => /^x-(kind|own|stream)$/.test(key))
    assert.deepEqual(named.map(({ key }) => key).sort(), ['x-kind', 'x-own'])
    await assert.rejects(
      transport.sendMail({ ...mail, headers: { 'X-Stream': 'nowhere' } }),
      /554 5\.6\.0 stream: There is no stream/,
    )
  })

  test('gives its mail up when its own time is over', async () => {
    await stream('codes', { retry_for_seconds: 300 })
    const id = await app.send({ stream: 'codes', to: [{ email: 'later@receiver.example' }] })
    await app.messageIn(id, 'deferred')
    await app.advance(70_000)
    const message = await app.messageIn(id, 'failed')
    assert.match(message.events.at(-1).detail.reason, /^Given up after 2 attempts/)
  })

  test('sends no faster than its rate, while others continue', async () => {
    await stream('slow', { rate: '2/s' })
    const before = app.host.mails.length
    await app.send({ stream: 'slow', to: recipients(10) })
    await app.messageIn(await app.send(), 'delivered')
    const ofSlow = (): number =>
      app.host.mails.slice(before).filter(({ recipients: [to] }) => to?.startsWith('r')).length
    for (let second = 0; second < 5; second++) {
      await until(`${second}`, () => ofSlow() >= Math.min(10, 1 + second * 2))
      await app.advance(20)
      await app.settled()
      assert.ok(ofSlow() <= 1 + second * 2, `${ofSlow()} after ${second} s`)
      await app.advance(980)
    }
    await until('all messages of the slow stream have arrived', () => ofSlow() === 10)
  })

  test('has an allowance, which a refused message does not use', async () => {
    await stream('few', { sending_allowance: 3 })
    const left = async (): Promise<number> =>
      (await app.call('GET', '/v1/streams/few')).body.sending_allowance
    assert.equal((await post({ stream: 'few', to: recipients(2) })).status, 202)
    assert.equal(await left(), 1)
    const { status, body } = await post({ stream: 'few', to: recipients(2) })
    assert.deepEqual([status, body.code], [403, 'sending_allowance_exhausted'])
    assert.match(body.detail, /of the stream is too small for this message: 1 left, 2 needed/)
    assert.equal(await left(), 1)
    assert.equal((await post({ stream: 'few' })).status, 202)
    const none = await post({ stream: 'few' })
    assert.deepEqual([none.status, /of the stream is used up/.test(none.body.detail)], [403, true])
    await app.call('PATCH', '/v1/streams/few', { sending_allowance: null })
    assert.equal((await post({ stream: 'few', to: recipients(5) })).status, 202)
    assert.equal((await post({})).status, 202)
  })

  test('of the kind broadcast is closed without a DMARC record, and says so', async () => {
    await stream('news', { kind: 'broadcast' })
    assert.equal((await post({ stream: 'news' })).status, 202)
    const setDmarc = async (status: 'found' | 'missing'): Promise<void> => {
      const domain = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
      await app.store.write(recordDomainCheck, {
        domain,
        records: [
          {
            ...{ domain_id: domain.id, purpose: 'dmarc', name: '_dmarc.example.test' },
            ...{ status, found: '[]', note: null },
          },
        ],
        looked: 'complete',
        claimProved: false,
        now: clock.now(),
      })
    }
    await setDmarc('missing')
    await until('the stream is refused', async () => (await post({ stream: 'news' })).status === 403)
    for (const alias of ['news', 'broadcast']) {
      const { status, body } = await post({ stream: alias })
      assert.deepEqual([status, body.code], [403, 'domain_not_verified'])
      assert.match(body.detail, /_dmarc\.example\.test/)
    }
    assert.equal((await post({})).status, 202)
    await setDmarc('found')
    await until('the stream is accepted', async () => (await post({ stream: 'news' })).status === 202)
  })
})
