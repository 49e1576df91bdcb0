// Leases: the recipients of a dead worker are taken over within a minute, and a worker that wakes up too late can
// record only a delivery.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../support/app.ts'
import { claim, finish, takeOverFromNode } from '../support/queued.ts'
import { changeRow, usualDatabase } from '../support/store.ts'
import { sleep, TestClock, until, untilPassed } from '../support/test-clock.ts'

const SECOND = 1_000
const skip = usualDatabase() === 'postgres' ? false : 'a store of one node has no other holder'

describe('a lease', () => {
  let app: TestApp
  let clock: TestClock
  afterEach(() => app.stop())

  test('of a worker that died is taken over within a minute by a living one', async () => {
    clock = new TestClock()
    app = await TestApp.start({ clock, env: { POSTRIDER_ROLES: 'api' } })
    const id = await app.send()
    // Simulates a worker that claims the recipient and dies.
    assert.equal((await claim(app.store, { now: clock.now() })).recipients.length, 1)
    await app.stopNode()
    clock.advance(30 * SECOND)
    await app.startNodeWith({ POSTRIDER_ROLES: 'api' })
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.status, 'sending')
    await app.stopNode()
    // Deleting the heartbeat hides the gap between heartbeats, which would look like an outage of the store.
    await changeRow(app.storage, 'delete from store_heartbeat', [])
    await app.startNodeWith({})
    await untilPassed({ by: app, stepMs: SECOND }, 'the message has arrived', () => app.host.mails.length > 0)
    await app.messageIn(id, 'delivered')
    assert.equal(app.host.mails.length, 1)
  })

  test('that was lost during an attempt still lets the delivery be written', async () => {
    clock = new TestClock()
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    app = await TestApp.start({
      clock,
      host: {
        script: async ({ verb }) => {
          if (verb === 'MESSAGE') await answered
          return undefined
        },
      },
    })
    const id = await app.send()
    await until(
      'the attempt is under way',
      () => app.host.connections[0]?.commands.includes('(message)') ?? false,
    )
    const [taken] = await takeOverFromNode(app.store, { now: clock.now() })
    assert.ok(taken, 'another worker has taken over the recipient')
    answer()
    const message = await app.messageIn(id, 'delivered')
    assert.equal(await finish(app.store, taken, 'deferred', clock.now()), false)
    const types = message.events.map((event: { type: string }) => event.type)
    assert.deepEqual(types.toSorted(), ['accepted', 'delivered', 'sending', 'sending'])
    await app.advance(120 * SECOND)
    await app.settled()
    const { events } = (await app.call('GET', `/v1/messages/${id}`)).body
    assert.equal(events.length, message.events.length, 'no worker takes the recipient again')
    assert.equal(app.host.mails.length, 1, 'no worker sends the message again')
  })

  test('that ends before the last bytes were sent keeps its holder from sending them', {
    skip,
  }, async () => {
    clock = new TestClock()
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    app = await TestApp.start({
      clock,
      host: {
        script: async ({ verb }) => {
          if (verb === 'DATA') await answered
          return undefined
        },
      },
    })
    const id = await app.send()
    await until(
      'the attempt has reached DATA',
      () => app.host.connections[0]?.commands.includes('DATA') ?? false,
    )
    const lease = { token: 'nod_x.1', until: clock.now() + 3_600 * SECOND, endsAt: Number.POSITIVE_INFINITY }
    const [taken] = await takeOverFromNode(app.store, { now: clock.now(), lease })
    assert.ok(taken, 'another worker has taken over the recipient')
    clock.advance(61 * SECOND)
    await sleep(2 * SECOND, 'the dialog thread learns once a second how much time is left')
    answer()
    await until(
      'the former holder of the lease has disconnected',
      () => app.host.connections[0]?.closed === true,
    )
    assert.equal(app.host.mails.length, 0)
    assert.equal(await finish(app.store, taken, 'delivered'), true)
    await app.advance(120 * SECOND)
    await app.settled()
    assert.equal((await app.messageIn(id, 'delivered')).events.at(-1).type, 'delivered')
    assert.equal(app.host.mails.length, 0, 'the other worker sends the message')
  })
})
