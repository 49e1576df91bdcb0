// A mail host with IPv4 and IPv6 addresses is reached at the address that responds, without a wait for the other
// address.

import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { after, afterEach, before, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { type BlackHole, blackHole } from '../../support/mail-host/black-hole.ts'
import { MailHost } from '../../support/mail-host/mail-host.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some((it) => it.address === '::1'))
const ipv6 = { skip: hasIpv6 ? false : 'this machine has no IPv6' }

let app: TestApp
const ends: (() => Promise<void>)[] = []
before(async () => {
  app = await TestApp.start({
    zone: {
      'both.example': { MX: ['10 mx.both.example'] },
      'mx.both.example': { A: ['127.0.0.1'], AAAA: ['::1'] },
      'two.example': { MX: ['10 mx.two.example'] },
      'mx.two.example': { A: ['127.0.0.2', '127.0.0.1'] },
    },
    env: { POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128' },
  })
})
after(() => app.stop())
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  // Closes all connections, so that no test reuses a connection of an earlier test.
  await app.host.interrupt({ after: 'close' })
})

async function swallow(address: string): Promise<BlackHole> {
  const hole = await blackHole(address, app.host.port)
  ends.push(() => hole.stop())
  return hole
}

test('IPv6 is used where it answers', ipv6, async () => {
  const host = await MailHost.start({ address: '::1', port: app.host.port })
  ends.push(() => host.stop())
  const { status, address } = await firstAttempt(app, 'u@both.example')
  assert.deepEqual([status, address], ['delivered', '::1'])
})

test('an IPv6 address that drops everything costs a moment', ipv6, async () => {
  await swallow('::1')
  const before = performance.now()
  const { status, address } = await firstAttempt(app, 'u@both.example')
  assert.deepEqual([status, address], ['delivered', '127.0.0.1'])
  assert.ok(performance.now() - before < 10_000)
})

test('an IPv6 address that refuses costs nothing', ipv6, async () => {
  const { status, transcript } = await firstAttempt(app, 'u@both.example')
  assert.equal(status, 'delivered')
  assert.match(transcript, /ECONNREFUSED ::1/)
})

test('one of several addresses that drops everything is passed over', async () => {
  await swallow('127.0.0.2')
  const { status, address } = await firstAttempt(app, 'u@two.example')
  assert.deepEqual([status, address], ['delivered', '127.0.0.1'])
})

test('an address that accepts connections and hangs up gives way to the next one', async () => {
  const rude = await MailHost.start({ address: '127.0.0.2', port: app.host.port })
  rude.script = ({ verb }) => (verb === 'EHLO' ? { after: 'reset' } : undefined)
  ends.push(() => rude.stop())
  for (let i = 0; i < 4; i++) {
    const { status, address } = await firstAttempt(app, `u${i}@two.example`)
    assert.deepEqual([status, address], ['delivered', '127.0.0.1'])
  }
})
