// Three nodes that share a rate do not exceed the rate, for any use of the nodes, and after one node has died.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { silentLog } from '../lib/log.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { FairOrder, SiteLimits } from '../queue/manager.ts'
import type { Store } from '../store/database/store.ts'
import { RateSharing } from './rate-sharing.ts'

const STEP_MS = 200
const SECONDS = 30
const RATE: Rate = { count: 100, perMs: 1_000 }

describe('a rate of three nodes', () => {
  let store: Store
  before(async () => {
    store = await openTestStore('postgres')
  })
  after(() => store.close())

  const nodesOf = (clock: TestClock) =>
    [1, 2, 3].map(() => new RateSharing({ store, clock, log: silentLog, alone: false }))

  /** Requests tokens from the nodes in every step. Returns the number of tokens that all nodes together granted. */
  async function run(name: string, asks: (node: number, step: number) => number): Promise<number> {
    // Time far in the past, so that this clock does not run ahead of the database clock.
    const clock = new TestClock(Date.UTC(2026, 0, 1))
    const nodes = nodesOf(clock)
    const limiters = nodes.map((node) => node.limiter('credentials'))
    let taken = 0
    for (let step = 0; step < (SECONDS * 1_000) / STEP_MS; step++) {
      for (const [node, limiter] of limiters.entries()) {
        for (let asked = 0; asked < asks(node, step); asked++)
          if (limiter.take(name, RATE, clock.now()).allowed) taken++
      }
      clock.advance(STEP_MS)
      for (const [node, sharing] of nodes.entries()) if (asks(node, step) >= 0) await sharing.settle()
    }
    return taken
  }

  /** Number of tokens in the full bucket plus its refill during the test. */
  const WHOLE = RATE.count * (1 + SECONDS)
  const isWithin = (taken: number, whole: number): void =>
    assert.ok(Math.abs(taken - whole) <= whole * 0.05, `${taken} of ${whole}`)

  test('all nodes ask for more than the rate allows', async () => isWithin(await run('all', () => 40), WHOLE))

  test('one node takes the complete rate', async () =>
    isWithin(await run('one', (node) => (node === 1 ? 40 : 0)), WHOLE))

  test('the nodes ask for different parts, in turns', async () =>
    isWithin(await run('turns', (node, step) => (Math.floor(step / 10) % 3 === node ? 60 : 5)), WHOLE))

  test('one node dies', async () =>
    isWithin(await run('dies', (node, step) => (node === 2 && step > 50 ? -1 : 40)), WHOLE))

  test('a demand below the rate is never refused', async () => {
    const asked = (SECONDS * 1_000) / STEP_MS
    assert.equal(await run('less', () => 6), 3 * 6 * asked)
  })

  test('tokens that could not be settled are settled later', async () => {
    const clock = new TestClock(Date.UTC(2026, 0, 1))
    let isAway = true
    const flaky: Store = {
      ...store,
      write: (write, item) => (isAway ? Promise.reject(new Error('away')) : store.write(write, item)),
    }
    const one = new RateSharing({ store: flaky, clock, log: silentLog, alone: false })
    const other = new RateSharing({ store, clock, log: silentLog, alone: false })
    const [here, there] = [one.limiter('credentials'), other.limiter('credentials')]
    for (let taken = 0; taken < RATE.count; taken++) here.take('away', RATE, clock.now())
    await assert.rejects(one.settle())
    isAway = false
    await one.settle()
    there.take('away', RATE, clock.now())
    await other.settle()
    assert.equal(there.take('away', RATE, clock.now()).allowed, false)
  })

  test('attempts at a site with its own rate, and the rates of streams', async () => {
    const clock = new TestClock(Date.UTC(2026, 0, 1))
    const nodes = nodesOf(clock)
    const sites = nodes.map((node) => {
      const limits = new SiteLimits(new Map([['gmail.com', { count: 10, perMs: 1_000 }]]))
      node.add('sites', limits)
      return limits
    })
    const orders = nodes.map((node) => {
      const order = new FairOrder()
      node.add('streams', order)
      return order
    })
    const tags: number[] = []
    let begun = 0
    for (let step = 0; step < (SECONDS * 1_000) / STEP_MS; step++) {
      for (const limits of sites) {
        while (limits.available('gmail.com', clock.now()) > 0) {
          begun++
          limits.begin('gmail.com', 0, clock.now())
          limits.end('gmail.com', 'success', { bytes: 0, startedAt: clock.now() }, clock.now())
        }
      }
      for (const order of orders) tags.push(order.next('dom', 'news', clock.now(), 100))
      clock.advance(STEP_MS)
      for (const node of nodes) await node.settle()
    }
    isWithin(begun, 10 * (1 + SECONDS))
    const [first = 0] = tags
    isWithin(Math.max(...tags) - first, tags.length * 100)
  })

  test('a single node settles nothing', async () => {
    const clock = new TestClock(Date.UTC(2026, 0, 1))
    const alone = new RateSharing({ store, clock, log: silentLog, alone: true })
    const limiter = alone.limiter('credentials')
    assert.ok(limiter instanceof RateLimiter)
    limiter.take('alone', RATE, clock.now())
    assert.deepEqual(limiter.unsettled.take(), [])
    await alone.stop()
  })
})
