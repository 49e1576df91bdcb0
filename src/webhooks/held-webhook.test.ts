// A held webhook whose store goes away: what it sends after that.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOwner, messageTo } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { until } from '../../test/support/test-clock.ts'
import { WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { webhookOf } from '../../test/support/webhook-rows.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { systemClock } from '../lib/clock.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { readWholeLog } from '../store/events/log-readers.ts'
import { acceptMessage } from '../store/messages/messages.ts'
import { claimWebhooks } from '../store/webhooks/leases.ts'
import { createWebhook } from '../store/webhooks/webhooks.ts'
import { DeliverySlots } from './delivery-slots.ts'
import { HeldWebhook } from './held-webhook.ts'
import { ReceivedMail } from './received-mail.ts'
import { openWebhook } from './request.ts'
import { newGeneration } from './signing-keys.ts'
import type { SnsSigner } from './sns-signer.ts'

const EVENTS = 150

test('a webhook whose store went away sends nothing of what it has read ahead', async () => {
  const store = await openTestStore('sqlite')
  let isOpen = true
  const close = async () => {
    if (isOpen) await store.close()
    isOpen = false
  }
  after(close)
  const answers: (() => void)[] = []
  let isHeldBack = true
  const receiver = await WebhookReceiver.start(
    () => new Promise((resolve) => (isHeldBack ? answers.push(() => resolve(204)) : resolve(204))),
  )
  after(() => receiver.stop())
  const resolver = createResolver({ servers: [], clock: systemClock })
  const http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.0/8'), plainHttp: true })
  after(() => http.stop())

  const owner = await createOwner(store)
  const emails = Array.from({ length: EVENTS }, (_, index) => `a${index}@b.example`)
  for (const email of emails) await store.write(acceptMessage, messageTo(owner, [email]))
  await readWholeLog(store)
  const made = { ...webhookOf(owner), url: receiver.url }
  const secrets = { generations: [newGeneration(1)], basicAuth: null }
  const webhook = { ...made, secrets: store.secrets.seal(JSON.stringify(secrets), made.id) }
  await store.write(createWebhook, { webhook, most: 5 })
  const now = Date.now()
  const lease = { lease: 'one', now, until: now + 60_000, limit: 1 }
  const [claimed] = await store.write(claimWebhooks, { domainIds: undefined, ...lease })
  assert.ok(claimed)

  const slots = new DeliverySlots(256)
  let attempts = 0
  const held = new HeldWebhook({
    ...{ store, slots, webhook: claimed, opened: openWebhook(claimed, store.secrets, now), http },
    onAttempt: () => attempts++,
    clock: systemClock,
    receivedMail: new ReceivedMail(async () => undefined),
    // Of the format ses alone.
    sns: {} as SnsSigner,
  })
  const ended = assert.rejects(held.run())
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
