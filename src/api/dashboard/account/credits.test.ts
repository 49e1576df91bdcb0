// Tests the status codes of credits and the account in the dashboard.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../../test/support/answers.ts'
import { TestApp } from '../../../../test/support/app.ts'
import { Person } from '../../../../test/support/person.ts'

describe('credits and the account', () => {
  let app: TestApp
  let owner: Person
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    owner = await Person.loggedIn(app)
  })
  after(() => app.stop())

  test('credits: the balance, the grants, and the use on each of ninety days', async () => {
    const before = await ok(owner.call('GET', '/api/verification/credits'))
    await ok(owner.call('GET', '/api/verification/verifyEmail?email=nonsense'))
    const { balance, grants, uses } = await ok(owner.call('GET', '/api/verification/credits'))
    assert.equal(balance, before.balance - 1)
    assert.equal(grants[0].note, 'Playground')
    assert.equal(uses.length, 90)
    assert.equal(uses.at(-1).day, new Date().toISOString().slice(0, 10))
    assert.equal(uses.at(-1).credits, before.uses.at(-1).credits + 1)
  })

  test("the account's lists of addresses, newest first", async () => {
    const post = (email: string) => owner.call('POST', '/api/verification/verifications', [email])
    const first = await ok(post('nonsense'), 202)
    const second = await ok(post('more nonsense'), 202)
    const page = await ok(owner.call('GET', '/api/verification/verifications?limit=1'))
    assert.deepEqual(page.data[0].verification_id, second.verification_id)
    const next = await ok(owner.call('GET', `/api/verification/verifications?cursor=${page.next_cursor}`))
    assert.equal(next.data[0].verification_id, first.verification_id)
    assert.equal(next.next_cursor, null)
    await refused(owner.call('GET', '/api/verification/verifications?cursor=x'), 400, 'malformed_request')
  })

  test('the account shows its data, and its owner renames it', async () => {
    const account = await ok(owner.call('GET', '/api/account'))
    assert.deepEqual(
      [account.name, account.status, account.sending_allowance, account.stored_bytes_limit],
      ['Playground', 'active', null, null],
    )
    assert.ok(Number.isInteger(account.stored_bytes))
    const renamed = await ok(owner.call('PATCH', '/api/account', { name: ' Workshop ' }))
    assert.equal(renamed.name, 'Workshop')
    await refused(owner.call('PATCH', '/api/account', { name: 'a\nb' }), 422, 'validation_failed')
    await refused(owner.call('PATCH', '/api/account', { status: 'active' }), 422, 'validation_failed')
  })
})
