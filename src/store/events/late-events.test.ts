// Lists of a time range contain the events that appear late in the feed, on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/messages.ts'
import { readWholeLog } from '../readers/log-readers.ts'
import { listEvents } from '../search/event-search.ts'
import { forgetFeed } from './feed-removal.ts'
import { rangesOf } from './late-events.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

for (const database of DATABASES) {
  describe(`late events in ${database}`, () => {
    let store: Store
    before(async () => {
      store = await openTestStore(database)
    })
    after(() => store.close())

    /** Writes events with the given times, in minutes, to the feed, one after the other. */
    async function happened(owner: Owner, ...minutes: readonly number[]): Promise<void> {
      for (const minute of minutes) {
        const item = messageTo(owner, [`m${minute}@d.example`])
        const created_at = NOW + minute * MINUTE_MS
        await store.write(acceptMessage, { ...item, message: { ...item.message, created_at } })
        await readWholeLog(store)
      }
    }

    /** Returns the times of the events between two minutes, in reverse feed order. */
    async function listed(owner: Owner, from: number | undefined, until: number, limit: number) {
      const filter = {
        after: from === undefined ? undefined : NOW + from * MINUTE_MS,
        before: NOW + until * MINUTE_MS,
      }
      const found: number[] = []
      for (let cursor: string | undefined; ; ) {
        const { events, next } = await listEvents(store.read, [owner.domainId], filter, { limit, cursor })
        assert.ok(events.length <= limit)
        found.push(...events.map(({ at }) => (at - NOW) / MINUTE_MS))
        if (next === null) return found
        cursor = next
      }
    }

    test('are in lists of their time, in feed order, on pages of any size', async () => {
      const owner = await createOwner(store)
      // The events of minutes 3, 4 and 1 were written late; the event of minute 15 is on time, and the event of minute
      // 2 comes last.
      await happened(owner, 0, 5, 10, 3, 11, 4, 1, 15, 2)
      for (const limit of [1, 2, 50]) {
        assert.deepEqual(await listed(owner, undefined, 5, limit), [2, 1, 4, 3, 0])
        assert.deepEqual(await listed(owner, 2, 5, limit), [2, 4, 3])
        assert.deepEqual(await listed(owner, 5, 11, limit), [10, 5])
        assert.deepEqual(await listed(owner, undefined, 20, limit), [2, 15, 1, 4, 11, 3, 10, 5, 0])
        assert.deepEqual(await listed(owner, 2, 3, limit), [2])
      }
      // The events between the late events are not read.
      const ranges = await rangesOf(store.read, NOW, NOW + 2 * MINUTE_MS)
      assert.equal(ranges.length, 2)
    })

    test('include all events after a clock that was ahead, until the time has caught up', async () => {
      const owner = await createOwner(store)
      const day = DAY_MS / MINUTE_MS
      await happened(owner, 20, 20 + day, 21, 22, 23)
      assert.deepEqual(await listed(owner, 20, 24, 50), [23, 22, 21, 20])
      assert.deepEqual(await listed(owner, 20, 22, 50), [21, 20])
      await happened(owner, 23 + day, 24 + day)
      assert.deepEqual(await listed(owner, day, 2 * day, 50), [24 + day, 23 + day, 20 + day])
      assert.deepEqual(await listed(owner, 20, 22, 1), [21, 20])

      const noted = () => store.read.selectFrom('late_events').selectAll().execute()
      const removal = { domainId: owner.domainId, before: NOW + 3 * DAY_MS, limit: 100 }
      await store.write(forgetFeed, { ...removal, isOfAll: false })
      assert.notDeepEqual(await noted(), [])
      await store.write(forgetFeed, { ...removal, isOfAll: true })
      assert.deepEqual(await noted(), [])
    })
  })
}
