// A destination that defers mail or is unreachable is paused for some time with all of its waiting mail; then a single
// attempt tests the destination.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp, type TestAppOptions } from '../../support/app.ts'
import { answerTo } from '../../support/mail-host/script.ts'
import { TestClock, until, untilPassed } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

const SECOND = 1_000

describe('a site that objects', () => {
  let app: TestApp
  let clock: TestClock
  afterEach(() => app.stop())

  async function start(options: TestAppOptions): Promise<void> {
    clock = new TestClock()
    app = await TestApp.start({ ...options, clock })
  }

  /** Sends `count` messages to one destination, with one recipient each. */
  const flood = (count: number, domain = 'receiver.example'): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => app.send({ to: [{ email: `r${index}@${domain}` }] })),
    )

  const statuses = async (ids: readonly string[]): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {}
    for (const id of ids) {
      const { body } = await app.call('GET', `/v1/messages/${id}`)
      counts[body.to[0].status] = (counts[body.to[0].status] ?? 0) + 1
    }
    return counts
  }

  /** Resolves when at least `count` messages are deferred and no other attempt is in progress. */
  const hasObjected = (ids: readonly string[], count: number): Promise<true> =>
    until('the mail host has deferred enough messages', async () => {
      const { deferred = 0, sending = 0 } = await statuses(ids)
      return deferred >= count && sending === 0 && app.host.openConnections === 0
    })

  test(
    'that answers 421 gets no more connections than its first window, and none before the end of the pause',
    thorough('1.2 CPU s: many messages to one host'),
    async () => {
      await start({ host: { script: answerTo('CONNECT', { reply: '421 4.7.0 try later', after: 'close' }) } })
      const ids = await flood(40)
      await hasObjected(ids, 1)
      await app.advance(SECOND)
      await app.advance(SECOND)
      const asked = app.host.connections.length
      assert.ok(asked <= 10, `${asked} connections`)
      const held = await statuses(ids)
      assert.ok((held.queued ?? 0) >= 30, 'the other messages wait without an attempt')
      await app.advance(5 * SECOND)
      await app.advance(SECOND)
      assert.equal(app.host.connections.length, asked, 'nothing within the pause')
      app.host.script = undefined
      await untilPassed(
        { by: app, stepMs: SECOND },
        'all messages have arrived',
        () => app.host.mails.length === 40,
      )
      await until('all messages are delivered', async () => (await statuses(ids)).delivered === 40)
      assert.equal(app.host.mails.length, 40)
    },
  )

  test('holds back another destination with the same mail hosts', async () => {
    await start({
      zone: { 'a.example': { MX: ['10 mx.test'] }, 'b.example': { MX: ['10 mx.test'] } },
    })
    await flood(1, 'a.example')
    await flood(1, 'b.example')
    await until('both destinations have a delivery', () => app.host.mails.length === 2)
    app.host.script = answerTo('MAIL', '421 4.7.0 too much')
    const first = await flood(5, 'a.example')
    await hasObjected(first, 3)
    await app.advance(SECOND)
    const asked = app.host.connections.length
    const second = await flood(5, 'b.example')
    await app.advance(SECOND)
    await app.advance(SECOND)
    assert.deepEqual(await statuses(second), { queued: 5 })
    assert.equal(app.host.connections.length, asked)
  })

  test(
    'that cannot be reached gets an occasional connection, not one for each message',
    thorough('0.6 CPU s: many messages to one host'),
    async () => {
      await start({ zone: { 'dead.example': { MX: ['10 dead.test'] }, 'dead.test': { A: ['127.0.0.77'] } } })
      const ids = await flood(60, 'dead.example')
      await until('the first window has ended', async () => ((await statuses(ids)).deferred ?? 0) > 0)
      for (let seconds = 0; seconds < 40; seconds += 5) await app.advance(5 * SECOND)
      const { deferred = 0 } = await statuses(ids)
      assert.ok(deferred <= 15, `${deferred} attempts in 40 seconds`)
      await app.send({ to: [{ email: 'other@receiver.example' }] })
      assert.equal((await app.host.nextMail()).recipients[0], 'other@receiver.example')
    },
  )

  test('gets mail no faster than its rate', async () => {
    await start({ env: { POSTRIDER_DESTINATION_RATES: 'receiver.example=2/s' } })
    const ids = await flood(6)
    for (const expected of [2, 4, 6]) {
      await until(`${expected} have arrived`, () => app.host.mails.length === expected)
      await app.advance(10)
      await app.settled()
      assert.equal(app.host.mails.length, expected)
      await app.advance(SECOND)
    }
    assert.deepEqual(await statuses(ids), { delivered: 6 })
  })
})
