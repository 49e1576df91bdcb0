// Tests that any number of searches and CSV exports of one account do not delay other accounts.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../test/support/app.ts'
import { usualDatabase } from '../../test/support/store.ts'
import { createTenant, type Tenant } from '../../test/support/tenant.ts'
import { until } from '../../test/support/test-clock.ts'

/**
 * Number of concurrent requests of the greedy account. The next constant is the number of requests of the other
 * account.
 */
const AT_ONCE = 60
const ASKED = 10

describe(`many searches at once on ${usualDatabase()}`, () => {
  let app: TestApp
  let other: Tenant
  before(async () => {
    app = await TestApp.start()
    other = await createTenant(app.store, { domain: 'other.test' })
    for (let count = 0; count < 20; count++) await app.send({ tag: 'many' })
  })
  after(() => app.stop())

  for (const path of ['/v1/messages?tag=many&subject=h', '/v1/events?tag=none', '/v1/messages?format=csv']) {
    test(`${path}: another account waits for few of them`, async () => {
      let answered = 0
      let isOver = false
      const ask = async (): Promise<void> => {
        while (!isOver) {
          const { status } = await app.call('GET', path)
          assert.equal(status, 200)
          answered++
        }
      }
      const greedy = Array.from({ length: AT_ONCE }, ask)
      await until('the requests are running', async () => answered >= AT_ONCE)
      const before = answered
      const authorization = `Bearer ${other.sendingKey}`
      for (let count = 0; count < ASKED; count++) {
        const { status } = await app.call('GET', '/v1/messages', undefined, { authorization })
        assert.equal(status, 200)
      }
      const each = (answered - before) / ASKED
      isOver = true
      await Promise.all(greedy)
      assert.ok(
        each < AT_ONCE / 4,
        `${each} responses to the greedy account for each response to the other account`,
      )
    })
  }
})
