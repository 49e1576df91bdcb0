// Numbers of objects on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner } from '../../../test/support/queued.ts'
import { DATABASES, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import { findNumbered, findNumbers, numberObjects } from './numbers.ts'

for (const database of DATABASES) {
  describe(`numbers of objects on ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let accountId: string
    before(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      accountId = (await createOwner(store)).accountId
    })
    after(async () => {
      await store.close()
      await storage.remove()
    })
    const number = (ids: readonly string[], noun: 'template' | 'webhook' = 'template') =>
      store.write(numberObjects, { accountId, noun, ids })

    test('count from 1,001 for each kind of object, and an object keeps its number', async () => {
      assert.deepEqual(await number(['a', 'b', 'a']), [1001, 1002, 1001])
      assert.deepEqual(await number(['c', 'b']), [1003, 1002])
      assert.deepEqual(await number(['a'], 'webhook'), [1001])
      assert.deepEqual(
        await findNumbers(store.read, { accountId, noun: 'template', ids: ['a', 'c', 'x'] }),
        new Map([
          ['a', 1001],
          ['c', 1003],
        ]),
      )
      assert.equal(await findNumbered(store.read, accountId, 'template', 1002), 'b')
    })

    test('belong to one account', async () => {
      const other = await createOwner(store)
      assert.equal(await findNumbered(store.read, other.accountId, 'template', 1001), undefined)
      const ids = ['z']
      assert.deepEqual(
        await store.write(numberObjects, { accountId: other.accountId, noun: 'template', ids }),
        [1001],
      )
    })

    test('that are given at the same time are all different', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `same-${index % 10}`)
      const numbers = (await Promise.all(ids.map((id) => number([id], 'webhook')))).flat()
      assert.equal(new Set(numbers).size, 10)
      for (const [index, one] of numbers.entries()) assert.equal(one, numbers[index % 10])
    })
  })
}
