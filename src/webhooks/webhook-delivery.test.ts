// Tests that a webhook that cannot be served does not delay deliveries to other webhooks.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOwner, messageTo } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { webhookOf } from '../../test/support/webhook-rows.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import type { SealedText } from '../store/database/secrets.ts'
import { FeedWatch } from '../store/events/feed-watch.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { readWholeLog } from '../store/readers/log-readers.ts'
import { createWebhook } from '../store/webhooks/webhooks.ts'
import { ReceivedMail } from './received-mail.ts'
import { newGeneration } from './signing-keys.ts'
import { WebhookDelivery } from './webhook-delivery.ts'

test('a webhook whose secrets cannot be opened does not affect those that are claimed with it', async () => {
  const receiver = await WebhookReceiver.start()
  after(() => receiver.stop())
  const store = await openTestStore('sqlite')
  after(() => store.close())
  const resolver = createResolver({ servers: [], clock: systemClock })
  const http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.0/8'), plainHttp: true })
  after(() => http.stop())
  const owner = await createOwner(store)
  const made = { ...webhookOf(owner), url: receiver.url }
  const secrets = store.secrets.seal(
    JSON.stringify({ generations: [newGeneration(1)], basicAuth: null }),
    made.id,
  )
  // The broken webhook is claimed first.
  const broken = { ...webhookOf(owner), position: -1, secrets: 'of another key' as SealedText }
  for (const webhook of [broken, { ...made, secrets }]) await store.write(createWebhook, { webhook, most: 5 })
  await store.write(acceptMessage, messageTo(owner, ['a@b.example']))
  await readWholeLog(store)
  const feedWatch = new FeedWatch(store, silentLog)
  let tokens = 0
  const node = { newToken: () => `token ${tokens++}` } as unknown as NodeName
  const receivedMail = new ReceivedMail(async () => undefined)
  const parts = { store, http, receivedMail, feedWatch, node }
  const delivery = new WebhookDelivery({ ...parts, clock: systemClock, log: silentLog })
  delivery.start()
  after(() => delivery.stop())
  const [request] = await receiver.received(1)
  assert.equal(JSON.parse(request?.body ?? '').type, 'accepted')
})
