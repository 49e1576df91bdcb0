// One node accepts a message, and another node delivers it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptMessage } from '../../src/store/accepting/accept-message.ts'
import { TestApp } from '../support/app.ts'
import { messageTo } from '../support/queued.ts'
import { usualDatabase } from '../support/store.ts'
import { TestClock, until, untilPassed } from '../support/test-clock.ts'

const skip = usualDatabase() === 'postgres' ? false : 'a store of one node has no other one'

test('an idle node sees at once what another one has queued', { skip }, async () => {
  // The clock stands still after the first read of the queue, so a timer cannot cause the next read.
  const clock = new TestClock()
  const app = await TestApp.start({ clock })
  const { id, account_id } = await app.store.read
    .selectFrom('domains')
    .select(['id', 'account_id'])
    .where('name', '=', 'example.test')
    .executeTakeFirstOrThrow()
  const email = 'you@receiver.example'
  const content = { from: 'me@example.test', to: [{ email }], subject: 'Hello', text: 'Hello' }
  const putIn = () => {
    const one = messageTo({ accountId: account_id, domainId: id }, [email])
    return app.store.write(acceptMessage, {
      ...one,
      content: JSON.stringify(content),
      message: { ...one.message, created_at: clock.now() },
      recipients: one.recipients.map((recipient) => ({ ...recipient, startTag: clock.now() })),
    })
  }
  // The database may have aborted the first read of the queue on a slow machine; the queue repeats the read after some
  // time.
  await putIn()
  await untilPassed({ by: app, stepMs: 1_000 }, 'the queue is read', () => app.host.mails.length === 1)
  for (let sent = 2; sent <= 4; sent++) {
    await putIn()
    await until(`message ${sent} has arrived`, () => app.host.mails.length === sent)
  }
  assert.equal(app.host.mails.length, 4)
  await app.stop()
})
