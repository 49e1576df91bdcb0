// Mail that one node accepts and another one delivers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptMessage } from '../../src/store/messages/messages.ts'
import { TestApp } from '../support/app.ts'
import { messageTo } from '../support/queued.ts'
import { usualDatabase } from '../support/store.ts'
import { TestClock, until } from '../support/test-clock.ts'

const skip = usualDatabase() === 'postgres' ? false : 'a store of one node has no other one'

test('a node with nothing to do sees at once what another one has put in', { skip }, async () => {
  // It stands still: no look that waits for a time comes.
  const clock = new TestClock()
  const app = await TestApp.start({ clock })
  const { id, account_id } = await app.store.read
    .selectFrom('domains')
    .select(['id', 'account_id'])
    .where('name', '=', 'example.test')
    .executeTakeFirstOrThrow()
  const email = 'you@receiver.example'
  const content = { from: 'me@example.test', to: [{ email }], subject: 'Hello', text: 'Hello' }
  for (let sent = 1; sent <= 3; sent++) {
    const one = messageTo({ accountId: account_id, domainId: id }, [email])
    await app.store.write(acceptMessage, {
      ...one,
      content: JSON.stringify(content),
      message: { ...one.message, created_at: clock.now() },
    })
    await until(`message ${sent} has arrived`, () => app.host.mails.length === sent)
  }
  assert.equal(app.host.mails.length, 3)
  await app.stop()
})
