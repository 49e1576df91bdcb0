// Verifications share work: concurrent requests share a probe, later requests use cached findings, and each domain has
// one catch-all probe address.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import type { HostScript } from '../../support/mail-host/script.ts'
import { sleep, TestClock } from '../../support/test-clock.ts'
import {
  askedFor,
  callAsVerifier,
  MADE_UP,
  onlyMailboxes,
  verdict,
  verify,
} from '../../support/verification.ts'

const HOUR = 3_600_000
const FAST = { POSTRIDER_VERIFICATION_RATE: '100000/s' }

describe('requests at the same time', () => {
  let app: TestApp
  before(async () => {
    const existing = onlyMailboxes('somebody')
    const slow: HostScript = async (command) => {
      if (command.verb === 'RCPT') await sleep(100, 'the host answers slowly')
      return existing(command)
    }
    app = await TestApp.start({ host: { script: slow }, env: FAST })
  })
  after(() => app.stop())

  test('for one address share one probe, and pay a credit each', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        verify(app, index % 2 ? 'somebody@A.example' : 'somebody@a.example'),
      ),
    )
    assert.ok(answers.every(({ body }) => body.internalResult === 'mailbox_exists'))
    assert.deepEqual(
      askedFor(app.host).filter((address) => !MADE_UP.test(address)),
      ['somebody@a.example'],
    )
    const left = answers.map(({ headers }) => Number(headers.get('x-verification-credits-remaining')))
    assert.deepEqual(
      left.toSorted((a, b) => a - b),
      Array.from({ length: 40 }, (_, index) => 9_960 + index),
    )
  })

  test('for addresses of one domain share one catch-all probe', async () => {
    app.host.script = undefined
    const emails = Array.from({ length: 10 }, (_, index) => `x${index}@catch-all.example`)
    const verdicts = await Promise.all(emails.map((email) => verdict(app, email)))
    assert.ok(verdicts.every((one) => one === 'risky/catch_all'))
    const madeUp = askedFor(app.host).filter(
      (address) => MADE_UP.test(address) && address.endsWith('@catch-all.example'),
    )
    assert.equal(madeUp.length, 1)
  })
})

describe('findings', () => {
  let app: TestApp
  let clock: TestClock
  beforeEach(async () => {
    clock = new TestClock()
    app = await TestApp.start({ clock, host: { script: onlyMailboxes('somebody') }, env: FAST })
  })
  afterEach(() => app.stop())

  const asked = (email: string): number => askedFor(app.host).filter((one) => one === email).length

  test('of an existing mailbox are valid for a day, of a missing one for an hour', async () => {
    const good = 'somebody@a.example'
    const bad = 'nobody@a.example'
    const both = async (): Promise<[number, number]> => {
      assert.equal(await verdict(app, good), 'deliverable/mailbox_exists')
      assert.equal(await verdict(app, bad), 'undeliverable/mailbox_not_found')
      return [asked(good), asked(bad)]
    }
    assert.deepEqual(await both(), [1, 1])
    await app.advance(HOUR - 1)
    assert.deepEqual(await both(), [1, 1])
    await app.advance(2)
    assert.deepEqual(await both(), [1, 2])
    await app.advance(23 * HOUR)
    assert.deepEqual(await both(), [2, 3])
  })

  test('in the simple form serve the detailed one', async () => {
    const path = `/v1/verifyEmail?email=${encodeURIComponent('somebody@a.example')}`
    const { body } = await callAsVerifier(app, 'GET', path)
    assert.deepEqual(body, { email: 'somebody@a.example', result: 'deliverable' })
    assert.equal((await verify(app, 'somebody@a.example')).body.mxServer, 'mx.test')
    assert.equal(asked('somebody@a.example'), 1)
  })

  test('that are inconclusive are never cached', async () => {
    app.host.script = ({ verb }) => (verb === 'RCPT' ? '550 5.7.1 Blocked using Spamhaus' : undefined)
    assert.equal(await verdict(app, 'somebody@a.example'), 'unknown/blocked')
    app.host.script = onlyMailboxes('somebody')
    await app.advance(1_000)
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
  })

  test('of the DNS are valid for its TTL', async () => {
    app.dns.set('short.example', { MX: ['10 short-host.example'] })
    app.dns.set('short-host.example', { A: ['127.0.0.1'], ttl: 60 })
    const lookUps = (): [number, number] => [
      app.dns.count('short.example', 'MX'),
      app.dns.count('short-host.example', 'A'),
    ]
    await verdict(app, 'somebody@short.example')
    await verdict(app, 'other@short.example')
    assert.deepEqual(lookUps(), [1, 1])
    await app.advance(61_000)
    await verdict(app, 'third@short.example')
    assert.deepEqual(lookUps(), [1, 2])
    await app.advance(300_000)
    await verdict(app, 'fourth@short.example')
    assert.deepEqual(lookUps(), [2, 3])
  })

  test('of catch-all are valid for half a day', async () => {
    const madeUp = (): number => askedFor(app.host).filter((address) => MADE_UP.test(address)).length
    app.host.script = onlyMailboxes('a', 'b', 'c')
    await verdict(app, 'a@one.example')
    await verdict(app, 'b@one.example')
    assert.equal(madeUp(), 1)
    await app.advance(12 * HOUR + 1)
    await verdict(app, 'c@one.example')
    assert.equal(madeUp(), 2)
  })
})
