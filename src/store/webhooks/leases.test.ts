// Leases of webhooks on both databases: which webhooks are claimed, and for which accounts.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { webhookOf } from '../../../test/support/webhook-rows.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/owner.ts'
import { claimWebhooks, hasClaimable } from './leases.ts'
import { createWebhook } from './webhooks.ts'

for (const database of DATABASES) {
  describe(`leases of webhooks in ${database}`, () => {
    let store: Store
    let large: Owner
    let small: Owner
    before(async () => {
      store = await openTestStore(database)
      large = await createOwner(store)
      small = await createOwner(store)
      for (const owner of [large, large, small]) {
        await store.write(createWebhook, { webhook: { ...webhookOf(owner), due_at: 1 }, most: 5 })
      }
    })
    after(() => store.close())

    test('are claimed for other accounts only, where an account holds its part', async () => {
      const now = Date.now()
      const query = { feedIds: undefined, exceptAccounts: [large.accountId], now }
      assert.equal(await hasClaimable(store.read, query), true)
      const claim = { ...query, lease: 'one', until: now + 60_000, limit: 10 }
      const claimed = await store.write(claimWebhooks, claim)
      assert.deepEqual(
        claimed.map(({ account_id }) => account_id),
        [small.accountId],
      )
      assert.equal(await hasClaimable(store.read, query), false)
      const rest = await store.write(claimWebhooks, { ...claim, exceptAccounts: [] })
      assert.deepEqual(
        rest.map(({ account_id }) => account_id),
        [large.accountId, large.accountId],
      )
    })
  })
}
