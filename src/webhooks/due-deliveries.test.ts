// Tests the number of due deliveries that one query reads.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOwner, messageTo } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { deliveryOf, webhookOf } from '../../test/support/webhook-rows.ts'
import { systemClock } from '../lib/clock.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import { readFeed } from '../store/events/feed.ts'
import { readWholeLog } from '../store/readers/log-readers.ts'
import { keepDelivery } from '../store/webhooks/deliveries.ts'
import { DueDeliveries } from './due-deliveries.ts'

const EVENTS = 250
const DELIVERIES = 5

test('a few deliveries with many events are read at a time, and the others when those are taken', async () => {
  const store = await openTestStore('sqlite')
  after(() => store.close())
  const owner = await createOwner(store)
  for (let count = 0; count < EVENTS; count += 50) {
    const emails = Array.from({ length: 50 }, (_, index) => `a${index}@b.example`)
    await store.write(acceptMessage, messageTo(owner, emails))
  }
  await readWholeLog(store)
  const { events } = await readFeed(store.read, { domainId: owner.domainId, after: 0, limit: 500 })
  const positions = events.map(({ position }) => position)
  assert.equal(positions.length, EVENTS)
  const webhook = webhookOf(owner)
  const dueAt = Date.now() - DELIVERIES
  for (let count = 0; count < DELIVERIES; count++) {
    const due = { positions, status: 'pending', due_at: dueAt + count } as const
    await store.write(keepDelivery, deliveryOf(webhook, due))
  }
  const deliveries = new DueDeliveries({ store, clock: systemClock, webhook })
  const taken = new Set<string>()
  const atOnce: number[] = []
  while (taken.size < DELIVERIES) {
    await deliveries.readMore()
    atOnce.push(deliveries.ready)
    assert.ok(deliveries.ready > 0)
    for (let due = deliveries.next(); due !== undefined; due = deliveries.next()) {
      assert.equal(due.events.length, EVENTS)
      taken.add(due.previous.id)
    }
  }
  assert.deepEqual(atOnce, [2, 2, 1])
})
