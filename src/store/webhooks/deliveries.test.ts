// Deliveries of webhooks on both databases: writing under a lease, and removal by age.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { deliveryOf, webhookOf } from '../../../test/support/webhook-rows.ts'
import { beforeIdsOf } from '../../lib/ids.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/owner.ts'
import {
  attemptedAfter,
  countPending,
  type Delivery,
  dueDeliveries,
  forgetDeliveries,
  keepDelivery,
  listDeliveries,
  recordDeliveries,
  webhooksWithOld,
} from './deliveries.ts'
import { changeWebhook, createWebhook, deleteWebhook, findWebhook, type Webhook } from './webhooks.ts'

const OLD = Date.UTC(2026, 0, 1)
const WEEK = OLD + 7 * 86_400_000

for (const database of DATABASES) {
  describe(`deliveries of webhooks in ${database}`, () => {
    let store: Store
    let owner: Owner
    before(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
    })
    after(() => store.close())

    async function webhookWith(more: Partial<Webhook> = {}): Promise<Webhook> {
      const webhook = { ...webhookOf(owner), ...more }
      assert.equal(await store.write(createWebhook, { webhook, most: 100 }), true)
      return webhook
    }

    /**
     * Returns a delivery with an ID of a given time, because the IDs that a process generates never go back in time.
     */
    const at = (webhook: Webhook, time: number, more: Partial<Delivery> = {}): Delivery => {
      const delivery = deliveryOf(webhook, more)
      return { ...delivery, id: `${beforeIdsOf('whd', time)}${delivery.id.slice(-16)}` }
    }
    const kept = async (webhook: Webhook): Promise<string[]> => {
      const query = { ...owner, id: webhook.id, limit: 5_000 }
      return (await listDeliveries(store.read, query)).map(({ id }) => id)
    }

    async function forget(webhookId: string, before: number): Promise<number> {
      let steps = 0
      while (await store.write(forgetDeliveries, { webhookId, before, limit: 1_000 })) steps++
      return steps
    }

    test(
      'old deliveries are removed in steps, except pending ones',
      thorough('0.7 CPU s; the other tests of the file cover the common cases'),
      async () => {
        const webhook = await webhookWith()
        const old = Array.from({ length: 1_500 }, (_, index) => at(webhook, OLD + index))
        const pending = at(webhook, OLD + 2_000, { status: 'pending', due_at: WEEK })
        const recent = at(webhook, WEEK + 1)
        for (const delivery of [...old, pending, recent]) await store.write(keepDelivery, delivery)
        const other = await webhookWith()
        const untouched = at(other, WEEK + 1)
        await store.write(keepDelivery, untouched)
        assert.deepEqual(await webhooksWithOld(store.read, OLD), [])
        assert.deepEqual(await webhooksWithOld(store.read, WEEK), [webhook.id])
        assert.equal(await forget(webhook.id, WEEK), 2)
        assert.deepEqual(await kept(webhook), [recent.id, pending.id])
        assert.deepEqual(await kept(other), [untouched.id])
        assert.deepEqual(await webhooksWithOld(store.read, WEEK), [])
      },
    )

    test('of a disabled webhook are neither waited for nor kept if they are pending', async () => {
      const webhook = await webhookWith()
      const before = await countPending(store.read)
      const pending = at(webhook, OLD, { status: 'pending', due_at: OLD })
      const recent = at(webhook, WEEK + 1, { status: 'pending', due_at: WEEK + 1 })
      for (const delivery of [pending, recent]) await store.write(keepDelivery, delivery)
      assert.equal((await countPending(store.read)).pending, before.pending + 2)
      assert.deepEqual(await webhooksWithOld(store.read, WEEK), [])
      const disabled = { status: 'disabled', disabled_reason: 'failing', disabled_at: WEEK } as const
      await store.write(changeWebhook, { ...owner, id: webhook.id, changes: disabled, now: WEEK })
      assert.deepEqual(await countPending(store.read), before)
      assert.deepEqual(await webhooksWithOld(store.read, WEEK), [webhook.id])
      await forget(webhook.id, WEEK)
      assert.deepEqual(await kept(webhook), [recent.id])
      assert.equal((await findWebhook(store.read, { ...owner, id: webhook.id }))?.due_at, WEEK + 1)
    })

    test('of a deleted webhook are removed, and then the webhook', async () => {
      const webhook = await webhookWith()
      await store.write(keepDelivery, at(webhook, WEEK + 1))
      await store.write(keepDelivery, at(webhook, WEEK + 2, { status: 'pending', due_at: WEEK }))
      await store.write(deleteWebhook, { ...owner, id: webhook.id, now: WEEK })
      assert.deepEqual(await webhooksWithOld(store.read, OLD), [webhook.id])
      await forget(webhook.id, OLD)
      assert.deepEqual(await kept(webhook), [])
      const rows = await store.read.selectFrom('webhooks').select('id').where('id', '=', webhook.id).execute()
      assert.deepEqual(rows, [])
    })

    test('are not written under a lease that has passed to another node', async () => {
      const webhook = await webhookWith({ lease: 'nod_1', lease_until: Date.now() + 60_000, position: 5 })
      const made = [at(webhook, WEEK + 3, { status: 'pending', due_at: WEEK })]
      const done = { made, repeated: [], removed: [], position: 9, attemptedTo: 9, replayPosition: null }
      const item = { ...owner, id: webhook.id, ...done, failures: 1, failingSince: WEEK, resumeAt: null }
      assert.equal(await store.write(recordDeliveries, { ...item, lease: 'nod_2' }), false)
      assert.deepEqual(await kept(webhook), [])
      assert.equal(await store.write(recordDeliveries, { ...item, lease: 'nod_1' }), true)
      const due = await dueDeliveries(store.read, webhook.id, WEEK, 10)
      assert.deepEqual(
        due.map(({ id }) => id),
        made.map(({ id }) => id),
      )
    })

    test('show among the newest which positions had an attempt ahead of time', async () => {
      const webhook = await webhookWith()
      for (let count = 0; count < 250; count++) {
        await store.write(keepDelivery, at(webhook, OLD + count, { positions: [count, 1_000 + count] }))
      }
      const attempted = await attemptedAfter(store.read, webhook.id, 1_020, 600)
      assert.deepEqual(
        [...attempted].sort((one, other) => one - other),
        Array.from({ length: 229 }, (_, index) => 1_021 + index),
      )
      assert.equal((await attemptedAfter(store.read, webhook.id, 1_020, 100)).size, 100)
      assert.equal((await attemptedAfter(store.read, webhook.id, 2_000, 600)).size, 0)
      // A node that continues after a crash begins at an earlier feed position, so newer deliveries may have earlier
      // positions.
      for (let count = 0; count < 250; count++)
        await store.write(keepDelivery, at(webhook, OLD + 1_000 + count, { positions: [300 + count] }))
      assert.equal((await attemptedAfter(store.read, webhook.id, 1_020, 600)).size, 229)
    })
  })
}
