// Leases of webhooks: one holder at a time, and free at once when its process is started again; on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner } from '../../../test/support/queued.ts'
import { DATABASES, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { webhookOf } from '../../../test/support/webhook-rows.ts'
import { silentLog } from '../../lib/log.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../open-store.ts'
import { claimWebhooks, freeWebhooks } from './leases.ts'
import { createWebhook } from './webhooks.ts'

for (const database of DATABASES) {
  describe(`leases of webhooks in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    before(async () => {
      storage = await testStorage(database)
      store = await openStore({ ...storage, log: silentLog })
    })
    after(async () => {
      await store.close()
      await storage.remove()
    })

    test('end when the process of their node is started again, and those of other nodes do not', async () => {
      const owner = await createOwner(store)
      for (let left = 4; left > 0; left--) {
        const webhook = { ...webhookOf(owner), replay_position: 0, replay_until: 1 }
        await store.write(createWebhook, { webhook, most: 20 })
      }
      const claim = (node: string, limit: number) => {
        const now = Date.now()
        return store.write(claimWebhooks, {
          ...{ domainIds: undefined, lease: `${node}.1`, now, until: now + 60_000, limit },
        })
      }
      const ofOne = (await claim('nod_1', 2)).map(({ id }) => id)
      const ofOther = (await claim('nod_12', 2)).map(({ id }) => id)
      assert.deepEqual([ofOne.length, ofOther.length, (await claim('nod_3', 4)).length], [2, 2, 0])
      await store.write(freeWebhooks, { node: 'nod_1' })
      assert.deepEqual((await claim('nod_3', 4)).map(({ id }) => id).sort(), ofOne.sort())
      await store.write(freeWebhooks, {})
      assert.equal((await claim('nod_3', 4)).length, 4)
    })
  })
}
