import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { connect } from '../../test/support/dialog-threads.ts'
import { MailHost } from '../../test/support/mail-host/mail-host.ts'
import type { HostScript } from '../../test/support/mail-host/script.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { ConnectionPool, DEFAULT_LIMITS, type PoolLimits } from '../egress/pool.ts'
import type { Route } from '../egress/route.ts'
import { OPPORTUNISTIC } from '../egress/tls-policy.ts'
import { TlsResults } from '../egress/tls-results.ts'
import { silentLog } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { outcomeOf, signalOf } from './outcome.ts'
import { HARD_END_MS, LAST_HOST_MS, type SendResult, send } from './send.ts'

const tlsResults = new TlsResults({ write: assert.fail } as unknown as Store, new TestClock(), silentLog)
const hosts: MailHost[] = []
const pools: ConnectionPool[] = []

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()))
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

/** Starts a host that does not reply to `verb`; `reached` resolves when the host has received this command. */
async function silentAt(verb: string, tls = false): Promise<{ host: MailHost; reached: Promise<void> }> {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const script: HostScript = (command) => {
    if (command.verb !== verb) return undefined
    resolve()
    return { after: 'hang' }
  }
  const host = await MailHost.start({ script, tls })
  hosts.push(host)
  return { host, reached }
}

function pool(limits: PoolLimits = DEFAULT_LIMITS, clock = new TestClock()): ConnectionPool {
  const made = new ConnectionPool(clock, limits, connect)
  pools.push(made)
  return made
}

function attempt(
  clock: TestClock,
  to: readonly MailHost[],
  from = pool(),
  isOurs = () => true,
): Promise<SendResult> {
  async function* inTurn() {
    for (const { port } of to) {
      yield { hostName: 'mx.test', addresses: ['127.0.0.1'], port, tls: OPPORTUNISTIC }
    }
  }
  const route: Route = { kind: 'hosts', names: ['mx.test'], hosts: inTurn() }
  const body = Buffer.from('Subject: Hello\r\n\r\nHello.\r\n')
  const message = {
    chunks: [body],
    size: body.length,
    needs8Bit: false,
    needsSmtpUtf8: false,
    headers: [],
    downgraded: async () => undefined,
  }
  const envelope = { from: 'a@sender.test', recipients: ['b@receiver.test'] }
  const shared = { heloName: 'sender.test', ownNames: new Set<string>() }
  const egress = { pool: from, clock, ...shared, tlsResults }
  const leftMs = () => (isOurs() ? 1_000 : 0)
  return send(route, { envelope, message, leftMs }, { egress, clock })
}

for (const [verb, stage] of [
  ['EHLO', 'ehlo'],
  ['STARTTLS', 'starttls'],
  ['MAIL', 'mail'],
  ['MESSAGE', 'end-of-data'],
] as const) {
  test(`the hard end destroys a connection that hangs at ${verb}`, async () => {
    const clock = new TestClock()
    const { host, reached } = await silentAt(verb, verb === 'STARTTLS')
    const ended = attempt(clock, [host])
    await reached
    clock.advance(HARD_END_MS)
    const { end, attempt: made } = await ended
    assert.ok(end.kind === 'stopped')
    assert.equal(end.failure.stage, stage)
    assert.equal(end.failure.error?.code, 'timeout')
    assert.equal(outcomeOf(end).category, 'network')
    assert.equal(outcomeOf(end).status, 'deferred')
    assert.equal(made.durationMs, HARD_END_MS)
    assert.equal(host.connections.length, 1, 'not tried again')
  })
}

test('no further host is begun after the time for new hosts', async () => {
  const clock = new TestClock()
  const { host: slow, reached } = await silentAt('MAIL')
  const second = await MailHost.start()
  hosts.push(second)
  const ended = attempt(clock, [slow, second])
  await reached
  clock.advance(LAST_HOST_MS)
  await slow.stop()
  const { end } = await ended
  assert.equal(end.kind, 'stopped')
  assert.equal(second.connections.length, 0)
})

test('the hard end also ends the wait for a connection', async () => {
  const clock = new TestClock()
  const { host, reached } = await silentAt('MAIL')
  const one = pool({ ...DEFAULT_LIMITS, perHost: 1 })
  const first = attempt(new TestClock(), [host], one)
  await reached
  const second = attempt(clock, [host], one)
  await new Promise(setImmediate)
  clock.advance(HARD_END_MS)
  const { end } = await second
  assert.ok(end.kind === 'stopped')
  assert.deepEqual([end.failure.stage, end.failure.error?.code], ['connect', 'timeout'])
  await host.stop()
  assert.equal((await first).end.kind, 'stopped')
  assert.equal(one.open, 0)
})

test('a message that another worker may hold is not sent', async () => {
  const host = await MailHost.start()
  hosts.push(host)
  let ours = true
  host.script = ({ verb }) => {
    // The lease ends while the connection is being set up.
    if (verb === 'EHLO') ours = false
    return undefined
  }
  const { end } = await attempt(new TestClock(), [host], pool(), () => ours)
  assert.equal(end.kind === 'stopped' && end.failure.error?.code, 'withdrawn')
  assert.equal(outcomeOf(end).status, 'deferred')
  assert.equal(signalOf(end), 'neutral')
  assert.ok(!host.connections[0]?.commands.some((line) => line.startsWith('MAIL')))
  assert.equal(host.mails.length, 0)
})

for (const verb of ['MAIL', 'RCPT', 'DATA', 'MESSAGE'] as const) {
  test(`TLS that breaks at ${verb} does not make the message be sent again in plaintext`, async () => {
    let messages = 0
    const script: HostScript = (command) => {
      if (command.verb === 'MESSAGE') messages++
      return command.verb === verb ? { after: 'broken-tls' } : undefined
    }
    const host = await MailHost.start({ script, tls: true })
    hosts.push(host)
    const from = pool()
    const { end } = await attempt(new TestClock(), [host], from)
    assert.ok(end.kind === 'stopped')
    assert.equal(end.failure.error?.code, 'tls')
    assert.equal(host.connections.length, 1)
    assert.ok(messages <= 1)
    assert.equal(from.hosts.isWithoutTls(['127.0.0.1'], host.port), false)
    assert.equal(outcomeOf(end).status, 'deferred')
  })
}

test('mail that waits for the end of a pause does not fail by the reply to a probe', async () => {
  const clock = new TestClock()
  const { host } = await silentAt('EHLO')
  const from = pool(DEFAULT_LIMITS, clock)
  const text = 'Service unavailable, Client host [192.0.2.1] blocked using zen.spamhaus.org'
  const objection = { stage: 'rcpt', reply: { code: 550, enhanced: '5.7.1', text } } as const
  const probed = (): void => from.hosts.note('127.0.0.1', host.port, 'background', objection)
  for (let count = 0; count < 10; count++) probed()
  const ended = attempt(clock, [host], from)
  for (let ms = 0; ms <= LAST_HOST_MS + 30_000; ms += 30_000) {
    await turn()
    probed()
    clock.advance(30_000)
  }
  const { end } = await ended
  assert.equal(outcomeOf(end).status, 'deferred')
  assert.equal(host.connections.length, 0)
})
