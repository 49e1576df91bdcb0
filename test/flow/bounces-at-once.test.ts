// A mail host that bounces a message before its reply to the final dot: the delivery is recorded first, then the
// bounce.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bounceSample } from '../../src/dsn/samples.test-data.ts'
import type { TestApp } from '../support/app.ts'
import { bringBack, show, startInbound } from '../support/inbound.ts'

let app: TestApp
let reply: Promise<string> | undefined
/** True if the mail host replies to the final dot only after the service has replied to the bounce. */
let isSlow = false

before(async () => {
  app = await startInbound({
    host: {
      async script({ verb, from }) {
        if (verb !== 'MESSAGE') return undefined
        reply = bringBack(app, from, bounceSample('qmail: no such mailbox').mail)
        if (isSlow) await reply
        return { reply: '250 2.0.0 Ok', delayMs: 100 }
      },
    },
  })
})
after(() => app.stop())

const types = async (id: string): Promise<string[]> =>
  (await show(app, id)).events.map((event: { type: string }) => event.type)

test('a reply within a second is awaited', async () => {
  const id = await app.send({ to: [{ email: 'a@receiver.example' }] })
  await app.messageIn(id, 'bounced')
  assert.match(await reply!, /^250 /)
  assert.deepEqual(await types(id), ['accepted', 'sending', 'delivered', 'bounced'])
})

test('with a later reply the bounce is deferred, and comes again', async () => {
  isSlow = true
  const id = await app.send({ to: [{ email: 'b@receiver.example' }] })
  await app.messageIn(id, 'delivered')
  assert.match(await reply!, /^451 4\.3\.0 /)
  const [mail] = app.host.mails.slice(-1)
  assert.match(await bringBack(app, mail!.from, bounceSample('qmail: no such mailbox').mail), /^250 /)
  assert.deepEqual(await types(id), ['accepted', 'sending', 'delivered', 'bounced'])
})
