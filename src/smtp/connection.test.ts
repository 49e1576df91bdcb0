import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { connect } from '../../test/support/dialog-threads.ts'
import { timeoutsFor } from '../../test/support/mail-host/client.ts'
import { MailHost } from '../../test/support/mail-host/mail-host.ts'
import { answerTo, type HostAnswer, type MailHostOptions } from '../../test/support/mail-host/script.ts'
import { until } from '../../test/support/test-clock.ts'
import type { ConnectOptions, SmtpConnection } from './connection.ts'
import type { StageFailure } from './stage.ts'

const hosts: MailHost[] = []
const connections: SmtpConnection[] = []

afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy()
  await Promise.all(hosts.splice(0).map((host) => host.stop()))
})

async function start(options: MailHostOptions = {}): Promise<MailHost> {
  const host = await MailHost.start(options)
  hosts.push(host)
  return host
}

function optionsFor(host: { port: number }, more: Partial<ConnectOptions> = {}): ConnectOptions {
  const { port } = host
  return {
    address: '127.0.0.1',
    port,
    hostName: 'mx.test',
    heloName: 'us.test',
    tls: 'opportunistic',
    ...more,
  }
}

async function open(host: MailHost, more: Partial<ConnectOptions> = {}): Promise<SmtpConnection> {
  const { connection, failure } = await connect(optionsFor(host, more))
  assert.equal(failure, undefined)
  connections.push(connection!)
  return connection!
}

async function fail(
  host: { port: number },
  more: Partial<ConnectOptions> = {},
): Promise<StageFailure & { transcript: string }> {
  const { failure, transcript } = await connect(optionsFor(host, more))
  assert.ok(failure !== undefined, 'the connection was opened')
  return { ...failure, transcript }
}

const envelope = { from: 'us@us.test', recipients: ['you@mx.test'] }
const text = Buffer.from('Subject: x\r\n\r\nHello\r\n')
const message = { chunks: [text], size: text.length }

describe('opening', () => {
  test('sends EHLO, and reads the extensions of the host', async () => {
    const host = await start()
    const connection = await open(host)
    assert.equal(connection.usable, true)
    assert.equal(connection.tls, undefined)
    assert.equal(connection.extensions.pipelining, true)
    assert.equal(connection.extensions.size, 26214400)
    assert.equal(host.connections[0]!.helo, 'us.test')
  })

  test('falls back to HELO for a host that does not know EHLO', async () => {
    const host = await start({ ehlo: false })
    const connection = await open(host)
    assert.equal(connection.extensions.pipelining, false)
    assert.deepEqual(host.connections[0]!.commands, ['EHLO us.test', 'HELO us.test'])
    const { recipients } = await connection.send(envelope, message)
    assert.equal(recipients[0]!.reply?.code, 250)
  })

  test('does not fall back after a 4xx', async () => {
    const host = await start({ script: answerTo('EHLO', '450 4.7.1 Later') })
    const failure = await fail(host)
    assert.deepEqual([failure.stage, failure.reply?.enhanced], ['ehlo', '4.7.1'])
    assert.equal(host.connections[0]!.commands.length, 1)
  })

  test('sends QUIT when it is closed', async () => {
    const host = await start()
    const connection = await open(host)
    await connection.close()
    assert.equal(connection.usable, false)
    assert.equal(host.connections[0]!.commands.at(-1), 'QUIT')
  })

  test('does not wait for ever for the reply to QUIT', async () => {
    const host = await start({ script: answerTo('QUIT', {}) })
    const connection = await open(host, { timeouts: { quit: 30 } })
    await connection.close()
    assert.equal(connection.usable, false)
  })

  test('dials no host names, and refuses an invalid HELO name', async () => {
    const host = await start()
    await assert.rejects(connect(optionsFor(host, { address: 'localhost' })), TypeError)
    await assert.rejects(connect(optionsFor(host, { heloName: 'us.test\r\nNOOP' })), TypeError)
    assert.equal(host.connections.length, 0)
  })
})

describe('failures before MAIL', () => {
  const cases: [string, string, HostAnswer, StageFailure['stage'], string | number][] = [
    ['a 554 greeting', 'CONNECT', { reply: '554 5.7.1 Go away' }, 'greeting', 554],
    ['a 421 greeting', 'CONNECT', { reply: '421 4.3.2 Busy', after: 'close' }, 'greeting', 421],
    ['a connection closed without greeting', 'CONNECT', { after: 'close' }, 'greeting', 'closed'],
    ['a connection reset without greeting', 'CONNECT', { delayMs: 20, after: 'reset' }, 'greeting', 'reset'],
    ['no greeting', 'CONNECT', {}, 'greeting', 'timeout'],
    [
      'a greeting byte by byte',
      'CONNECT',
      { reply: `220 ${'mx'.repeat(30)}`, byteDelayMs: 10 },
      'greeting',
      'timeout',
    ],
    ['a greeting that never ends', 'CONNECT', { raw: '220-x\r\n'.repeat(20_000) }, 'greeting', 'protocol'],
    ['a line of 10 MB', 'CONNECT', { raw: 'x'.repeat(10_000_000) }, 'greeting', 'protocol'],
    ['a greeting in another protocol', 'CONNECT', { raw: 'SSH-2.0-OpenSSH\r\n' }, 'greeting', 'protocol'],
    ['a talker: greeting and more', 'CONNECT', { reply: '220 mx.test\n250 mx.test' }, 'greeting', 'protocol'],
    ['a 421 to EHLO', 'EHLO', { reply: '421 4.3.2 Busy', after: 'close' }, 'ehlo', 421],
    ['a connection closed after EHLO', 'EHLO', { after: 'close' }, 'ehlo', 'closed'],
    ['a talker: EHLO and more', 'EHLO', { reply: '250 mx.test\n250 mx.test' }, 'ehlo', 'protocol'],
    ['no answer to EHLO', 'EHLO', {}, 'ehlo', 'timeout'],
  ]
  for (const [name, verb, answer, stage, what] of cases) {
    test(name, async () => {
      const host = await start({ script: answerTo(verb, answer) })
      const failure = await fail(host, { timeouts: timeoutsFor(verb, answer) })
      assert.equal(failure.stage, stage)
      assert.equal(failure.reply?.code ?? failure.error?.code, what)
      assert.match(failure.transcript, /connecting to mx\.test \[127\.0\.0\.1\]/)
    })
  }

  test('nobody listening', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const failure = await fail({ port })
    assert.deepEqual([failure.stage, failure.error?.code], ['connect', 'refused'])
  })

  test('a local address that this machine does not have', async () => {
    const host = await start()
    const failure = await fail(host, { sources: { ipv4: { address: '192.0.2.1' } } })
    assert.deepEqual([failure.stage, failure.error?.code], ['connect', 'local'])
    assert.match(failure.error?.message ?? '', /192.0.2.1 is not one of this machine/)
  })
})

describe('TLS', () => {
  test('is used if it is offered, with any certificate', async () => {
    const host = await start({ tls: true })
    const connection = await open(host)
    assert.equal(connection.tls?.protocol, 'TLSv1.3')
    assert.equal(connection.tls?.authorized, false)
    assert.match(connection.tls?.authorizationError ?? '', /SELF_SIGNED/)
    assert.equal(connection.extensions.startTls, false)
    const { recipients, transcript } = await connection.send(envelope, message)
    assert.equal(recipients[0]!.reply?.code, 250)
    assert.equal(host.mails[0]!.tls, true)
    assert.deepEqual(host.connections[0]!.commands.slice(0, 3), ['EHLO us.test', 'STARTTLS', 'EHLO us.test'])
    assert.match(transcript, /TLSv1\.3, \S+, not verified/)
  })

  test('is not used if it is not wanted', async () => {
    const host = await start({ tls: true })
    const connection = await open(host, { tls: 'never' })
    assert.equal(connection.tls, undefined)
  })

  test('that is required and not offered is a failure', async () => {
    const failure = await fail(await start(), { tls: 'required' })
    assert.deepEqual([failure.stage, failure.error?.code], ['starttls', 'no-tls'])
  })

  test('that the host declines leaves plaintext when opportunistic, and fails when required', async () => {
    const host = await start({ tls: true, script: answerTo('STARTTLS', '454 4.7.0 Not now') })
    const connection = await open(host)
    assert.equal(connection.tls, undefined)
    assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
    const failure = await fail(host, { tls: 'required' })
    assert.deepEqual([failure.stage, failure.reply?.code], ['starttls', 454])
  })

  test('with a certificate that fails a required verification is a failure', async () => {
    const failure = await fail(await start({ tls: true }), { tls: 'required', verifyCertificate: true })
    assert.deepEqual([failure.stage, failure.error?.code], ['starttls', 'certificate'])
  })

  test('whose handshake fails is the failure "tls"', async () => {
    const host = await start({ extensions: ['STARTTLS'], script: answerTo('STARTTLS', '220 Go') })
    host.script = (command) => {
      if (command.verb === 'STARTTLS') return { reply: '220 Go', after: 'close' }
      return undefined
    }
    const failure = await fail(host)
    assert.deepEqual([failure.stage, failure.error?.code], ['starttls', 'tls'])
  })

  test('whose handshake hangs is the failure "timeout"', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('220 mx.test\r\n')
      socket.on('data', (data) => {
        if (data.includes('EHLO')) socket.write('250-mx.test\r\n250 STARTTLS\r\n')
        if (data.includes('STARTTLS')) socket.write('220 Go\r\n')
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const failure = await fail(server.address() as { port: number }, { timeouts: { handshake: 100 } })
    assert.deepEqual([failure.stage, failure.error?.code], ['starttls', 'timeout'])
    server.close()
  })

  for (const raw of ['250 AUTH PLAIN\r\n', '2', '250-mx.test\r\n250 PIPELINING\r\n']) {
    test(`with plaintext after the 220 (${JSON.stringify(raw)}) is given up: CVE-2021-38371`, async () => {
      const host = await start({ tls: true, script: answerTo('STARTTLS', { reply: '220 Go', raw }) })
      const failure = await fail(host)
      assert.deepEqual([failure.stage, failure.error?.code], ['starttls', 'protocol'])
      assert.equal(host.mails.length, 0)
    })
  }

  test('from the first byte', async () => {
    const host = await start({ implicitTls: true })
    const connection = await open(host, { implicitTls: true })
    assert.equal(connection.tls?.protocol, 'TLSv1.3')
    assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
  })
})

describe('a relay that wants a login', () => {
  const auth = { user: 'us', password: 'secret' }

  for (const mechanism of ['PLAIN', 'LOGIN']) {
    test(`gets it by ${mechanism}, and no transcript holds it`, async () => {
      const host = await start({ tls: true, auth, authMechanisms: [mechanism] })
      const connection = await open(host, { auth, tls: 'required' })
      const { recipients, transcript } = await connection.send(envelope, message)
      assert.equal(recipients[0]!.reply?.code, 250)
      assert.match(transcript, /AUTH (PLAIN|LOGIN)/)
      for (const secret of ['secret', 'us', '\0us\0secret']) {
        assert.ok(!transcript.includes(Buffer.from(secret).toString('base64')), secret)
      }
    })
  }

  for (const mechanism of ['PLAIN', 'LOGIN']) {
    test(`refuses a wrong ${mechanism}`, async () => {
      const host = await start({ auth, authMechanisms: [mechanism] })
      const failure = await fail(host, { auth: { user: 'us', password: 'wrong' } })
      assert.deepEqual([failure.stage, failure.reply?.code], ['auth', 535])
    })
  }

  test('and offers no known mechanism is a failure', async () => {
    const host = await start({ auth, authMechanisms: ['XOAUTH2'] })
    const failure = await fail(host, { auth })
    assert.deepEqual([failure.stage, failure.error?.code], ['auth', 'no-auth'])
  })
})

describe('an idle connection', () => {
  async function idle(answer: HostAnswer): Promise<void> {
    const host = await start()
    const connection = await open(host)
    await connection.send(envelope, message)
    assert.equal(connection.usable, true)
    await host.interrupt(answer)
    await until('the connection has received it', () => !connection.usable)
    const { recipients } = await connection.send(envelope, message)
    assert.equal(recipients[0]!.failure?.stage, 'mail')
    assert.ok(recipients[0]!.failure?.error !== undefined)
    assert.equal(connection.messagesSent, 1)
  }

  test('that gets a 421 is not used again', () => idle({ reply: '421 4.4.2 Idle for too long' }))
  test('that gets an unsolicited reply is not used again', () => idle({ reply: '250 2.0.0 Ok' }))
  test('that the host closes is not used again', () => idle({ after: 'close' }))
  test('that the host resets is not used again', () => idle({ after: 'reset' }))
})
