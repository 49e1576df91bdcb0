// Tests the events that a held webhook sends, and does not send twice: after an outage of the store or a crash, in a
// replay, and for due deliveries.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOwner, messageTo, NOW } from '../../test/support/queued.ts'
import { DATABASES, type DatabaseName, openTestStore } from '../../test/support/store.ts'
import { stays, until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { deliveryOf, webhookOf } from '../../test/support/webhook-rows.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { systemClock } from '../lib/clock.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import { feedEnd, readFeedAt, withContents } from '../store/events/feed.ts'
import { forgetFeed } from '../store/events/feed-removal.ts'
import type { Owner } from '../store/messages/messages.ts'
import { readWholeLog } from '../store/readers/log-readers.ts'
import { keepDelivery, type RecordDeliveries } from '../store/webhooks/deliveries.ts'
import { claimWebhooks, hasClaimable, releaseWebhooks } from '../store/webhooks/leases.ts'
import { createWebhook, type Webhook } from '../store/webhooks/webhooks.ts'
import { DeliverySlots } from './delivery-slots.ts'
import { ReceivedMail } from './received-mail.ts'
import { openWebhook } from './request.ts'
import { newGeneration } from './signing-keys.ts'
import { WebhookEditing } from './webhook-editing.ts'
import { keyOf, mostUnrecorded, WebhookRun } from './webhook-run.ts'

const EVENTS = 150
const HOUR_MS = 3_600_000

/** Creates a webhook in a new store; a receiver on this machine gets the requests of the webhook. */
async function prepared(receiver: WebhookReceiver, database: DatabaseName = 'sqlite') {
  const store = await openTestStore(database)
  let isOpen = true
  const close = async () => {
    if (isOpen) await store.close()
    isOpen = false
  }
  after(close)
  after(() => receiver.stop())
  const resolver = createResolver({ servers: [], clock: systemClock })
  const http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.0/8'), plainHttp: true })
  after(() => http.stop())
  const owner = await createOwner(store)
  const made = { ...webhookOf(owner), url: receiver.url }
  const secrets = { generations: [newGeneration(1)], basicAuth: null }
  const webhook = { ...made, secrets: store.secrets.seal(JSON.stringify(secrets), made.id) }
  const parts = { http, clock: systemClock, receivedMail: new ReceivedMail(async () => undefined) }
  return { store, close, owner, webhook, parts }
}

/** Accepts messages with these times one after the other, each message with this number of recipients. */
async function accepted(store: Store, owner: Owner, times: readonly number[], recipients = 1): Promise<void> {
  for (const [index, created_at] of times.entries()) {
    const addresses = Array.from({ length: recipients }, (_, number) => `a${index}-${number}@b.example`)
    const item = messageTo(owner, addresses)
    await store.write(acceptMessage, { ...item, message: { ...item.message, created_at } })
    await readWholeLog(store)
  }
}

async function claimed(store: Store): Promise<Webhook> {
  const now = Date.now()
  const lease = { feedIds: undefined, lease: 'one', now, until: now + 60_000, limit: 1 }
  const [webhook] = await store.write(claimWebhooks, lease)
  assert.ok(webhook)
  return webhook
}

test('a webhook whose store is unreachable sends none of the events that it has read ahead', async () => {
  const answers: (() => void)[] = []
  let isHeldBack = true
  const receiver = await WebhookReceiver.start(
    () => new Promise((resolve) => (isHeldBack ? answers.push(() => resolve(204)) : resolve(204))),
  )
  const { store, close, owner, webhook, parts } = await prepared(receiver)
  await accepted(store, owner, Array(EVENTS).fill(NOW))
  await store.write(createWebhook, { webhook, most: 5 })
  const held = await claimed(store)
  const slots = new DeliverySlots(256)
  let attempts = 0
  const opened = openWebhook(held, store.secrets, Date.now())
  const onAttempt = () => attempts++
  const ended = assert.rejects(
    new WebhookRun({ ...parts, store, slots, webhook: held, opened, onAttempt }).run(),
  )
  await until('requests are under way', () => answers.length >= 2)
  await close()
  answers.pop()?.()
  await ended
  const underWay = slots.taken
  const before = attempts
  isHeldBack = false
  for (const answer of answers) answer()
  await until('nothing is under way', () => slots.taken === 0)
  assert.ok(underWay > 0)
  assert.equal(attempts, before + underWay)
})

/**
 * Lets a node hold the webhook until this many outcomes are recorded; no later outcome reaches the store, as after a
 * kill. Returns a function that ends the work of the node.
 */
async function killedAfter(
  { store, owner, parts }: Awaited<ReturnType<typeof prepared>>,
  receiver: WebhookReceiver,
  most: number,
): Promise<() => Promise<unknown>> {
  const held = await claimed(store)
  const opened = openWebhook(held, store.secrets, Date.now())
  const before = receiver.requests.length
  let recorded = 0
  const kill = Promise.withResolvers<void>()
  const write: Store['write'] = async (one, item) => {
    if (recorded > most) await kill.promise
    const written = await store.write(one, item)
    recorded += (item as unknown as RecordDeliveries).made.length
    return written
  }
  const options = { ...parts, slots: new DeliverySlots(256), webhook: held, opened, onAttempt() {} }
  const ended = new WebhookRun({ ...options, store: { ...store, write } }).run()
  const unrecorded = (): number => receiver.requests.length - before - recorded
  await until(
    'as many as may be are unrecorded',
    () => recorded > most && unrecorded() === mostUnrecorded(held.batch),
  )
  await stays('no further request is sent', () => unrecorded() === mostUnrecorded(held.batch), 100)
  await store.write(releaseWebhooks, { ...owner, id: held.id, lease: 'one', now: Date.now() })
  return () => {
    kill.resolve()
    return ended
  }
}

/**
 * Lets a node hold the webhook until all events are delivered; returns the number of requests with a repeated event,
 * and the number of different events.
 */
async function finished(
  { store, parts }: Awaited<ReturnType<typeof prepared>>,
  receiver: WebhookReceiver,
): Promise<{ repeated: number; events: number }> {
  const webhook = await claimed(store)
  const opened = openWebhook(webhook, store.secrets, Date.now())
  const options = { ...parts, store, slots: new DeliverySlots(256), webhook, opened, onAttempt() {} }
  assert.equal(await new WebhookRun(options).run(), 'released')
  const seen = new Set<string>()
  const repeated = receiver.requests.filter(({ body }) => {
    const ids = [JSON.parse(body)].flat().map(({ data }) => data.id as string)
    const isRepeated = ids.some((one) => seen.has(one))
    for (const one of ids) seen.add(one)
    return isRepeated
  })
  return { repeated: repeated.length, events: seen.size }
}

for (const database of DATABASES) {
  for (const batch of [1, 3]) {
    test(`a killed node repeats no more requests than may be unrecorded: ${database}, batches of ${batch}`, async () => {
      const receiver = await WebhookReceiver.start()
      const all = await prepared(receiver, database)
      await accepted(all.store, all.owner, Array(EVENTS).fill(NOW))
      await all.store.write(createWebhook, { webhook: { ...all.webhook, batch }, most: 5 })
      const end = await killedAfter(all, receiver, EVENTS / batch / 4)
      assert.deepEqual(await finished(all, receiver), { repeated: mostUnrecorded(batch), events: EVENTS })
      await end()
    })
  }
}

test('a node that is killed again while it catches up repeats no more', async () => {
  const receiver = await WebhookReceiver.start()
  const all = await prepared(receiver)
  // Each message has three events, which are sent one after the other: the first events of all messages in a window are
  // sent before the second events.
  await accepted(all.store, all.owner, Array(140).fill(NOW), 3)
  await all.store.write(createWebhook, { webhook: all.webhook, most: 5 })
  const ends = [await killedAfter(all, receiver, 130), await killedAfter(all, receiver, 240)]
  const { repeated, events } = await finished(all, receiver)
  assert.equal(events, 420)
  assert.ok(repeated <= 2 * mostUnrecorded(1), `${repeated} requests were repeated`)
  for (const end of ends) await end()
})

test('a replay has the events of its time that were written late, and none of a later time', async () => {
  const receiver = await WebhookReceiver.start()
  const { store, owner, webhook, parts } = await prepared(receiver)
  const minute = (count: number): number => NOW + count * 60_000
  // The event of minute 4 was written after an outage.
  await accepted(store, owner, [minute(1), minute(3), minute(20), minute(4), minute(21)])
  const position = await feedEnd(store.read, owner.domainId)
  await store.write(createWebhook, { webhook: { ...webhook, position }, most: 5 })
  const editing = new WebhookEditing({ ...parts, store })
  await editing.replay(owner, webhook.id, minute(2), minute(10))
  const held = await claimed(store)
  const opened = openWebhook(held, store.secrets, Date.now())
  const slots = new DeliverySlots(256)
  await new WebhookRun({ ...parts, store, slots, webhook: held, opened, onAttempt() {} }).run()
  assert.deepEqual(
    receiver.requests.map(({ body }) => JSON.parse(body).timestamp).sort(),
    [minute(3), minute(4)].map((at) => new Date(at).toISOString()),
  )
  const ended = await store.read.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([ended.replay_position, ended.replay_until, ended.replay_before], [null, null, null])
})

test('a due delivery is sent although the clock was set back, while another request is under way', async () => {
  let behindMs = 0
  let answer = (): void => {}
  const receiver = await WebhookReceiver.start((_request, _response, count) => {
    if (count !== 1) return count === 2 ? new Promise((resolve) => (answer = () => resolve(204))) : 204
    behindMs = HOUR_MS
    return 500
  })
  const { store, owner, webhook, parts } = await prepared(receiver)
  const clock = { ...parts.clock, now: () => Date.now() - behindMs }
  await accepted(store, owner, [NOW, NOW])
  await store.write(createWebhook, { webhook, most: 5 })
  const held = await claimed(store)
  const opened = openWebhook(held, store.secrets, Date.now())
  const slots = new DeliverySlots(256)
  const ended = new WebhookRun({
    ...parts,
    clock,
    store,
    slots,
    webhook: held,
    opened,
    onAttempt() {},
  }).run()
  await until('the failure is written', () =>
    store.read
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('due_at', 'is not', null)
      .executeTakeFirst(),
  )
  // The clock now shows a time after the retry delay, but still before the time that the clock showed before it was set
  // back.
  behindMs = HOUR_MS / 2
  await receiver.received(3)
  const [first, , third] = receiver.requests
  assert.equal(third?.body, first?.body)
  answer()
  assert.equal(await ended, 'released')
})

test('a delivery whose outcome is not written yet does not become due again', async () => {
  let aheadMs = 0
  const receiver = await WebhookReceiver.start(() => {
    // The clock advances by more than the interval of the checks for due deliveries, before the outcome is written.
    aheadMs += 1_000
    return 204
  })
  const { store, owner, webhook, parts } = await prepared(receiver)
  const clock = { ...parts.clock, monotonic: () => performance.now() + aheadMs }
  await accepted(store, owner, [NOW])
  const position = await feedEnd(store.read, owner.domainId)
  await store.write(createWebhook, { webhook: { ...webhook, position, due_at: NOW }, most: 5 })
  await store.write(
    keepDelivery,
    deliveryOf(webhook, { positions: [position], status: 'pending', due_at: NOW }),
  )
  const held = await claimed(store)
  const opened = openWebhook(held, store.secrets, Date.now())
  const slots = new DeliverySlots(256)
  await new WebhookRun({ ...parts, clock, store, slots, webhook: held, opened, onAttempt() {} }).run()
  assert.equal(receiver.requests.length, 1)
  const [{ status, attempts }] = (await store.read
    .selectFrom('webhook_deliveries')
    .select(['status', 'attempts'])
    .execute()) as [{ status: string; attempts: number }]
  assert.deepEqual([status, attempts], ['delivered', 2])
})

test('due deliveries and new events are sent in turns, due ones first', async () => {
  const receiver = await WebhookReceiver.start()
  const { store, owner, webhook, parts } = await prepared(receiver)
  await accepted(store, owner, [NOW])
  const position = await feedEnd(store.read, owner.domainId)
  // The receiver has failed before, and gets one request at a time as a test.
  const failing = { position, due_at: NOW, failures: 10, failing_since: NOW }
  await store.write(createWebhook, { webhook: { ...webhook, ...failing }, most: 5 })
  const due = deliveryOf(webhook, { positions: [position], status: 'pending', due_at: NOW })
  await store.write(keepDelivery, due)
  await accepted(store, owner, [NOW, NOW])
  const held = await claimed(store)
  const opened = openWebhook(held, store.secrets, Date.now())
  const slots = new DeliverySlots(256)
  await new WebhookRun({ ...parts, store, slots, webhook: held, opened, onAttempt() {} }).run()
  assert.equal(receiver.requests.length, 3)
  const [first] = await readFeedAt(store.read, owner.domainId, [position], withContents)
  assert.equal(receiver.requests[0]?.headers['webhook-id'], first?.id)
})

test(
  'a webhook that is released before the end continues with events without an attempt',
  thorough('0.8 CPU s; the other tests of the file cover the common cases'),
  async () => {
    let held: WebhookRun | undefined
    const receiver = await WebhookReceiver.start((_request, _response, count) => {
      if (count === 40) held?.stop('released')
      return 204
    })
    const { store, owner, webhook, parts } = await prepared(receiver)
    // The second event of each message waits for the first event, while events of other messages are sent.
    for (let count = 0; count < 50; count++) {
      await store.write(acceptMessage, messageTo(owner, ['a@b.example', 'c@b.example']))
    }
    await readWholeLog(store)
    await store.write(createWebhook, { webhook, most: 5 })
    for (const round of [1, 2]) {
      const one = await claimed(store)
      const opened = openWebhook(one, store.secrets, Date.now())
      const slots = new DeliverySlots(256)
      held = new WebhookRun({ ...parts, store, slots, webhook: one, opened, onAttempt() {} })
      assert.equal(await held.run(), 'released')
      assert.equal(receiver.requests.length === 100, round === 2)
      await store.write(releaseWebhooks, { ...keyOf(one), now: Date.now() })
    }
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 100)
  },
)

test('a webhook whose events were removed by age is not claimed repeatedly', async () => {
  const receiver = await WebhookReceiver.start()
  const { store, owner, webhook, parts } = await prepared(receiver)
  await accepted(store, owner, [NOW])
  await store.write(createWebhook, { webhook, most: 5 })
  const { domainId } = owner
  await store.write(forgetFeed, { domainId, before: NOW + HOUR_MS, isOfAll: true, limit: 10 })
  const one = await claimed(store)
  const opened = openWebhook(one, store.secrets, Date.now())
  const slots = new DeliverySlots(256)
  const held = new WebhookRun({ ...parts, store, slots, webhook: one, opened, onAttempt() {} })
  assert.equal(await held.run(), 'released')
  await store.write(releaseWebhooks, { ...keyOf(one), now: Date.now() })
  assert.equal(await hasClaimable(store.read, { feedIds: undefined, now: Date.now() }), false)
})
