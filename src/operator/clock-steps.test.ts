// A clock that is set back: the step is logged, and deferred mail waits no longer than the retry schedule allows.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { longestWaitOf } from '../delivery/retry.ts'
import { type Log, silentLog } from '../lib/log.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { ClockSteps } from './clock-steps.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

for (const database of DATABASES) {
  describe(`a step of the clock on ${database}`, () => {
    let store: Store
    let owner: Owner
    before(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
    })
    after(() => store.close())

    const dueOf = async (id: string): Promise<number | null | undefined> =>
      (await store.read.selectFrom('queue').select('due_at').where('message_id', '=', id).executeTakeFirst())
        ?.due_at

    /** Accepts a message, and defers the recipient to this time; returns the message ID. */
    const put = async (at: number): Promise<string> => {
      const item = messageTo(owner, ['b@example.com'])
      await store.write(acceptMessage, item)
      const { recipients } = await claim(store, { limit: 10 })
      const claimed = recipients.find(({ messageId }) => messageId === item.message.id)
      assert.ok(claimed)
      await finish(store, claimed, 'deferred', at)
      return item.message.id
    }

    test('back is logged, and mail deferred beyond the longest wait is due at once', async () => {
      const soon = await put(NOW + HOUR_MS)
      const late = await put(NOW + 2 * DAY_MS + HOUR_MS)
      const lines: string[] = []
      const log: Log = { ...silentLog, warn: (_fields, message) => void lines.push(message) }
      const clock = new TestClock(NOW + 2 * DAY_MS)
      let wall = NOW + 2 * DAY_MS
      let monotonic = 0
      const maxWaitMs = longestWaitOf([60_000, 8 * HOUR_MS])
      const steps = new ClockSteps({
        store,
        clock: {
          ...clock,
          now: () => wall,
          monotonic: () => monotonic,
          after: (ms, action) => clock.after(ms, action),
        },
        log,
        maxWaitMs,
      })
      await steps.start()
      assert.deepEqual(lines, [])
      wall += 10_000
      monotonic += 10_001
      await steps.check()
      assert.deepEqual(lines, [], 'a drifting clock makes no step')
      wall = NOW
      await steps.check()
      assert.match(lines[0] ?? '', /^The clock of this machine was set back by 1728\d\d s\.$/)
      assert.match(lines[1] ?? '', /due now/)
      assert.equal(await dueOf(soon), NOW + HOUR_MS)
      assert.equal(await dueOf(late), NOW)
      wall += DAY_MS
      await steps.check()
      assert.match(lines[2] ?? '', /set ahead by 86400 s/)
      assert.equal(lines.length, 3)
      await steps.stop()
    })

    test('while no node ran is noticed at the start; scheduled mail keeps its time', async () => {
      const at = NOW + 5 * DAY_MS
      const scheduled = messageTo(owner, ['c@example.com'])
      await store.write(acceptMessage, {
        ...scheduled,
        message: { ...scheduled.message, send_at: at },
        recipients: scheduled.recipients.map((one) => ({ ...one, startTag: at })),
      })
      const deferred = await put(at)
      assert.equal(await dueOf(scheduled.message.id), at)
      const clock = new TestClock(NOW)
      const steps = new ClockSteps({ store, clock, log: silentLog, maxWaitMs: 8 * HOUR_MS })
      await steps.start()
      await steps.stop()
      assert.equal(await dueOf(deferred), NOW)
      assert.equal(await dueOf(scheduled.message.id), at)
    })

    test('of a node whose clock is a day slow: mail that other nodes deferred waits as scheduled', async () => {
      const inTime = await put(NOW + 8 * HOUR_MS)
      const late = await put(NOW + 9 * HOUR_MS)
      const clock = new TestClock(NOW - DAY_MS)
      const skew = (): number => -DAY_MS
      const steps = new ClockSteps({ store, clock, log: silentLog, skew, maxWaitMs: 8 * HOUR_MS })
      await steps.start()
      await steps.stop()
      assert.equal(await dueOf(inTime), NOW + 8 * HOUR_MS)
      assert.equal(await dueOf(late), NOW, 'by the time of the database')
    })
  })
}
