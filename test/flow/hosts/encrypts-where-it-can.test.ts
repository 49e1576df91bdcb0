// Opportunistic TLS: the client uses TLS with any certificate if the mail host offers it, and continues without TLS if
// TLS fails.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { certificateFor } from '../../support/authority.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { type ManyHosts, startHosts } from '../../support/mail-host/many-hosts.ts'
import {
  answerTo,
  type HostAnswer,
  type HostScript,
  type MailHostOptions,
} from '../../support/mail-host/script.ts'
import { TestClock } from '../../support/test-clock.ts'

/** Ways in which TLS fails although the mail host offers it. */
const BROKEN: readonly [string, HostAnswer][] = [
  ['answered by garbage', { reply: '220 Go', after: 'garbage' }],
  ['cut off by a reset in its handshake', { reply: '220 Go', after: 'reset' }],
  ['cut off by a close in its handshake', { reply: '220 Go', after: 'close' }],
  ['left hanging in its handshake', { reply: '220 Go', after: 'hang' }],
  ['left hanging at STARTTLS', { after: 'hang' }],
  ['cut off by a close at STARTTLS', { after: 'close' }],
  ['cut off by a reset at STARTTLS', { after: 'reset' }],
]
const HOUR = 3_600_000

let many: ManyHosts
const clock = new TestClock()
before(async () => {
  many = await startHosts(
    [
      { tls: true },
      {},
      { tls: true, certificate: await certificateFor(['other.test'], { expired: true }) },
      { tls: true, script: answerTo('STARTTLS', '454 4.7.0 TLS not available') },
      ...BROKEN.map(
        ([, answer]): MailHostOptions => ({
          tls: true,
          script: ({ verb }) => (verb === 'STARTTLS' ? answer : undefined),
        }),
      ),
      { tls: true },
    ],
    { clock, env: { POSTRIDER_REPLY_TIMEOUT: '4s' } },
  )
})
after(() => many.stop())

test('is used where it is offered', async () => {
  const { status, tls } = await firstAttempt(many.app, 'u@d0.example')
  assert.deepEqual([status, tls], ['delivered', 'TLSv1.3'])
})

test('is not needed', async () => {
  const { status, tls } = await firstAttempt(many.app, 'u@d1.example')
  assert.deepEqual([status, tls], ['delivered', null])
})

test('is used with a certificate of another name, an expired or a self-signed one', async () => {
  const { status, tls, transcript } = await firstAttempt(many.app, 'u@d2.example')
  assert.deepEqual([status, tls], ['delivered', 'TLSv1.3'])
  assert.match(transcript, /not verified/)
})

test('that is refused temporarily falls back to plaintext on the same connection', async () => {
  const { status, tls } = await firstAttempt(many.app, 'u@d3.example')
  assert.deepEqual([status, tls], ['delivered', null])
  assert.equal(many.hosts[3]?.connections.length, 1)
})

for (const [index, [what]] of BROKEN.entries()) {
  const n = 4 + index
  test(`that is ${what} falls back to plaintext on a new connection, and is not tried again for an hour`, async () => {
    const host = many.hosts[n]!
    const tried = (): number =>
      host.connections.flatMap(({ commands }) => commands).filter((line) => line === 'STARTTLS').length
    const { status, tls, transcript } = await firstAttempt(many.app, `u@d${n}.example`)
    assert.deepEqual([status, tls], ['delivered', null])
    assert.equal(host.connections.length, 2)
    assert.match(transcript, /STARTTLS[\s\S]*connecting to/)
    await host.interrupt({ after: 'close' })
    clock.advance(HOUR - 60_000)
    const again = await firstAttempt(many.app, `v@d${n}.example`)
    assert.deepEqual([again.status, again.tls, tried()], ['delivered', null, 1])
    assert.match(again.transcript, /TLS with .* failed before/)
    await host.interrupt({ after: 'close' })
    clock.advance(120_000)
    host.script = undefined
    assert.equal((await firstAttempt(many.app, `w@d${n}.example`)).tls, 'TLSv1.3')
    assert.equal(tried(), 2)
  })
}

test('that a host demands and that fails once defers the mail, and is tried again the next time', async () => {
  const n = 4 + BROKEN.length
  const host = many.hosts[n]!
  const demands: HostScript = ({ verb, connection }) =>
    verb === 'MAIL' && !connection.tls ? '530 5.7.0 Must issue a STARTTLS command first' : undefined
  host.script = (command) =>
    command.verb === 'STARTTLS' ? { reply: '220 Go', after: 'close' } : demands(command)
  const first = await firstAttempt(many.app, `u@d${n}.example`)
  assert.deepEqual([first.status, first.category], ['deferred', 'tls'])
  host.script = demands
  assert.equal((await firstAttempt(many.app, `v@d${n}.example`)).tls, 'TLSv1.3')
  // The mail host begins to require TLS while the client sends without TLS for an hour because of a failure.
  host.script = ({ verb }) => (verb === 'STARTTLS' ? { reply: '220 Go', after: 'close' } : undefined)
  await host.interrupt({ after: 'close' })
  assert.equal((await firstAttempt(many.app, `w@d${n}.example`)).tls, null)
  host.script = demands
  assert.equal((await firstAttempt(many.app, `x@d${n}.example`)).tls, 'TLSv1.3')
})

test('that a host demands and refuses temporarily defers the mail', async () => {
  const host = many.hosts[3]!
  await host.interrupt({ after: 'close' })
  host.script = ({ verb }) => {
    if (verb === 'STARTTLS') return '454 4.7.0 TLS not available'
    return verb === 'MAIL' ? '530 5.7.0 Must issue a STARTTLS command first' : undefined
  }
  const { status, reason } = await firstAttempt(many.app, 'v@d3.example')
  assert.equal(status, 'deferred')
  assert.match(reason, /demands TLS, which failed before \(530/)
})

test('that has failed is still tried for a message that requires it', async () => {
  const host = many.hosts[7]!
  await host.interrupt({ after: 'close' })
  host.script = ({ verb }) => (verb === 'STARTTLS' ? { reply: '220 Go', after: 'hang' } : undefined)
  assert.equal((await firstAttempt(many.app, 'x@d7.example')).tls, null)
  const { status } = await firstAttempt(many.app, 'y@d7.example', { require_tls: true })
  assert.equal(status, 'deferred')
  assert.ok(host.mails.every(({ recipients }) => !recipients.includes('y@d7.example')))
})
