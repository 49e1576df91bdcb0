// How many connections one address sees at once, while idle ones are closed and others wait for the end of a pause.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { MailHost } from '../../test/support/mail-host.ts'
import { TestClock, until } from '../../test/support/test-clock.ts'
import { Deadline, UNHURRIED } from './patience.ts'
import { ProbeSessions } from './sessions.ts'

const PER_ADDRESS = 2
const ADDRESS = '127.0.0.1'

describe('connections to one address', () => {
  let host: MailHost
  let clock: TestClock
  let sessions: ProbeSessions
  beforeEach(async () => {
    clock = new TestClock()
    host = await MailHost.start()
    sessions = new ProbeSessions({
      clock,
      port: host.port,
      heloName: 'sender.test',
      sources: undefined,
      sender: '',
      perAddress: PER_ADDRESS,
      total: 100,
    })
    sessions.start()
  })
  afterEach(async () => {
    await sessions.stop()
    await host.stop()
  })

  const ask = (recipient: string, times = 1) =>
    sessions.use({ address: ADDRESS, hostName: 'mx.test' }, UNHURRIED, async (session) => {
      for (let i = 0; i < times; i++) await session.ask(recipient)
    })

  test('are no more when those that wait for the end of a pause find the idle ones closed', async () => {
    let most = 0
    host.script = ({ verb }) => {
      if (verb === 'CONNECT') most = Math.max(most, host.connections.filter(({ closed }) => !closed).length)
      return verb === 'RCPT' ? '451 4.7.1 Too many messages from your host, slow down' : undefined
    }
    // Both connections stay open, and the host is left alone for longer than an idle one is kept.
    await Promise.all([ask('a@one.example', 3), ask('b@one.example', 2)])
    assert.equal(host.openConnections, PER_ADDRESS)
    const waiting = Promise.all([ask('c@one.example'), ask('d@one.example')])
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    clock.advance(10_000)
    await waiting
    assert.equal(most, PER_ADDRESS)
  })

  test('are made for the next one when the time of the one before was up as it began', async () => {
    host.script = ({ verb }) => (verb === 'RCPT' ? { after: 'hang' } : undefined)
    const target = { address: ADDRESS, hostName: 'mx.test' }
    const hurried = new Deadline(clock, 1_000)
    clock.advance(900)
    const asked = sessions.use(target, hurried, (session) => session.ask('a@one.example'))
    await until('it is asked', () => host.connections[0]?.commands.at(-1)?.startsWith('RCPT') === true)
    clock.advance(100)
    await asked
    host.script = undefined
    // Who cannot wait for the end of a pause is told so at once.
    const next = new Deadline(clock, 100)
    const answer = await sessions.use(target, next, (session) => session.ask('b@one.example'))
    assert.ok(answer !== undefined && 'reply' in answer, JSON.stringify(answer))
  })

  test('give TLS up where it breaks, each of those that try it at once', async () => {
    const { port } = host
    await host.stop()
    host = await MailHost.start({ port, tls: true })
    host.script = ({ verb }) => (verb === 'STARTTLS' ? { reply: '220 Go', after: 'close' } : undefined)
    const target = { address: ADDRESS, hostName: 'mx.test' }
    const answers = await Promise.all(
      ['a@one.example', 'b@one.example'].map((email) =>
        sessions.use(target, UNHURRIED, (session) => session.ask(email)),
      ),
    )
    for (const answer of answers) assert.ok(answer && 'reply' in answer, JSON.stringify(answer))
  })

  test('that nobody uses are closed after a while', async () => {
    await ask('a@one.example')
    assert.equal(host.openConnections, 1)
    await until('it is closed', () => host.openConnections === 0)
  })

  test('are given back and used again, by one after the other', async () => {
    for (let i = 0; i < 10; i++) await ask(`x${i}@one.example`)
    assert.equal(host.connections.length, 1)
  })

  test('are closed at the stop, and those in use when they are given back', async () => {
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>()
    await Promise.all([ask('a@one.example'), ask('b@one.example')])
    host.script = async ({ verb }) => {
      if (verb === 'RCPT') await asked
      return undefined
    }
    const inUse = ask('c@one.example')
    await sessions.stop()
    await until('the idle one is closed', () => host.openConnections === 1)
    answer()
    await inUse
    await until('all are closed', () => host.openConnections === 0)
  })
})
