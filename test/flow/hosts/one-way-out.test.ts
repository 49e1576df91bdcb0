// A mail host sees deliveries and verifications as one client: both share one limit of connections, and a refusal of
// either one pauses both.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp, type TestAppOptions } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { KEPT_BY_VERIFICATIONS_MS } from '../../support/limits.ts'
import type { HostScript } from '../../support/mail-host/script.ts'
import { stays, TestClock, until, untilPassed } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'
import { askedFor, callAsVerifier, onlyMailboxes, verdict, verify } from '../../support/verification.ts'

const FAST = {
  POSTRIDER_SENDING_RATE: '100000/s',
  POSTRIDER_VERIFICATION_RATE: '100000/s',
  POSTRIDER_VERIFY_TIMEOUT_MS: String(KEPT_BY_VERIFICATIONS_MS),
}
/** Names of domains whose mail hosts have different names, but the same address. */
const names = Array.from({ length: 40 }, (_, index) => `d${index}`)
const wildcard = Object.fromEntries(
  names.flatMap((name) => [
    [`${name}.example`, { MX: [`10 mx.${name}.example`] }],
    [`mx.${name}.example`, { A: ['127.0.0.1'] }],
  ]),
)

describe('mail and verifications', () => {
  let app: TestApp
  afterEach(() => app.stop())

  async function start(options: TestAppOptions): Promise<void> {
    app = await TestApp.start({ ...options, env: { ...FAST, ...options.env } })
  }

  /**
   * Returns a script that delays the reply to RCPT until `goOn` is called, and that records the maximum number of open
   * connections.
   */
  function held(): { script: HostScript; goOn: () => void; most: () => number } {
    const { promise, resolve: goOn } = Promise.withResolvers<void>()
    const existing = onlyMailboxes('you', 'somebody')
    let most = 0
    const script: HostScript = async (command) => {
      const open = app.host.connections.filter(
        ({ closed, commands }) => !closed && commands.at(-1) !== 'QUIT',
      )
      most = Math.max(most, open.length)
      if (command.verb === 'RCPT') await promise
      return existing(command)
    }
    return { script, goOn, most: () => most }
  }

  /** Delivers some messages, so that the limit of connections to the address of the mail host rises to its maximum. */
  async function takeSome(): Promise<void> {
    const ids = await Promise.all(
      names.slice(0, 20).map((name) => app.send({ to: [{ email: `you@${name}.example` }] })),
    )
    for (const id of ids) await app.messageIn(id, 'delivered')
    app.host.mails.length = 0
  }

  /** Returns the number of connections that probe a mailbox with this prefix. */
  const asking = (local = ''): number =>
    app.host.connections.filter(({ commands }) => commands.at(-1)?.startsWith(`RCPT TO:<${local}`)).length

  test(
    'share the connections to a host with any number of names',
    thorough('0.9 CPU s: thousands of messages beside probes'),
    async () => {
      await start({
        zone: wildcard,
        env: { POSTRIDER_DESTINATION_CONNECTIONS: '10', POSTRIDER_VERIFY_MX_CONNECTIONS: '6' },
      })
      await takeSome()
      const { script, goOn, most } = held()
      app.host.script = script
      const ids = await Promise.all(names.map((name) => app.send({ to: [{ email: `you@${name}.example` }] })))
      await until('mail uses its share of the connections', () => asking() === 9)
      const list = await callAsVerifier(
        app,
        'POST',
        '/v1/verifications',
        names.map((name) => `somebody@${name}.example`),
      )
      const verdicts = names.map((name) => verdict(app, `you@${name}.example`))
      await until('verifications use the remaining connection', () => asking() === 10)
      await stays('no further mailbox is probed', () => asking() === 10, 300)
      goOn()
      assert.deepEqual([...new Set(await Promise.all(verdicts))], ['deliverable/mailbox_exists'])
      for (const id of ids) await app.messageIn(id, 'delivered')
      const path = `/v1/verifications/${list.body.verification_id}`
      await until(
        'the list is done',
        async () => (await callAsVerifier(app, 'GET', path)).body.status === 'done',
      )
      assert.equal(most(), 10)
      assert.equal(app.host.mails.length, names.length)
    },
  )

  test(
    'of a waiting client do not wait after mail',
    thorough('2 CPU s: thousands of messages beside probes'),
    async () => {
      await start({ zone: wildcard })
      await takeSome()
      app.host.script = (command) => {
        const isMail = command.verb === 'RCPT' && command.address.startsWith('slow')
        return isMail ? { after: 'hang' } : onlyMailboxes('somebody')(command)
      }
      for (const name of names) await app.send({ to: [{ email: `slow@${name}.example` }] })
      await until('mail uses its share of the connections', () => asking('slow') === 18)
      const { body } = await verify(app, 'somebody@d0.example')
      assert.equal(body.internalResult, 'mailbox_exists', JSON.stringify(body))
      assert.ok(body.latencyMs < 2_000, String(body.latencyMs))
      assert.equal(asking('slow'), 18)
    },
  )

  test('use the connections that the other kind leaves unused', async () => {
    await start({ env: { POSTRIDER_DESTINATION_CONNECTIONS: '1' } })
    app.host.script = onlyMailboxes('you', 'somebody')
    for (let i = 0; i < 3; i++) {
      assert.equal((await firstAttempt(app, 'you@one.example')).status, 'delivered')
      assert.equal(await verdict(app, `somebody@x${i}.example`), 'deliverable/mailbox_exists')
    }
    assert.ok(app.host.connections.length >= 6)
  })
})

describe('an objection', () => {
  let app: TestApp
  let clock: TestClock
  afterEach(() => app.stop())

  async function start(script: HostScript): Promise<void> {
    clock = new TestClock()
    app = await TestApp.start({ clock, host: { script }, env: FAST })
  }

  const objections: readonly [string, HostScript][] = [
    [
      '421 at its greeting',
      ({ verb }) =>
        verb === 'CONNECT' ? { reply: '421 4.7.0 Too many connections', after: 'close' } : undefined,
    ],
    [
      '421 at RCPT',
      ({ verb }) => (verb === 'RCPT' ? { reply: '421 4.7.0 Try again later', after: 'close' } : undefined),
    ],
    [
      'a block at RCPT',
      ({ verb }) => (verb === 'RCPT' ? '554 5.7.1 Your host is blocked using Spamhaus' : undefined),
    ],
    [
      'a rate limit at RCPT',
      ({ verb }) => (verb === 'RCPT' ? '451 4.7.1 Too many messages from your host, slow down' : undefined),
    ],
  ]
  for (const [what, script] of objections) {
    test(`${what} to mail makes verifications wait, and no longer than its pause`, async () => {
      await start(script)
      await firstAttempt(app, 'you@one.example')
      app.host.script = onlyMailboxes('somebody')
      const before = app.host.connections.length
      const asked = askedFor(app.host).length
      const answer = verdict(app, 'somebody@two.example')
      const began = clock.now()
      await app.advance(200)
      const isLeftAlone = (): boolean =>
        app.host.connections.length === before && askedFor(app.host).length === asked
      await stays('no mailbox is probed', isLeftAlone, 100)
      await app.advance(100)
      await untilPassed({ by: app, stepMs: 1 }, 'the mailbox is probed', () => !isLeftAlone())
      assert.ok(clock.now() - began < 1_000, `after ${clock.now() - began} ms`)
      assert.equal(await answer, 'deliverable/mailbox_exists')
    })

    test(`${what} to a verification makes mail wait, and no longer than its pause`, async () => {
      await start(script)
      const { body } = await verify(app, 'somebody@two.example')
      assert.equal(body.result, 'unknown', JSON.stringify(body))
      app.host.script = undefined
      const before = app.host.connections.length
      const id = await app.send({ to: [{ email: 'you@one.example' }] })
      await stays('no attempt is made', () => app.host.connections.length === before, 300)
      await app.advance(1_000)
      const { events } = await app.messageIn(id, 'delivered')
      // The message has waited without an attempt.
      assert.deepEqual(
        events.map(({ type }: { type: string }) => type),
        ['accepted', 'sending', 'delivered'],
      )
    })
  }

  test('to a mailbox or to a message makes nobody wait', async () => {
    await start(({ verb, address }) =>
      verb === 'RCPT' && address.startsWith('no') ? '550 5.1.1 No such user' : undefined,
    )
    assert.equal((await firstAttempt(app, 'nobody@one.example')).status, 'bounced')
    assert.equal(await verdict(app, 'nobody@two.example'), 'undeliverable/mailbox_not_found')
    assert.equal((await firstAttempt(app, 'you@one.example')).status, 'delivered')
  })

  test('does not follow from a host that a verification could not reach, so mail does not wait', async () => {
    await start(({ verb }) => (verb === 'CONNECT' ? { after: 'reset' } : undefined))
    const { body } = await verify(app, 'somebody@two.example')
    assert.equal(body.result, 'unknown')
    app.host.script = undefined
    assert.equal((await firstAttempt(app, 'you@one.example')).status, 'delivered')
  })
})

describe('hosts of the installation itself', () => {
  let app: TestApp
  afterEach(() => app.stop())

  test('are not contacted by verifications, by name, address or greeting', async () => {
    app = await TestApp.start({
      host: { address: '0.0.0.0' },
      zone: {
        'sender.test': { A: ['127.0.0.1'] },
        'us.example': { MX: ['10 sender.test'] },
        'bounces.example': { MX: ['10 RP.sender.test'] },
        'beside.example': { MX: ['10 sender.test', '10 mx.test', '20 behind.test'] },
        'before.example': { MX: ['10 mx.test', '20 sender.test', '30 behind.test'] },
        'behind.test': { A: ['127.0.0.1'] },
      },
    })
    for (const domain of ['us.example', 'bounces.example', 'beside.example']) {
      const { body } = await verify(app, `somebody@${domain}`)
      assert.deepEqual([body.result, body.internalResult], ['unknown', 'connect_failed'], domain)
      assert.equal('mxServerIp' in body, false)
    }
    assert.equal(app.host.connections.length, 0)
    app.host.script = onlyMailboxes('somebody')
    assert.equal(await verdict(app, 'somebody@before.example'), 'deliverable/mailbox_exists')
    app.host.script = ({ verb }) => (verb === 'CONNECT' ? '220 Sender.test ESMTP' : undefined)
    await app.stopNode()
    await app.startNode()
    assert.equal(await verdict(app, 'somebody@greets.example'), 'unknown/connect_failed')
    assert.ok(app.host.connections.every(({ commands }) => !commands.some((line) => line.includes('greets'))))
  })
})
