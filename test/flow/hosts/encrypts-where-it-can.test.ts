// Opportunistic TLS: used where it is offered whatever the certificate, given up where it does not come about.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { certificateFor } from '../../support/authority.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { answerTo } from '../../support/mail-host-script.ts'
import { type ManyHosts, startHosts } from '../../support/many-hosts.ts'

let many: ManyHosts
before(async () => {
  many = await startHosts([
    { tls: true },
    {},
    { tls: true, certificate: await certificateFor(['other.test'], { expired: true }) },
    { tls: true, script: answerTo('STARTTLS', '454 4.7.0 TLS not available') },
    {
      tls: true,
      script: ({ verb, connection }) =>
        verb === 'STARTTLS' && connection.id === 1 ? { reply: '220 Go', after: 'garbage' } : undefined,
    },
    {
      tls: true,
      script: ({ verb, connection }) =>
        verb === 'STARTTLS' && connection.id === 1 ? { reply: '220 Go', after: 'reset' } : undefined,
    },
  ])
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

test('is used with a certificate of another name, expired and of nobody', async () => {
  const { status, tls, transcript } = await firstAttempt(many.app, 'u@d2.example')
  assert.deepEqual([status, tls], ['delivered', 'TLSv1.3'])
  assert.match(transcript, /not verified/)
})

test('that is refused for the moment gives way to plaintext on the same connection', async () => {
  const { status, tls } = await firstAttempt(many.app, 'u@d3.example')
  assert.deepEqual([status, tls], ['delivered', null])
  assert.equal(many.hosts[3]?.connections.length, 1)
})

for (const [n, what] of [
  [4, 'answered by garbage'],
  [5, 'cut off in its handshake'],
] as const) {
  test(`that is ${what} gives way to plaintext on a new connection`, async () => {
    const { status, tls, transcript } = await firstAttempt(many.app, `u@d${n}.example`)
    assert.deepEqual([status, tls], ['delivered', null])
    assert.equal(many.hosts[n]?.connections.length, 2)
    assert.match(transcript, /STARTTLS[\s\S]*connecting to/)
  })
}
