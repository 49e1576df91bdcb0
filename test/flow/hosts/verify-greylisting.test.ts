// A mail host that defers unknown clients: the service tries once more after a short time, and then waits for longer.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { MailHost } from '../../support/mail-host/mail-host.ts'
import { greylist, type HostScript } from '../../support/mail-host/script.ts'
import { TestClock, untilPassed } from '../../support/test-clock.ts'
import { askedFor, MADE_UP, onlyMailboxes, verdict, verify } from '../../support/verification.ts'

const GREYLISTED = '451 4.7.1 Greylisted, please try again later'
const always: HostScript = ({ verb }) => (verb === 'RCPT' ? GREYLISTED : undefined)

describe('a greylist', () => {
  let app: TestApp
  let other: MailHost | undefined
  afterEach(async () => {
    await app.stop()
    await other?.stop()
    other = undefined
  })

  test('that opens after a moment is passed in the same answer', async () => {
    const existing = onlyMailboxes('somebody')
    const greylisting = greylist()
    app = await TestApp.start({ host: { script: (command) => existing(command) ?? greylisting(command) } })
    assert.equal(await verdict(app, 'somebody@a.example'), 'deliverable/mailbox_exists')
    const triplets = app.host.connections
      .flatMap(({ commands }) => commands)
      .filter((line) => /^(MAIL|RCPT)/.test(line))
    assert.deepEqual(triplets.slice(0, 4), [
      'MAIL FROM:<>',
      'RCPT TO:<somebody@a.example>',
      'MAIL FROM:<>',
      'RCPT TO:<somebody@a.example>',
    ])
  })

  test('that needs more time is reported as such, and tried again by a later request at the same host', async () => {
    app = await TestApp.start({
      host: { script: always },
      zone: {
        'two.example': { MX: ['10 one.two.example', '10 two.two.example'] },
        'one.two.example': { A: ['127.0.0.1'] },
        'two.two.example': { A: ['127.0.0.2'] },
      },
    })
    other = await MailHost.start({ address: '127.0.0.2', port: app.host.port, script: always })
    const { body } = await verify(app, 'somebody@two.example')
    assert.deepEqual([body.result, body.internalResult, body.smtpCode], ['unknown', 'greylisted', 451])
    assert.equal(askedFor(app.host).length + askedFor(other).length, 2)
    // The delay of the mail host that was probed last counts.
    const passed = onlyMailboxes('somebody')
    for (const host of [app.host, other]) host.script = passed
    const before = [askedFor(app.host).length, askedFor(other).length]
    const again = await verify(app, 'somebody@two.example')
    assert.equal(again.body.internalResult, 'mailbox_exists')
    assert.equal(again.body.mxServerIp, body.mxServerIp)
    const asked = [askedFor(app.host).length - (before[0] ?? 0), askedFor(other).length - (before[1] ?? 0)]
    // One mail host gets a probe of the mailbox and a catch-all probe.
    assert.deepEqual(asked.toSorted(), [0, 2])
  })

  test('at one host is passed by another one at once', async () => {
    // The clock does not move, so a pause before a second try at the same mail host would never end.
    app = await TestApp.start({
      clock: new TestClock(),
      host: { script: always },
      zone: {
        'two.example': { MX: ['10 first.two.example', '20 second.two.example'] },
        'first.two.example': { A: ['127.0.0.1'] },
        'second.two.example': { A: ['127.0.0.2'] },
      },
    })
    other = await MailHost.start({
      address: '127.0.0.2',
      port: app.host.port,
      script: onlyMailboxes('somebody'),
    })
    const { body } = await verify(app, 'somebody@two.example')
    assert.deepEqual([body.internalResult, body.mxServer], ['mailbox_exists', 'second.two.example'])
  })

  test('whose other host cannot be reached gets its second try after a moment', async () => {
    const existing = onlyMailboxes('somebody')
    const greylisting = greylist()
    app = await TestApp.start({
      host: { script: (command) => existing(command) ?? greylisting(command) },
      zone: {
        'two.example': { MX: ['10 first.two.example', '20 dead.two.example'] },
        'first.two.example': { A: ['127.0.0.1'] },
        'dead.two.example': { A: ['127.0.0.9'] },
      },
    })
    assert.equal(await verdict(app, 'somebody@two.example'), 'deliverable/mailbox_exists')
  })

  test('of the catch-all probe leaves open whether the domain is a catch-all', async () => {
    const script: HostScript = ({ verb, address }) =>
      verb === 'RCPT' && !address.startsWith('somebody@') ? GREYLISTED : undefined
    app = await TestApp.start({ host: { script } })
    const { body } = await verify(app, 'somebody@a.example')
    assert.equal(`${body.result}/${body.internalResult}`, 'risky/catch_all_unknown')
    assert.equal('catchAll' in body, false)
    const madeUp = askedFor(app.host).filter((address) => MADE_UP.test(address))
    assert.deepEqual([madeUp.length, new Set(madeUp).size], [2, 1])
  })

  test('that soon lets both mailboxes pass is passed, so that a domain that accepts any address is recognized', async () => {
    app = await TestApp.start({ host: { script: greylist() } })
    assert.equal(await verdict(app, 'somebody@a.example'), 'risky/catch_all')
  })

  test('of a catch-all probe is passed by the same probe later, so that a catch-all domain is recognised', async () => {
    const clock = new TestClock(Date.now())
    const greylisting = greylist(2)
    app = await TestApp.start({
      clock,
      host: {
        script: (command) =>
          /^(somebody|another)@/.test(command.address) ? undefined : greylisting(command),
      },
    })
    const first = verdict(app, 'somebody@a.example')
    let isAnswered = false
    void first.then(() => {
      isAnswered = true
    })
    await untilPassed({ by: app, stepMs: 100 }, 'the second try was made', () => isAnswered)
    assert.equal(await first, 'risky/catch_all_unknown')
    await app.advance(5 * 60_000)
    assert.equal(await verdict(app, 'another@a.example'), 'risky/catch_all')
    // The first response is not cached, because the domain was not known to be catch-all at that time.
    assert.equal(await verdict(app, 'somebody@a.example'), 'risky/catch_all')
    assert.equal(new Set(askedFor(app.host)).size, 3)
  })
})
