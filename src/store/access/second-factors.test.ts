// Second factors on both databases: each code is valid once, even if two nodes check the code at the same moment.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner } from '../../../test/support/queued.ts'
import { DATABASES, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import { beginTotp, confirmTotp, countFactors, takeRecoveryCode, takeTotpStep } from './second-factors.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

for (const database of DATABASES) {
  describe(`second factors on ${database}`, () => {
    let storage: TestStorage
    let stores: readonly [Store, Store]
    let userId: string
    let accountId: string
    before(async () => {
      storage = await testStorage(database, 'tables')
      const open = (): Promise<Store> => openStore({ ...storage, log: silentLog })
      stores = [await open(), await open()]
      ;({ accountId } = await createOwner(stores[0]))
      userId = newId('usr')
    })
    after(async () => {
      for (const store of stores) await store.close()
      await storage.remove()
    })

    test('are accepted once, by one of two nodes', async () => {
      const totp = {
        user_id: userId,
        account_id: accountId,
        secret: stores[0].secrets.seal('s', userId),
        created_at: NOW,
      }
      assert.equal(await stores[0].write(beginTotp, { ...totp, confirmed_at: null, last_step: null }), true)
      assert.equal(await stores[0].write(takeTotpStep, { userId, step: 6 }), false, 'it is not confirmed')
      const hashes = ['one', 'two']
      const confirmation = { userId, accountId, hashes, now: NOW, step: 7 }
      const onBoth = (write: (store: Store) => Promise<boolean>): Promise<boolean[]> =>
        Promise.all(stores.map(write))
      const times = async (write: (store: Store) => Promise<boolean>): Promise<number> =>
        (await onBoth(write)).filter(Boolean).length
      assert.equal(await times((store) => store.write(confirmTotp, confirmation)), 1)
      for (const [step, taken] of [
        [7, 0],
        [8, 1],
        [8, 0],
        [7, 0],
        [9, 1],
      ] as const) {
        assert.equal(await times((store) => store.write(takeTotpStep, { userId, step })), taken, `${step}`)
      }
      assert.equal(await times((store) => store.write(takeRecoveryCode, { userId, hash: 'one' })), 1)
      assert.equal(await stores[0].write(takeRecoveryCode, { userId, hash: 'one' }), false)
      assert.deepEqual(await countFactors(stores[1].read, userId), {
        totp: true,
        recoveryCodes: 1,
        passkeys: 0,
      })
    })
  })
}
