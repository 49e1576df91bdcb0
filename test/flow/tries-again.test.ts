// Mail that a mail host or the DNS defers is retried by the schedule; refused mail is not retried.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp, type TestAppOptions } from '../support/app.ts'
import { answerTo, greylist } from '../support/mail-host/script.ts'
import { TestClock, until } from '../support/test-clock.ts'

const MINUTE = 60_000

describe('a message that is deferred', () => {
  let app: TestApp
  let clock: TestClock
  afterEach(() => app.stop())

  async function start(options: TestAppOptions): Promise<void> {
    clock = new TestClock()
    app = await TestApp.start({ ...options, clock })
  }

  test('by a greylist is delivered a minute later, with the same bytes', async () => {
    await start({ host: { script: greylist() } })
    const id = await app.send()
    const deferred = await app.messageIn(id, 'deferred')
    assert.equal(deferred.status, 'sending')
    assert.equal(deferred.to[0].smtp_code, 451)
    const before = await app.call('GET', `/v1/messages/${id}/raw`)
    await app.advance(1.2 * MINUTE)
    const message = await app.messageIn(id, 'delivered')
    assert.deepEqual(
      message.events.map((event: { type: string }) => event.type),
      ['accepted', 'sending', 'deferred', 'sending', 'delivered'],
    )
    assert.equal((await app.host.nextMail()).data.toString(), before.body)
  })

  test('repeatedly fails when the schedule is used up', async () => {
    await start({
      host: { script: answerTo('RCPT', '451 4.3.0 not now') },
      env: { POSTRIDER_RETRY_SCHEDULE: '1m,5m' },
    })
    const id = await app.send()
    await app.messageIn(id, 'deferred')
    await app.advance(2 * MINUTE)
    await waitForAttempts(id, 2)
    await app.advance(6 * MINUTE)
    const message = await app.messageIn(id, 'failed')
    assert.equal(message.status, 'failed')
    assert.match(message.events.at(-1).detail.reason, /^Given up after 3 attempts/)
  })

  async function waitForAttempts(id: string, count: number): Promise<void> {
    await until(`attempt ${count} is over`, async () => {
      const { body } = await app.call('GET', `/v1/messages/${id}`)
      return body.events.filter((event: { type: string }) => event.type === 'deferred').length >= count
    })
  }

  test('by a DNS failure is delivered once the DNS answers', async () => {
    await start({ zone: { 'flaky.example': 'SERVFAIL' } })
    const id = await app.send({ to: [{ email: 'you@flaky.example' }] })
    const deferred = await app.messageIn(id, 'deferred')
    assert.match(deferred.events.at(-1).detail.reason, /could not be looked up/)
    app.dns.set('flaky.example', { MX: ['10 mx.test'] })
    await app.advance(1.2 * MINUTE)
    await app.messageIn(id, 'delivered')
  })

  test('survives the end of the node and is delivered by the next start', async () => {
    await start({ host: { script: greylist() } })
    const id = await app.send()
    await app.messageIn(id, 'deferred')
    await app.stopNode()
    clock.advance(2 * MINUTE)
    await app.startNode()
    await app.messageIn(id, 'delivered')
  })
})

describe('a message that is refused permanently', () => {
  let app: TestApp
  afterEach(() => app.stop())

  const bounced = async (email: string): Promise<{ reason: string; smtp_code?: number }> => {
    const id = await app.send({ to: [{ email }] })
    const message = await app.messageIn(id, 'bounced')
    assert.equal(message.status, 'bounced')
    return message.events.at(-1).detail
  }

  test('bounces with the reply of the host', async () => {
    app = await TestApp.start({ host: { script: answerTo('RCPT', '550 5.1.1 no such user') } })
    const detail = await bounced('nobody@receiver.example')
    assert.equal(detail.smtp_code, 550)
  })

  test('bounces at once for a null MX, a missing domain, and private addresses', async () => {
    app = await TestApp.start({
      zone: {
        'null.example': { MX: ['0 .'] },
        'gone.example': 'NXDOMAIN',
        'private.example': { MX: ['10 mx.private.example'] },
        'mx.private.example': { A: ['10.0.0.1'], AAAA: ['fd00::1'] },
      },
    })
    assert.match((await bounced('a@null.example')).reason, /null MX/)
    assert.match((await bounced('a@gone.example')).reason, /does not exist/)
    assert.match((await bounced('a@private.example')).reason, /private or special use/)
    assert.equal(app.host.mails.length, 0)
  })

  test('for one of several recipients leaves the message partially delivered', async () => {
    app = await TestApp.start({
      host: {
        script: ({ verb, address }) => (verb === 'RCPT' && address.startsWith('no') ? '550 no' : undefined),
      },
    })
    const id = await app.send({ to: [{ email: 'no@a.example' }, { email: 'yes@a.example' }] })
    const message = await app.messageIn(id, 'partially_delivered')
    assert.deepEqual(
      message.to.map((recipient: { status: string }) => recipient.status),
      ['bounced', 'delivered'],
    )
  })
})

describe('a destination with several mail hosts', () => {
  let app: TestApp
  afterEach(() => app.stop())

  test('is served by the next one when the first is down', async () => {
    app = await TestApp.start({
      zone: {
        'two.example': { MX: ['10 down.example', '20 mx.test'] },
        'down.example': { A: ['127.0.0.9'] },
      },
    })
    const id = await app.send({ to: [{ email: 'a@two.example' }] })
    const message = await app.messageIn(id, 'delivered')
    assert.equal(message.to[0].mx, 'mx.test')
  })

  test('is served by the next one when the first has no address', async () => {
    app = await TestApp.start({
      zone: { 'two.example': { MX: ['10 nowhere.example.invalid', '20 mx.test'] } },
    })
    await app.messageIn(await app.send({ to: [{ email: 'a@two.example' }] }), 'delivered')
  })
})
