// Credits on both databases: taken concurrently, never negative, and equal to the sum of the history.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DATABASES, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import { createAccount, WITHOUT_LIMITS } from '../access/accounts.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import {
  countCredits,
  grantCredits,
  listCreditGrants,
  listCreditUses,
  takeCredit,
} from './verification-credits.ts'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 0, 31, 12)

for (const database of DATABASES) {
  describe(`credits on ${database}`, () => {
    let storage: TestStorage
    /** Two nodes on PostgreSQL, or one node and a concurrent command-line program on SQLite. */
    const stores: Store[] = []
    before(async () => {
      storage = await testStorage(database, 'tables')
      for (let i = 0; i < 2; i++) stores.push(await openStore({ ...storage, log: silentLog }))
    })
    after(async () => {
      for (const store of stores) await store.close()
      await storage.remove()
    })

    const store = (index = 0): Store => stores[index % stores.length] as Store

    async function account(credits: number): Promise<string> {
      const id = newId('acc')
      await store().write(createAccount, {
        id,
        name: 'Test',
        ...WITHOUT_LIMITS,
        created_at: NOW,
      })
      if (credits > 0) await store().write(grantCredits, { accountId: id, credits, note: 'first', now: NOW })
      return id
    }

    test('are taken once each, even by two nodes', async () => {
      const accountId = await account(700)
      const other = await account(50)
      const taken = await Promise.all(
        Array.from({ length: 1_000 }, (_, index) =>
          store(index).write(takeCredit, { accountId: index % 10 === 9 ? other : accountId, now: NOW }),
        ),
      )
      const of = (owner: number): number[] =>
        taken.flatMap((left, index) =>
          left !== undefined && (index % 10 === 9) === (owner === 1) ? [left] : [],
        )
      const sorted = (left: number[]): number[] => left.toSorted((a, b) => a - b)
      assert.deepEqual(
        sorted(of(0)),
        Array.from({ length: 700 }, (_, index) => index),
      )
      assert.deepEqual(
        sorted(of(1)),
        Array.from({ length: 50 }, (_, index) => index),
      )
      assert.equal(await countCredits(store().read, accountId), 0)
      assert.equal(await store().write(takeCredit, { accountId, now: NOW }), undefined)
      assert.equal(await countCredits(store().read, accountId), 0)
    })

    test('are not lost when some are granted while others are taken', async () => {
      const accountId = await account(10)
      const work = Array.from({ length: 300 }, (_, index) =>
        index % 3 === 0
          ? store(index).write(grantCredits, { accountId, credits: 2, note: null, now: NOW })
          : store(index).write(takeCredit, { accountId, now: NOW }),
      )
      const taken = (await Promise.all(work)).filter(
        (left, index) => index % 3 !== 0 && left !== undefined,
      ).length
      assert.equal(await countCredits(store().read, accountId), 210 - taken)
    })

    test('add up in the history, day by day', async () => {
      const accountId = await account(100)
      await store().write(grantCredits, { accountId, credits: 20, note: null, now: NOW + DAY })
      for (const [count, now] of [
        [3, NOW],
        [5, NOW + DAY],
        [2, NOW + DAY + 3_600_000],
      ] as const) {
        await Promise.all(Array.from({ length: count }, () => store().write(takeCredit, { accountId, now })))
      }
      const grants = await listCreditGrants(store().read, accountId, 10)
      assert.deepEqual(
        grants.map(({ credits, note, granted_at }) => [credits, note, granted_at]),
        [
          [20, null, NOW + DAY],
          [100, 'first', NOW],
        ],
      )
      const uses = await listCreditUses(store().read, accountId, 10)
      assert.deepEqual(
        uses.map(({ day, credits }) => [day, credits]),
        [
          ['2026-02-01', 7],
          ['2026-01-31', 3],
        ],
      )
      assert.equal(await countCredits(store().read, accountId), 110)
    })

    test('are taken back down to no credits, and the history has what was taken', async () => {
      const accountId = await account(100)
      const take = (credits: number) =>
        store().write(grantCredits, { accountId, credits, note: 'back', now: NOW + 1 })
      assert.deepEqual(await take(-30), { balance: 70 })
      assert.deepEqual(await take(-1_000), { balance: 0 })
      assert.deepEqual(await take(-5), { balance: 0 })
      const grants = await listCreditGrants(store().read, accountId, 10)
      assert.deepEqual(
        grants.map(({ credits }) => credits),
        [-70, -30, 100],
      )
    })

    test('are neither granted to nor taken from a missing account', async () => {
      const accountId = newId('acc')
      assert.equal(
        await store().write(grantCredits, { accountId, credits: 5, note: null, now: NOW }),
        undefined,
      )
      assert.equal(await store().write(takeCredit, { accountId, now: NOW }), undefined)
      assert.equal(await countCredits(store().read, accountId), 0)
      assert.deepEqual(await listCreditGrants(store().read, accountId, 10), [])
    })
  })
}
