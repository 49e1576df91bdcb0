// Automatic replies to a return path do not change the status of a recipient, and are not kept for the operator.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AUTO_REPLY_SAMPLES } from '../../../src/dsn/feedback-samples.test-data.ts'
import { listInboxMails } from '../../../src/store/inbound/inbox.ts'
import type { TestApp } from '../../support/app.ts'
import { bringBack, type HandedOver, handOver, show, startInbound } from '../../support/inbound.ts'

let app: TestApp
let sent: HandedOver
let untouched: unknown

before(async () => {
  app = await startInbound()
  sent = await handOver(app)
  untouched = await show(app, sent.id)
})
after(() => app.stop())

for (const { name, mail } of AUTO_REPLY_SAMPLES) {
  test(name, async () => {
    assert.match(await bringBack(app, sent.returnPath, mail, 'jo@receiver.example'), /^250 /)
    assert.deepEqual(await show(app, sent.id), untouched)
    assert.deepEqual(await listInboxMails(app.store.read, 10), [])
  })
}
