// A recipient who is suppressed while a thousand messages to this recipient wait gets none of the waiting messages.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { suppress } from '../../src/store/workspace/suppressions.ts'
import { TestApp } from '../support/app.ts'
import { thorough } from '../support/thorough.ts'

describe('mail that waits', () => {
  let app: TestApp
  afterEach(() => app.stop())

  test(
    'is not sent to an address that is suppressed meanwhile',
    thorough('2 CPU s: unsubscribes at each moment of an attempt'),
    async () => {
      app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
      const to = [{ email: 'leaving@receiver.example' }, { email: 'staying@receiver.example' }]
      const ids: string[] = []
      for (let batch = 0; batch < 10; batch++) {
        ids.push(...(await Promise.all(Array.from({ length: 50 }, () => app.send({ to })))))
      }
      const [domain] = await app.store.read.selectFrom('domains').select(['id', 'account_id']).execute()
      assert.ok(domain)
      await app.store.write(suppress, {
        account_id: domain.account_id,
        domain_id: domain.id,
        stream: 'transactional',
        email: 'leaving@receiver.example',
        reason: 'unsubscribe',
        message_id: null,
        created_at: Date.now(),
      })
      await app.stopNode()
      await app.startNodeWith({})
      for (const id of ids) {
        const message = await app.messageIn(id, 'partially_delivered')
        assert.deepEqual(
          message.to.map((one: { status: string }) => one.status),
          ['suppressed', 'delivered'],
        )
        assert.equal(
          message.events.filter((event: { type: string }) => event.type === 'suppressed').length,
          1,
        )
      }
      assert.equal(app.host.mails.length, 500)
      assert.ok(app.host.mails.every((mail) => mail.recipients[0] === 'staying@receiver.example'))
    },
  )
})
