// A verification returns its findings at the deadline, even if a mail host or the DNS stalls.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import type { DnsZone } from '../../support/dns-host.ts'
import { MISSED_AFTER_WORK_MS } from '../../support/limits.ts'
import type { HostScript } from '../../support/mail-host/script.ts'
import { sleep, TestClock, until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'
import { callAsVerifier, MADE_UP, onlyMailboxes, verify } from '../../support/verification.ts'

/** Shorter than every time limit of a step, the shortest of which is five seconds, also on a slow machine. */
const TIMEOUT_MS = Math.min(MISSED_AFTER_WORK_MS, 4_000)

/** Zone with a domain and an address for each test, because a mail host that has stalled is paused for some time. */
const zone: DnsZone = Object.fromEntries(
  Array.from({ length: 16 }, (_, index) => [
    [`d${index}.example`, { MX: [`10 mx${index}.example`] }],
    [`mx${index}.example`, { A: [`127.0.1.${index + 1}`] }],
  ]).flat(),
)

describe('the deadline', () => {
  let app: TestApp
  let next = 0
  /** Scripts of the mail hosts by address, because the tests run concurrently. */
  const scripts = new Map<string, HostScript>()
  const addressOf = (email: string): string => `127.0.1.${Number(/@d(\d+)/.exec(email)?.[1]) + 1}`
  before(async () => {
    app = await TestApp.start({
      host: {
        ...{ address: '0.0.0.0', tls: true },
        script: (command) => scripts.get(command.connection.localAddress)?.(command),
      },
      zone: { ...zone, 'silent.example': 'TIMEOUT' },
      env: { POSTRIDER_VERIFY_TIMEOUT_MS: String(TIMEOUT_MS), POSTRIDER_VERIFICATION_RATE: '1000/s' },
    })
  })
  after(() => app.stop())

  async function answer(script: HostScript, email = `somebody@d${next++}.example`) {
    scripts.set(addressOf(email), script)
    const { status, body } = await verify(app, email)
    assert.equal(status, 200)
    // The shortest wait would be five seconds without the deadline.
    assert.ok(body.latencyMs <= TIMEOUT_MS + 2_000, String(body.latencyMs))
    return body
  }

  const usual: HostScript = () => undefined
  const stallsAt =
    (verb: string): HostScript =>
    (command) =>
      command.verb === verb ? { after: 'hang' } : undefined

  // These requests only wait for the deadline, so they do not slow down concurrent tests.
  describe('of a request that finds nothing', { concurrency: true }, () => {
    for (const verb of ['CONNECT', 'EHLO', 'STARTTLS', 'MAIL', 'RCPT']) {
      test(`holds when a host stalls at ${verb}`, async () => {
        const body = await answer(stallsAt(verb))
        assert.deepEqual([body.result, body.internalResult], ['unknown', 'timeout'])
        assert.match(body.mxServer, /^mx\d+\.example$/)
        assert.match(body.mxServerIp, /^127\.0\.1\./)
        assert.equal(body.account, 'somebody')
        assert.equal('smtpCode' in body, false)
      })
    }

    test('holds when a host sends one byte after the other', async () => {
      const body = await answer(({ verb }) =>
        verb === 'CONNECT' ? { reply: '220 mx.test', byteDelayMs: 500 } : undefined,
      )
      assert.equal(body.internalResult, 'timeout')
    })

    test('holds when the DNS never answers', async () => {
      const body = await answer(usual, 'somebody@silent.example')
      assert.equal(body.result, 'unknown')
      // The resolver waits for a shorter time if its other queries got a quick response.
      assert.match(body.internalResult, /^(?:timeout|dns_error)$/)
      assert.equal('mxServer' in body, false)
    })
  })

  test('reports an accepted mailbox as risky when the catch-all probe stalls', async () => {
    const body = await answer(({ verb, address }) =>
      verb === 'RCPT' && MADE_UP.test(address) ? { after: 'hang' } : undefined,
    )
    assert.deepEqual([body.result, body.internalResult, body.smtpCode], ['risky', 'catch_all_unknown', 250])
    assert.equal('catchAll' in body, false)
  })

  test('caches nothing for a day that there was no time to find out', async () => {
    const email = `somebody@d${next++}.example`
    const first = await answer(
      ({ verb, address }) => (verb === 'RCPT' && MADE_UP.test(address) ? { after: 'hang' } : undefined),
      email,
    )
    assert.equal(first.internalResult, 'catch_all_unknown')
    // The domain accepts any mailbox, so the second request finds a catch-all domain.
    const second = await answer(usual, email)
    assert.deepEqual([second.internalResult, second.catchAll], ['catch_all', true])
  })

  test(
    'holds for the request alone: a list that waits for the same check gets all the time',
    thorough('0.8 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const email = `somebody@d${next++}.example`
      const existing = onlyMailboxes('somebody')
      const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
      const request = answer(async (command) => {
        if (command.verb === 'RCPT') {
          isAsked()
          await sleep(2 * TIMEOUT_MS, 'the host answers later than the request may take')
        }
        return existing(command)
      }, email)
      await asked
      const { body: list } = await callAsVerifier(app, 'POST', '/v1/verifications', [email])
      assert.equal((await request).internalResult, 'timeout')
      const results = `/v1/verifications/${list.verification_id}/results`
      let found: { internalResult?: string } | undefined
      await until('the list is done', async () => {
        ;[found] = (await callAsVerifier(app, 'GET', results)).body.data
        return found !== undefined
      })
      assert.equal(found?.internalResult, 'mailbox_exists')
    },
  )

  test('leaves a greylisted address greylisted', async () => {
    const body = await answer(({ verb }) => (verb === 'RCPT' ? '451 4.7.1 Greylisted, try later' : undefined))
    assert.equal(body.internalResult, 'greylisted')
  })

  test('holds in a queue too', async () => {
    const domain = `d${next++}.example`
    await until('the connections of earlier tests are closed', () => app.host.openConnections === 0)
    let most = 0
    const stalls: HostScript = ({ verb }) => {
      most = Math.max(most, app.host.openConnections)
      return verb === 'RCPT' ? { after: 'hang' } : undefined
    }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => answer(stalls, `somebody${index}@${domain}`)),
    )
    assert.deepEqual([...new Set(answers.map((body) => body.internalResult))], ['timeout'])
    assert.ok(most === 1 || most === 2, `${most} connections at once`)
  })
})

test('the latency is that of the answer, although the clock is set back meanwhile', async (t) => {
  const clock = new TestClock(Date.now())
  const app = await TestApp.start({
    clock,
    host: { script: ({ verb }) => void (verb === 'RCPT' && clock.jump(-3_600_000)) },
  })
  t.after(() => app.stop())
  assert.equal((await verify(app, 'somebody@a.example')).body.latencyMs, 0)
})
