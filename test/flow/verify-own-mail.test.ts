// Evidence from mail of this installation: the account that sent the mail gets all evidence, and other accounts get
// only the findings that a probe would show.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { recordBounce } from '../../src/store/queue/bounces.ts'
import { grantCredits } from '../../src/store/verification/verification-credits.ts'
import { suppress } from '../../src/store/workspace/suppressions.ts'
import { TestApp } from '../support/app.ts'
import type { HostScript } from '../support/mail-host/script.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'
import { TestClock } from '../support/test-clock.ts'
import { askedFor, MADE_UP, onlyMailboxes, verdict } from '../support/verification.ts'

const DAY = 24 * 3_600_000
/** Maximum pause of a mail host after refusals, in milliseconds. */
const HOST_PAUSE_MS = 60_000

describe('own mail', () => {
  let app: TestApp
  let clock: TestClock
  beforeEach(async () => {
    // The age of a mail is read from its ID, and the times in the IDs of a process never go back.
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

  test('that was accepted makes an address deliverable for 30 days, without a probe', async () => {
    await delivered('somebody@a.example', 'delivered')
    const asked = askedFor(app.host).length
    // The mail host would now give another reply.
    app.host.script = onlyMailboxes()
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
    assert.equal(askedFor(app.host).length, asked)
    await app.advance(31 * DAY)
    assert.equal(await verdict(app, 'somebody@a.example'), 'undeliverable/mailbox_not_found')
    assert.equal(askedFor(app.host).length, asked + 1)
  })

  test('that bounced permanently makes the address undeliverable, without a probe', async () => {
    app.host.script = onlyMailboxes()
    await delivered('nobody@a.example', 'bounced')
    const asked = askedFor(app.host).length
    app.host.script = undefined
    assert.equal(await verdict(app, 'nobody@a.example'), 'undeliverable/mailbox_not_found')
    assert.equal(askedFor(app.host).length, asked)
    // The address is suppressed, so no message causes a newer reply of the mail host.
    await app.advance(31 * DAY)
    assert.equal(await verdict(app, 'nobody@a.example'), 'risky/suppressed')
  })

  test('that was complained about makes the address risky, for this account only', async () => {
    const { account_id, domain_id } = await delivered('somebody@a.example', 'delivered')
    const complaint = { account_id, domain_id, stream: 'transactional', reason: 'complaint' } as const
    const rest = { message_id: null, created_at: clock.now() }
    await app.store.write(suppress, { ...complaint, email: 'somebody@a.example', ...rest })
    assert.equal(await verdict(app, 'somebody@a.example'), 'risky/suppressed')
    // A recipient who unsubscribed has a working mailbox.
    await app.store.write(suppress, {
      ...complaint,
      reason: 'unsubscribe',
      email: 'other@a.example',
      ...rest,
    })
    assert.notEqual(await verdict(app, 'other@a.example'), 'risky/suppressed')
  })

  test('that bounced no longer counts, for any account, when the suppression is removed', async () => {
    app.host.script = onlyMailboxes()
    await delivered('nobody@a.example', 'bounced')
    app.host.script = undefined
    assert.equal(await verdict(app, 'nobody@a.example'), 'undeliverable/mailbox_not_found')
    const path = '/v1/suppressions/nobody%40a.example?stream=transactional'
    assert.equal((await app.call('DELETE', path)).status, 204)
    assert.equal(await verdict(app, 'nobody@a.example'), 'risky/catch_all')
  })

  test('that bounced because of the sender says nothing', async () => {
    app.host.script = ({ verb }) => (verb === 'RCPT' ? '550 5.7.1 Blocked using Spamhaus' : undefined)
    await delivered('somebody@a.example', 'bounced')
    app.host.script = onlyMailboxes('somebody')
    // The pause of the mail host applies to probes as well as to mail.
    await app.advance(HOST_PAUSE_MS)
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
  })

  test('counts by the newest mail', async () => {
    await delivered('somebody@a.example', 'delivered')
    app.host.script = onlyMailboxes()
    await app.advance(DAY)
    await delivered('somebody@a.example', 'bounced')
    app.host.script = undefined
    assert.equal(await verdict(app, 'somebody@a.example'), 'undeliverable/mailbox_not_found')
  })

  test('does not make a domain deliverable that is gone', async () => {
    await delivered('somebody@b.example', 'delivered')
    app.dns.set('b.example', 'NXDOMAIN')
    await app.advance(3_600_000)
    assert.equal(await verdict(app, 'somebody@b.example'), 'undeliverable/domain_not_found')
  })

  test('that was accepted by a former host of the domain says nothing', async () => {
    await delivered('somebody@a.example', 'delivered')
    app.host.script = onlyMailboxes()
    app.dns.set('a.example', { MX: ['10 other-host.example'] })
    app.dns.set('other-host.example', { A: ['127.0.0.1'] })
    await app.advance(3_600_000)
    assert.equal(await verdict(app, 'somebody@a.example'), 'undeliverable/mailbox_not_found')
  })

  test('counts by its newest, whatever their number', async () => {
    for (let i = 0; i < 25; i++) await delivered('somebody@a.example', 'delivered')
    app.host.script = onlyMailboxes()
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
  })
})

describe('mail of another account', () => {
  let app: TestApp
  let clock: TestClock
  let stranger: Tenant
  beforeEach(async () => {
    clock = new TestClock(Date.now())
    app = await TestApp.start({
      clock,
      host: { script: onlyMailboxes('somebody', 'neighbour') },
      zone: {
        'gmail.example': { MX: ['10 gmail-smtp-in.l.google.com'] },
        'gmail-smtp-in.l.google.com': { A: ['127.0.0.1'] },
      },
      env: { POSTRIDER_VERIFICATION_RATE: '10000/s' },
    })
    stranger = await createTenant(app.store, { clock })
    const grant = { accountId: stranger.account.id, credits: 50, note: null, now: clock.now() }
    await app.store.write(grantCredits, grant)
  })
  afterEach(() => app.stop())

  async function sent(email: string, status: string): Promise<string> {
    const id = await app.send({ to: [{ email }] })
    await app.messageIn(id, status)
    return id
  }

  /** Returns the response to another account, without the latency. */
  async function asStranger(email: string) {
    const path = `/v1/verifyEmailDetailed?email=${encodeURIComponent(email)}`
    const headers = { authorization: `Bearer ${stranger.verificationKey}` }
    const { latencyMs, ...told } = (await app.call('GET', path, undefined, headers)).body
    return told
  }

  /** Returns the number of RCPT commands of verifications (which use the null sender), without catch-all probes. */
  const probes = (): number =>
    app.host.connections
      .flatMap(({ commands }) => commands.filter((line) => /^(MAIL|RCPT)/.test(line)))
      .filter((line, index, all) => line.startsWith('RCPT') && all[index - 1] === 'MAIL FROM:<>')
      .filter((line) => !MADE_UP.test(line.slice('RCPT TO:<'.length))).length

  test('that was accepted replaces a probe, and is reported like one', async () => {
    await sent('somebody@gmail.example', 'delivered')
    const told = await asStranger('somebody@gmail.example')
    assert.equal(told.internalResult, 'mailbox_exists')
    assert.equal(probes(), 0)
    const probed = await asStranger('neighbour@gmail.example')
    assert.equal(probes(), 1)
    assert.deepEqual({ ...told, email: '', account: '' }, { ...probed, email: '', account: '' })
  })

  test('that was refused at RCPT replaces a probe for a week, and is reported like one', async () => {
    await sent('gone@a.example', 'bounced')
    const told = await asStranger('gone@a.example')
    assert.equal(told.internalResult, 'mailbox_not_found')
    assert.equal(probes(), 0)
    const probed = await asStranger('gone2@a.example')
    assert.deepEqual({ ...told, email: '', account: '' }, { ...probed, email: '', account: '' })
    await app.advance(7 * DAY + 1)
    app.host.script = onlyMailboxes('gone')
    assert.equal((await asStranger('gone@a.example')).internalResult, 'mailbox_exists')
  })

  test('that was accepted by a possible catch-all domain proves nothing until that is known', async () => {
    app.host.script = undefined
    await sent('somebody@a.example', 'delivered')
    assert.equal((await asStranger('somebody@a.example')).internalResult, 'catch_all')
    assert.equal(probes(), 1)
    await sent('other@a.example', 'delivered')
    const told = await asStranger('other@a.example')
    assert.deepEqual([told.internalResult, told.catchAll, probes()], ['catch_all', true, 1])
    // A delivery proves more to the sending account, because the message was accepted and did not bounce.
    assert.equal(await verdict(app, 'other@a.example'), 'deliverable/mailbox_exists')
  })

  test('replaces a probe where a domain is known to refuse other names', async () => {
    await asStranger('neighbour@a.example')
    await sent('somebody@a.example', 'delivered')
    const before = askedFor(app.host).length
    const told = await asStranger('somebody@a.example')
    assert.deepEqual([told.internalResult, told.catchAll, told.smtpCode], ['mailbox_exists', false, 250])
    assert.equal(askedFor(app.host).length, before)
  })

  test('that was refused after RCPT, deferred, or refused because of the sender says nothing', async () => {
    const refusals: [string, HostScript, string][] = [
      [
        'd1',
        ({ verb }) => (verb === 'DATA' || verb === 'BDAT' ? '550 5.1.1 No such user' : undefined),
        'bounced',
      ],
      ['d2', ({ verb }) => (verb === 'MAIL' ? '550 5.7.1 You are not liked' : undefined), 'bounced'],
      ['d3', ({ verb }) => (verb === 'RCPT' ? '550 5.7.1 Blocked using Spamhaus' : undefined), 'bounced'],
      ['d4', ({ verb }) => (verb === 'RCPT' ? '450 4.1.1 No such user' : undefined), 'deferred'],
    ]
    for (const [local, script, status] of refusals) {
      app.host.script = script
      const id = await app.send({ to: [{ email: `${local}@gmail.example` }] })
      await app.messageIn(id, status)
      app.host.script = onlyMailboxes(local)
      await app.advance(HOST_PAUSE_MS)
      assert.equal((await asStranger(`${local}@gmail.example`)).internalResult, 'mailbox_exists', local)
    }
    assert.equal(probes(), refusals.length)
  })

  test('that bounced later, was complained about, or is suppressed for another reason says nothing', async () => {
    const id = await sent('somebody@gmail.example', 'delivered')
    const report = { smtpCode: 550, diagnostic: 'No such user', mx: 'gmail-smtp-in.l.google.com' }
    await app.store.write(recordBounce, {
      messageId: id,
      position: 0,
      report: {
        type: 'bounced',
        category: 'mailbox_not_found',
        hard: true,
        reason: 'It came back.',
        ...report,
        finalRecipient: undefined,
      },
      now: clock.now(),
    })
    assert.equal((await asStranger('somebody@gmail.example')).internalResult, 'mailbox_exists')
    assert.equal(probes(), 1)
    assert.equal(await verdict(app, 'somebody@gmail.example'), 'undeliverable/mailbox_not_found')
    const other = await sent('neighbour@gmail.example', 'delivered')
    const complaint = { type: 'complained', feedbackType: 'abuse', userAgent: undefined } as const
    await app.store.write(recordBounce, {
      messageId: other,
      position: 0,
      report: complaint,
      now: clock.now(),
    })
    assert.equal((await asStranger('neighbour@gmail.example')).internalResult, 'mailbox_exists')
    assert.equal(await verdict(app, 'neighbour@gmail.example'), 'risky/suppressed')
  })

  test('that a relay accepted or refused says nothing, not even to its own account', async () => {
    app.host.script = onlyMailboxes('somebody')
    await app.stopNode()
    await app.startNode({ POSTRIDER_RELAY_URL: `smtp://127.0.0.1:${app.host.port}` })
    await sent('somebody@gmail.example', 'delivered')
    await sent('neighbour@gmail.example', 'bounced')
    app.host.script = onlyMailboxes('neighbour')
    assert.equal((await asStranger('neighbour@gmail.example')).internalResult, 'mailbox_exists')
    assert.equal(await verdict(app, 'somebody@gmail.example'), 'undeliverable/mailbox_not_found')
    assert.equal(probes(), 2)
  })
})
