// Probe connections to one address while unused connections are closed and other probes wait for the end of a pause.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { connect } from '../../test/support/dialog-threads.ts'
import { MailHost } from '../../test/support/mail-host/mail-host.ts'
import { sleep, TestClock, until } from '../../test/support/test-clock.ts'
import { silentLog } from '../lib/log.ts'
import { LimitedTime, type TimeBudget, UNLIMITED_TIME } from '../lib/time-budget.ts'
import type { Store } from '../store/database/store.ts'
import { attempt, type Tried } from './attempt.ts'
import { ConnectionPool, DEFAULT_LIMITS } from './pool.ts'
import { OPPORTUNISTIC } from './tls-policy.ts'
import { TlsResults } from './tls-results.ts'

const PER_ADDRESS = 2
const ADDRESS = '127.0.0.1'

describe('connections to one address', () => {
  let host: MailHost
  let clock: TestClock
  let pool: ConnectionPool
  beforeEach(async () => {
    clock = new TestClock()
    host = await MailHost.start()
    pool = new ConnectionPool(clock, { ...DEFAULT_LIMITS, probesPerAddress: PER_ADDRESS }, connect)
  })
  afterEach(async () => {
    await pool.stop()
    await host.stop()
  })

  async function ask(
    recipient: string,
    times = 1,
    deadline: TimeBudget = UNLIMITED_TIME,
  ): Promise<Tried | undefined> {
    async function* hosts() {
      yield { hostName: 'mx.test', addresses: [ADDRESS], port: host.port, tls: OPPORTUNISTIC }
    }
    const tlsResults = new TlsResults({ write: assert.fail } as unknown as Store, clock, silentLog)
    const egress = { pool, clock, heloName: 'sender.test', ownNames: new Set<string>(), tlsResults }
    const purpose = deadline.signal === undefined ? 'background' : 'interactive'
    const { tried } = await attempt(
      hosts(),
      {
        ...{ purpose, deadline, form: undefined },
        next: () => 'stop',
        dialog: async (connection) => {
          const results = []
          for (let i = 0; i < times; i++) {
            const { recipients } = await connection.probe(
              { from: '', recipients: [recipient] },
              deadline.signal,
            )
            results.push(...recipients)
          }
          return { recipients: results, transcript: '' }
        },
      },
      egress,
    )
    return tried
  }

  test('stay within the limit when probes that waited for the end of a pause find the unused ones closed', async () => {
    let most = 0
    host.script = ({ verb }) => {
      if (verb === 'CONNECT') most = Math.max(most, host.connections.filter(({ closed }) => !closed).length)
      return verb === 'RCPT' ? '451 4.7.1 Too many messages from your host, slow down' : undefined
    }
    // Both connections stay open, and the host is paused for longer than an unused connection is kept.
    await Promise.all([ask('a@one.example', 3), ask('b@one.example', 2)])
    assert.equal(host.openConnections, PER_ADDRESS)
    const waiting = Promise.all([ask('c@one.example'), ask('d@one.example')])
    await sleep(3_000, 'longer than an unused connection is kept')
    clock.advance(10_000)
    await waiting
    assert.equal(most, PER_ADDRESS)
  })

  test('are made for the next probe when the one before ran out of time as it began', async () => {
    host.script = ({ verb }) => (verb === 'RCPT' ? { after: 'hang' } : undefined)
    const hurried = new LimitedTime(clock, 1_000)
    clock.advance(900)
    const asked = ask('a@one.example', 1, hurried)
    await until(
      'the probe is under way',
      () => host.connections[0]?.commands.at(-1)?.startsWith('RCPT') === true,
    )
    clock.advance(100)
    await asked
    host.script = undefined
    // A probe that cannot wait for the end of a pause ends at once.
    const tried = await ask('b@one.example', 1, new LimitedTime(clock, 100))
    assert.ok(tried?.result.reply !== undefined, JSON.stringify(tried))
  })

  test('fall back to plaintext where TLS breaks, each that tries it at the same time, and remember this for an hour', async () => {
    const { port } = host
    await host.stop()
    host = await MailHost.start({ port, tls: true })
    host.script = ({ verb }) => (verb === 'STARTTLS' ? { reply: '220 Go', after: 'close' } : undefined)
    for (const tried of await Promise.all(['a@one.example', 'b@one.example'].map((email) => ask(email)))) {
      assert.ok(tried?.result.reply !== undefined, JSON.stringify(tried))
    }
    const startTls = (): number =>
      host.connections.flatMap(({ commands }) => commands).filter((line) => line === 'STARTTLS').length
    const before = startTls()
    await until('all connections are closed', () => host.openConnections === 0)
    assert.ok((await ask('c@one.example'))?.result.reply)
    assert.equal(startTls(), before)
    await until('all connections are closed', () => host.openConnections === 0)
    clock.advance(3_600_001)
    assert.ok((await ask('d@one.example'))?.result.reply)
    assert.equal(startTls(), before + 1)
  })

  test('are closed after a while without use', async () => {
    await ask('a@one.example')
    assert.equal(host.openConnections, 1)
    await until('the connection is closed', () => host.openConnections === 0)
  })

  test('are released and reused, one user after the other', async () => {
    for (let i = 0; i < 10; i++) await ask(`x${i}@one.example`)
    assert.equal(host.connections.length, 1)
  })

  test('are closed at the stop, and those in use at their release', async () => {
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>()
    await Promise.all([ask('a@one.example'), ask('b@one.example')])
    host.script = async ({ verb }) => {
      if (verb === 'RCPT') await asked
      return undefined
    }
    const inUse = ask('c@one.example')
    await until('both probes are under way', () => pool.open === 2)
    await pool.stop()
    await until('the unused one is closed', () => host.openConnections === 1)
    answer()
    await inUse
    await until('all connections are closed', () => host.openConnections === 0)
  })
})
