// The playground returns every result of a verification without the internet; the local part selects the result.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { RESULTS } from '../../../src/verification/verdict.ts'
import { TestApp } from '../../support/app.ts'
import { MISSED_AFTER_WORK_MS } from '../../support/limits.ts'
import { TestClock, untilPassed } from '../../support/test-clock.ts'
import { verdict, verify } from '../../support/verification.ts'

const PLAYGROUND = { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' }

describe('verification in the playground', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      env: { ...PLAYGROUND, POSTRIDER_VERIFY_TIMEOUT_MS: String(MISSED_AFTER_WORK_MS) },
    })
  })
  after(() => app.stop())

  // The result `invalid_syntax` needs an invalid address, so no local part selects it.
  const steered = Object.keys(RESULTS).filter((one) => one !== 'invalid_syntax')

  for (const name of steered) {
    test(`${name}@example.test`, async () => {
      const internalResult = name as keyof typeof RESULTS
      assert.equal(await verdict(app, `${name}@example.test`), `${RESULTS[internalResult]}/${name}`)
    })
  }

  test('a hyphen, capitals and a tag make no difference', async () => {
    assert.equal(await verdict(app, 'Null-MX+x@shop.example'), 'undeliverable/null_mx')
    assert.equal(await verdict(app, 'mailbox-full+x@shop.example'), 'risky/mailbox_full')
  })

  test('the words that steer mail steer verification', async () => {
    assert.equal(await verdict(app, 'bounce@example.test'), 'undeliverable/mailbox_not_found')
    assert.equal(await verdict(app, 'full@example.test'), 'risky/mailbox_full')
    assert.equal(await verdict(app, 'defer@example.test'), 'unknown/smtp_error')
  })

  test('every other address has a mailbox, unless its domain is disposable or does not exist', async () => {
    assert.equal(await verdict(app, 'catch-all@example.test'), 'risky/catch_all')
    const { body } = await verify(app, 'you@example.test')
    assert.deepEqual(
      [body.internalResult, body.catchAll, body.mxServer],
      ['mailbox_exists', false, 'mail.playground.test'],
    )
    assert.equal(await verdict(app, 'somebody@mailinator.com'), 'risky/disposable')
    assert.equal(await verdict(app, 'x@nowhere.invalid'), 'undeliverable/domain_not_found')
  })

  test('the mailbox contains nothing of it', async () => {
    assert.deepEqual(await app.mailbox(), [])
  })

  test('the words keep their meaning, whatever was sent to them', async () => {
    for (const [local, status, expected] of [
      ['catch_all', 'delivered', 'risky/catch_all'],
      ['mailbox_full', 'bounced', 'risky/mailbox_full'],
      ['bounce', 'bounced', 'undeliverable/mailbox_not_found'],
    ] as const) {
      const email = `${local}+sent@example.test`
      await app.messageIn(await app.send({ to: [{ email }] }), status)
      assert.equal(await verdict(app, email), expected)
    }
  })
})

test('the playground lets a greylisted verification pass when it is repeated', async () => {
  const clock = new TestClock(Date.now())
  const app = await TestApp.start({ clock, env: PLAYGROUND })
  try {
    const first = verify(app, 'greylist@example.test')
    let isAnswered = false
    void first.then(() => {
      isAnswered = true
    })
    await untilPassed({ by: app, stepMs: 100 }, 'the second try was made', () => isAnswered)
    assert.equal((await first).body.internalResult, 'greylisted')
    await app.advance(11_000)
    assert.equal(await verdict(app, 'greylist@example.test'), 'deliverable/mailbox_exists')
  } finally {
    await app.stop()
  }
})
