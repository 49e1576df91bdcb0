// A jump of the clock removes no data until the clock is corrected, or three more days have passed.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createOwner, messageTo, NOW } from '../../test/support/queued.ts'
import { DATABASES, openTestStore, settled } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { beforeIdsOf, newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { cancelRecipients } from '../store/queue/queue-control.ts'
import { HistoryRemoval } from './history-removal.ts'
import { nextState, RemovalTime } from './removal-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS

describe('the next state of the time', () => {
  const doubt = { aheadMs: YEAR_MS, waitedMs: 0 }
  for (const [what, before, now, elapsed, expected] of [
    ['is the clock initially', undefined, NOW, undefined, { trusted: NOW }],
    ['follows the clock', { trusted: NOW }, NOW + HOUR_MS, HOUR_MS, { trusted: NOW + HOUR_MS }],
    ['follows the clock back', { trusted: NOW }, NOW - YEAR_MS, 0, { trusted: NOW - YEAR_MS }],
    [
      'accepts a machine that slept',
      { trusted: NOW },
      NOW + 20 * HOUR_MS,
      0,
      { trusted: NOW + 20 * HOUR_MS },
    ],
    [
      'accepts a week without a node',
      { trusted: NOW },
      NOW + 6 * DAY_MS,
      undefined,
      { trusted: NOW + 6 * DAY_MS },
    ],
    [
      'doubts a step of two days',
      { trusted: NOW },
      NOW + 2 * DAY_MS,
      0,
      { trusted: NOW, doubt: { aheadMs: 2 * DAY_MS, waitedMs: 0 } },
    ],
    ['doubts a year without a node', { trusted: NOW }, NOW + YEAR_MS, undefined, { trusted: NOW, doubt }],
    [
      'continues in doubt',
      { trusted: NOW, doubt },
      NOW + YEAR_MS + HOUR_MS,
      HOUR_MS,
      { trusted: NOW + HOUR_MS, doubt: { aheadMs: YEAR_MS, waitedMs: HOUR_MS } },
    ],
    [
      'does not trust a restart',
      { trusted: NOW, doubt },
      NOW + YEAR_MS + HOUR_MS,
      undefined,
      { trusted: NOW, doubt: { aheadMs: YEAR_MS + HOUR_MS, waitedMs: 0 } },
    ],
    [
      'trusts a clock that is set right',
      { trusted: NOW, doubt },
      NOW + HOUR_MS,
      HOUR_MS,
      { trusted: NOW + HOUR_MS },
    ],
    [
      'trusts a clock that goes on for three days',
      { trusted: NOW, doubt: { aheadMs: YEAR_MS, waitedMs: 71 * HOUR_MS } },
      NOW + YEAR_MS + HOUR_MS,
      HOUR_MS,
      { trusted: NOW + YEAR_MS + HOUR_MS },
    ],
  ] as const) {
    test(what, () => assert.deepEqual(nextState(before, now, elapsed), expected))
  }
})

for (const database of DATABASES) {
  test(`time recorded by another node on ${database} does not count as elapsed`, async () => {
    const store = await openTestStore(database)
    try {
      const clock = new TestClock(NOW)
      const [one, other] = [0, 1].map(() => new RemovalTime({ store, clock, log: silentLog })) as [
        RemovalTime,
        RemovalTime,
      ]
      assert.equal(await one.check(), NOW)
      // The other node runs the removal for ten days; then the database clock jumps.
      for (let hour = 0; hour < 240; hour++) {
        clock.advance(HOUR_MS)
        assert.equal(await other.check(), clock.now())
      }
      clock.jump(60 * DAY_MS)
      assert.equal(await other.check(), undefined)
      clock.advance(HOUR_MS)
      assert.equal(await one.check(), undefined, 'the record includes the ten days')
      // The first node continues alone until the clock is trusted again.
      for (let hour = 0; hour < 71; hour++) {
        clock.advance(HOUR_MS)
        assert.equal(await one.check(), undefined, `after ${hour} hours`)
      }
      clock.advance(2 * HOUR_MS)
      assert.equal(await one.check(), clock.now())
    } finally {
      await store.close()
    }
  })

  describe(`a clock a year ahead on ${database}`, () => {
    let store: Store
    let clock: TestClock
    beforeEach(async () => {
      store = await openTestStore(database)
      clock = new TestClock(NOW)
      const owner = await createOwner(store)
      const { message, ...item } = messageTo(owner, ['a@receiver.example'])
      // ID with this time; `newId` never goes back in time within a process.
      const id = `${beforeIdsOf('msg', NOW)}${newId('msg').slice(-16)}`
      await store.write(acceptMessage, { ...item, message: { ...message, id } })
      await store.write(cancelRecipients, { selection: {}, by: 'operator', now: NOW })
      await settled(store)
    })
    afterEach(() => store.close())

    const node = new NodeName()
    const removal = () =>
      new HistoryRemoval({
        ...{
          store,
          clock,
          log: silentLog,
          node,
          time: new RemovalTime({ store, clock, log: silentLog }),
        },
        retention: { content: 7 * DAY_MS, transcript: 7 * DAY_MS, record: 90 * DAY_MS },
        ...{ auditMs: YEAR_MS, figuresMs: YEAR_MS, webhooksMs: YEAR_MS, requestsMs: YEAR_MS },
      })
    const contents = async (): Promise<number> =>
      (await store.read.selectFrom('message_contents').select('message_id').execute()).length

    test('removes nothing, even after a restart, until it has gone on for three days', async () => {
      const first = removal()
      await first.run()
      clock.jump(YEAR_MS)
      await first.run()
      assert.equal(await contents(), 1)
      const second = removal()
      for (let hour = 0; hour < 72; hour++) {
        await second.run()
        assert.equal(await contents(), 1, `after ${hour} hours`)
        clock.advance(HOUR_MS)
      }
      await second.run()
      assert.equal(await contents(), 0)
    })

    test('removes nothing before its age once it is corrected', async () => {
      const only = removal()
      await only.run()
      clock.jump(YEAR_MS)
      await only.run()
      clock.jump(-YEAR_MS)
      for (let day = 0; day < 6; day++) {
        await only.run()
        clock.advance(DAY_MS)
      }
      assert.equal(await contents(), 1)
      clock.advance(DAY_MS)
      await only.run()
      clock.advance(DAY_MS)
      await only.run()
      assert.equal(await contents(), 0)
    })
  })
}
