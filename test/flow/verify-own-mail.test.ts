// What an account's own mail has shown of an address counts for its verifications, and for nobody else's.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { TestApp } from '../support/app.ts'
import { createTenant } from '../support/tenant.ts'
import { TestClock } from '../support/test-clock.ts'
import { askedFor, onlyMailboxes, verdict } from '../support/verification.ts'

const DAY = 24 * 3_600_000

describe('own mail', () => {
  let app: TestApp
  let clock: TestClock
  beforeEach(async () => {
    // The time is read from IDs, which never go back.
    clock = new TestClock(Date.now())
    app = await TestApp.start({ clock, env: { POSTRIDER_VERIFICATION_RATE: '10000/s' } })
  })
  afterEach(() => app.stop())

  const delivered = async (email: string, status: string) => {
    const id = await app.send({ to: [{ email }] })
    await app.messageIn(id, status)
    return app.store.read
      .selectFrom('messages')
      .select(['account_id', 'domain_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }

  async function asSomebodyElse(email: string): Promise<string> {
    const { account, verificationKey } = await createTenant(app.store, { clock })
    const grant = { accountId: account.id, credits: 5, note: null, now: clock.now() }
    await app.store.write('grantCredits', grant)
    const path = `/v1/verifyEmailDetailed?email=${encodeURIComponent(email)}`
    const headers = { authorization: `Bearer ${verificationKey}` }
    return (await app.call('GET', path, undefined, headers)).body.internalResult
  }

  test('that was taken makes an address deliverable for 30 days, without a probe', async () => {
    await delivered('somebody@a.example', 'delivered')
    const asked = askedFor(app.host).length
    // The host would say otherwise by now.
    app.host.script = onlyMailboxes()
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
    assert.equal(askedFor(app.host).length, asked)
    clock.advance(31 * DAY)
    assert.equal(await verdict(app, 'somebody@a.example'), 'undeliverable/mailbox_not_found')
    assert.equal(askedFor(app.host).length, asked + 1)
  })

  test('that bounced for good makes it undeliverable, without a probe', async () => {
    app.host.script = onlyMailboxes()
    await delivered('nobody@a.example', 'bounced')
    const asked = askedFor(app.host).length
    app.host.script = undefined
    assert.equal(await verdict(app, 'nobody@a.example'), 'undeliverable/mailbox_not_found')
    assert.equal(askedFor(app.host).length, asked)
    // Nothing is sent there any more, whatever the host would say by now.
    clock.advance(31 * DAY)
    assert.equal(await verdict(app, 'nobody@a.example'), 'risky/suppressed')
  })

  test('that was complained about makes it risky, for this account only', async () => {
    const { account_id, domain_id } = await delivered('somebody@a.example', 'delivered')
    const complaint = { account_id, domain_id, stream: 'transactional', reason: 'complaint' } as const
    const rest = { message_id: null, created_at: clock.now() }
    await app.store.write('suppress', { ...complaint, email: 'somebody@a.example', ...rest })
    assert.equal(await verdict(app, 'somebody@a.example'), 'risky/suppressed')
    assert.notEqual(await asSomebodyElse('somebody@a.example'), 'suppressed')
    // Who unsubscribed has a mailbox.
    await app.store.write('suppress', {
      ...complaint,
      reason: 'unsubscribe',
      email: 'other@a.example',
      ...rest,
    })
    assert.notEqual(await verdict(app, 'other@a.example'), 'risky/suppressed')
  })

  test('that bounced for what the host thought of us says nothing', async () => {
    app.host.script = ({ verb }) => (verb === 'RCPT' ? '550 5.7.1 Blocked using Spamhaus' : undefined)
    await delivered('somebody@a.example', 'bounced')
    app.host.script = onlyMailboxes('somebody')
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
  })

  test('the newest mail counts', async () => {
    await delivered('somebody@a.example', 'delivered')
    app.host.script = onlyMailboxes()
    clock.advance(DAY)
    await delivered('somebody@a.example', 'bounced')
    app.host.script = undefined
    assert.equal(await verdict(app, 'somebody@a.example'), 'undeliverable/mailbox_not_found')
  })

  test('a domain that is gone is gone all the same', async () => {
    await delivered('somebody@b.example', 'delivered')
    app.dns.set('b.example', 'NXDOMAIN')
    clock.advance(3_600_000)
    assert.equal(await verdict(app, 'somebody@b.example'), 'undeliverable/domain_not_found')
  })

  test('of one account is nothing to another', async () => {
    await delivered('somebody@a.example', 'delivered')
    app.host.script = onlyMailboxes()
    assert.equal(await asSomebodyElse('somebody@a.example'), 'mailbox_not_found')
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
  })
})
