// History that is older than the settings allow is removed in every account; younger history stays.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createOwner, messageTo, NOW } from '../../test/support/queued.ts'
import { changeRow, DATABASES, settled, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock, until } from '../../test/support/test-clock.ts'
import type { Clock } from '../lib/clock.ts'
import { beforeIdsOf, newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import { listAudit, recordAudit } from '../store/access/audit-log.ts'
import type { Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/messages.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { readCounts } from '../store/readers/message-counts.ts'
import { forgetIdempotencyKeys } from '../store/requests/idempotency-keys.ts'
import { HistoryRemoval } from './history-removal.ts'
import { RemovalTime } from './removal-time.ts'

const DAY_MS = 86_400_000

for (const database of DATABASES) {
  describe(`old history on ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owners: Owner[]
    beforeEach(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      owners = [await createOwner(store), await createOwner(store), await createOwner(store)]
    })
    afterEach(async () => {
      await store.close()
      await storage.remove()
    })

    const entry = (owner: Owner, at: number): Promise<true> =>
      store.write(recordAudit, {
        // ID with the time of the entry; `newId` never goes back in time within a process.
        id: `${beforeIdsOf('aud', at)}${newId('aud').slice(-16)}`,
        account_id: owner.accountId,
        at,
        user_id: null,
        actor: 'ann@example.test',
        action: 'key.create',
        target: null,
        address: null,
        detail: '{}',
      })
    const entriesOf = async (owner: Owner): Promise<number[]> =>
      (await listAudit(store.read, owner.accountId, {}, 5_000)).map(({ at }) => Number(at))
    /** Accepts a message with this creation time. */
    async function accept(owner: Owner, at: number, key?: string): Promise<void> {
      const idempotency = key === undefined ? undefined : { key, bodyHash: '', response: '' }
      const { message, ...item } = messageTo(owner, ['you@receiver.example'], { idempotency })
      const id = `${beforeIdsOf('msg', at)}${message.id.slice(-16)}`
      await store.write(acceptMessage, { ...item, message: { ...message, id, created_at: at } })
      await settled(store)
    }
    const keptKeys = async (): Promise<string[]> =>
      (
        await store.read
          .selectFrom('idempotency_keys')
          .select('idempotency_key')
          .orderBy('created_at')
          .execute()
      ).map(({ idempotency_key }) => idempotency_key)
    async function acceptedOf({ accountId }: Owner): Promise<number> {
      const query = { accountId, from: 0, to: NOW + DAY_MS, bucketMs: DAY_MS }
      const { buckets } = await readCounts(store.read, query)
      return buckets.reduce((sum, { accepted }) => sum + accepted, 0)
    }
    const removal = (clock: Clock, store: Store): HistoryRemoval =>
      new HistoryRemoval({
        ...{
          store,
          clock,
          log: silentLog,
          node: new NodeName(),
          time: new RemovalTime({ store, clock, log: silentLog }),
          auditMs: 10 * DAY_MS,
          figuresMs: 20 * DAY_MS,
          webhooksMs: 20 * DAY_MS,
          requestsMs: 3 * DAY_MS,
        },
        retention: { content: 400 * DAY_MS, transcript: 400 * DAY_MS, record: 500 * DAY_MS },
      })

    test('is removed by the retention of each kind, and nothing younger', async () => {
      const [both, young] = owners as [Owner, Owner]
      const clock = new TestClock(NOW)
      for (const days of [9, 10, 11, 400]) await entry(both, NOW - days * DAY_MS)
      for (const days of [0, 19, 21, 23, 500]) await accept(both, NOW - days * DAY_MS)
      await entry(young, NOW)
      await accept(young, NOW)
      await removal(clock, store).run()
      assert.deepEqual(await entriesOf(both), [NOW - 9 * DAY_MS, NOW - 10 * DAY_MS])
      assert.equal(await acceptedOf(both), 2)
      assert.deepEqual([(await entriesOf(young)).length, await acceptedOf(young)], [1, 1])
    })

    test('is removed after a clock that was a year ahead is set back', async () => {
      const [owner] = owners as [Owner]
      const timers = new TestClock(NOW)
      let ahead = 365 * DAY_MS
      const clock: Clock = {
        now: () => timers.now() + ahead,
        monotonic: () => timers.monotonic(),
        after: (ms, action) => timers.after(ms, action),
      }
      const node = removal(clock, store)
      node.start()
      ahead = 0
      for (const days of [9, 11]) await entry(owner, NOW - days * DAY_MS)
      timers.advance(10_000)
      await until('the old entry is gone', async () => (await entriesOf(owner)).length === 1)
      await node.stop()
    })

    test('is removed every hour, however much there is, until the node stops', async () => {
      const [owner] = owners as [Owner]
      const clock = new TestClock(NOW)
      const old = Array.from({ length: 2_500 }, (_, i) => NOW - 300 * DAY_MS + i)
      await Promise.all([...old, NOW].map((at) => entry(owner, at)))
      const nodes = [removal(clock, store), removal(clock, store)]
      for (const node of nodes) node.start()
      assert.equal((await entriesOf(owner)).length, 2_501)
      clock.advance(3_600_000)
      await until('the old entries are gone', async () => (await entriesOf(owner)).length === 1)
      await Promise.all(nodes.map((node) => node.stop()))
      await entry(owner, NOW - 300 * DAY_MS)
      clock.advance(3_600_000)
      assert.equal((await entriesOf(owner)).length, 2)
    })

    test('is removed soon after a start, and soon again after a failure, which does not stop the other parts', async () => {
      const [owner] = owners as [Owner]
      const clock = new TestClock(NOW)
      await entry(owner, NOW - 300 * DAY_MS)
      await accept(owner, NOW - 25 * 3_600_000, 'old')
      await accept(owner, NOW - 23 * 3_600_000, 'young')
      await changeRow(storage, 'alter table audit_log rename to away', [])
      const node = removal(clock, store)
      node.start()
      /** Advances the clock by at most this number of minutes until the condition is true. */
      const within = (minutes: number, what: string, look: () => Promise<boolean>): Promise<true> =>
        until(what, async () => {
          const found = await look()
          if (!found && clock.now() < NOW + minutes * 60_000) clock.advance(10_000)
          return found
        })
      await within(6, 'the old key is gone', async () => (await keptKeys()).join() === 'young')
      await changeRow(storage, 'alter table away rename to audit_log', [])
      await within(12, 'the old entry is gone', async () => (await entriesOf(owner)).length === 0)
      await node.stop()
    })

    test('is removed in steps of a limited size, down to the smallest', async () => {
      const [owner] = owners as [Owner]
      const clock = new TestClock(NOW)
      await entry(owner, NOW - 300 * DAY_MS)
      for (const days of [600, 601, 602]) await accept(owner, NOW - days * DAY_MS, `${days} days`)
      const asked: { name: string; item: object }[] = []
      const write: Store['write'] = (run, item) => {
        asked.push({ name: run.name, item: item as object })
        return store.write(run, item)
      }
      const listening: Store = { ...store, read: store.read, write }
      assert.equal(await store.write(forgetIdempotencyKeys, { before: NOW, limit: 2 }), 2)
      assert.deepEqual(await keptKeys(), ['600 days'])
      await removal(clock, listening).run()
      assert.deepEqual(await keptKeys(), [])
      const steps = asked.filter(({ name }) => name !== 'claimSingletonJob' && name !== 'setFact')
      for (const { name, item } of steps) {
        const { limit, pages } = item as { limit?: number; pages?: number }
        const most = limit ?? pages ?? Number.POSITIVE_INFINITY
        assert.ok(most >= 1 && most <= 1_000, `${name} removes whatever there is`)
      }
      const names = new Set(steps.map(({ name }) => name))
      for (const name of ['removeOld', 'forgetFeed', 'forgetHistory', 'forgetOrphanedLinks', 'releaseSpace'])
        assert.ok(names.has(name), name)
    })
  })
}
