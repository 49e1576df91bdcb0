import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, afterEach, describe, test } from 'node:test'
import { connect as connectInThread } from '../../test/support/dialog-threads.ts'
import { timeoutsFor } from '../../test/support/mail-host/client.ts'
import { MailHost } from '../../test/support/mail-host/mail-host.ts'
import {
  answerTo,
  greylist,
  type HostAnswer,
  type HostScript,
  type MailHostOptions,
  usualExtensions,
} from '../../test/support/mail-host/script.ts'
import { type ConnectOptions, connect as connectHere, type SmtpConnection } from './connection.ts'
import type { MessageData } from './message-data.ts'
import type { Timeouts } from './timeouts.ts'

const hosts: MailHost[] = []
const connections: SmtpConnection[] = []

// Connections are closed only after all tests, because some tests run concurrently.
after(async () => {
  for (const connection of connections) connection.destroy()
  await Promise.all(hosts.map((host) => host.stop()))
})

async function start(options: MailHostOptions = {}): Promise<MailHost> {
  const host = await MailHost.start(options)
  hosts.push(host)
  return host
}

async function open(
  host: { port: number },
  timeouts: Partial<Timeouts> = {},
  connect = connectInThread,
): Promise<SmtpConnection> {
  const options: ConnectOptions = {
    address: '127.0.0.1',
    port: host.port,
    hostName: 'mx.test',
    heloName: 'us.test',
    tls: 'opportunistic',
    timeouts,
  }
  const { connection, failure } = await connect(options)
  assert.equal(failure, undefined)
  connections.push(connection!)
  return connection!
}

function messageOf(...chunks: (string | Buffer)[]): MessageData {
  const buffers = chunks.map((chunk) => Buffer.from(chunk as string))
  return { chunks: buffers, size: buffers.reduce((size, chunk) => size + chunk.length, 0) }
}

const from = 'us@us.test'
const envelope = { from, recipients: ['you@mx.test'] }
const message = messageOf('Subject: x\r\n\r\nHello\r\n')
const three = { from, recipients: ['one@mx.test', 'two@mx.test', 'three@mx.test'] }
const stepwise = usualExtensions.filter((keyword) => keyword !== 'PIPELINING')

/** Refuses some recipients. */
function refuse(...addresses: string[]): HostScript {
  return ({ verb, address }) =>
    verb === 'RCPT' && addresses.includes(address) ? '550 5.1.1 No such user' : undefined
}

describe('pipelining', () => {
  test('sends the envelope in one write, and the message in the next', async () => {
    const host = await start()
    const connection = await open(host)
    const { recipients } = await connection.send(three, message)
    assert.deepEqual(
      recipients.map((recipient) => recipient.reply?.text),
      ['Ok: queued', 'Ok: queued', 'Ok: queued'],
    )
    assert.deepEqual(host.connections[0]!.chunks.slice(1), [
      `MAIL FROM:<us@us.test> SIZE=${message.size}\r\n` +
        'RCPT TO:<one@mx.test>\r\nRCPT TO:<two@mx.test>\r\nRCPT TO:<three@mx.test>\r\nDATA\r\n',
      'Subject: x\r\n\r\nHello\r\n.\r\n',
    ])
  })

  test('is not used with a host that does not offer it', async () => {
    const host = await start({ extensions: stepwise })
    const connection = await open(host)
    const { recipients } = await connection.send(three, message)
    assert.equal(recipients.filter((recipient) => recipient.reply !== undefined).length, 3)
    assert.equal(host.connections[0]!.chunks.length, 7)
  })
})

for (const extensions of [usualExtensions, stepwise]) {
  describe(extensions === stepwise ? 'step by step' : 'pipelined', () => {
    test('some recipients are accepted and others not, each with its own result', async () => {
      const host = await start({ extensions, script: refuse('two@mx.test') })
      const connection = await open(host)
      const { recipients, transcript } = await connection.send(three, message)
      assert.deepEqual(
        recipients.map((it) => it.reply?.code ?? [it.failure?.stage, it.failure?.reply?.enhanced]),
        [250, ['rcpt', '5.1.1'], 250],
      )
      assert.deepEqual(host.mails[0]!.recipients, ['one@mx.test', 'three@mx.test'])
      assert.match(transcript, /> RCPT TO:<two@mx\.test>\n(.*\n)*.* < 550 5\.1\.1 No such user\n/)
      assert.match(transcript, /\d+ > \(21 bytes of message\)\n\d+ < 250 2\.0\.0 Ok: queued$/)
      assert.equal(connection.usable, true)
    })

    test('no recipient is accepted, and the next message begins with RSET', async () => {
      const host = await start({ extensions, script: refuse('you@mx.test') })
      const connection = await open(host)
      const refused = await connection.send(envelope, message)
      assert.deepEqual(
        [refused.recipients[0]!.failure?.stage, refused.recipients[0]!.failure?.reply?.code],
        ['rcpt', 550],
      )
      assert.equal(connection.messagesSent, 0)
      const taken = await connection.send(three, message)
      assert.equal(taken.recipients[0]!.reply?.code, 250)
      assert.equal(connection.messagesSent, 1)
      const { commands } = host.connections[0]!
      assert.equal(commands.filter((command) => command === 'RSET').length, 1)
    })

    test('the sender is refused', async () => {
      const host = await start({ extensions, script: answerTo('MAIL', '550 5.7.1 Not you') })
      const connection = await open(host)
      const { recipients } = await connection.send(three, message)
      for (const { failure } of recipients)
        assert.deepEqual([failure?.stage, failure?.reply?.code], ['mail', 550])
      assert.equal(connection.usable, true)
    })

    test('DATA is refused', async () => {
      const host = await start({ extensions, script: answerTo('DATA', '451 4.3.0 Not now') })
      const connection = await open(host)
      const { recipients } = await connection.send(envelope, message)
      assert.deepEqual([recipients[0]!.failure?.stage, recipients[0]!.failure?.reply?.code], ['data', 451])
      host.script = undefined
      assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
    })

    test('the message is refused', async () => {
      const host = await start({ extensions, script: answerTo('MESSAGE', '554 5.7.1 Spam') })
      const connection = await open(host)
      const { recipients } = await connection.send(envelope, message)
      const { failure } = recipients[0]!
      assert.deepEqual([failure?.stage, failure?.reply?.code], ['end-of-data', 554])
      host.script = undefined
      assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
      assert.ok(!host.connections[0]!.commands.includes('RSET'))
    })

    test('a refused RSET is an error, never a refusal of the next message', async () => {
      const host = await start({
        extensions,
        script: (command) => (command.verb === 'RSET' ? '500 5.5.1 What?' : refuse('you@mx.test')(command)),
      })
      const connection = await open(host)
      await connection.send(envelope, message)
      const { recipients } = await connection.send(three, message)
      assert.deepEqual(
        [recipients[0]!.failure?.stage, recipients[0]!.failure?.error?.code],
        ['mail', 'protocol'],
      )
      assert.equal(connection.usable, false)
    })

    const steps: [string, HostAnswer, string, string | number][] = [
      ['MAIL', { after: 'close' }, 'mail', 'closed'],
      ['MAIL', { after: 'reset' }, 'mail', 'reset'],
      ['MAIL', { after: 'hang' }, 'mail', 'timeout'],
      ['MAIL', { reply: '421 4.3.2 Closing', after: 'close' }, 'mail', 421],
      ['MAIL', { raw: 'garbage\r\n' }, 'mail', 'protocol'],
      ['RCPT', { after: 'close' }, 'rcpt', 'closed'],
      ['RCPT', { after: 'reset' }, 'rcpt', 'reset'],
      ['RCPT', { after: 'hang' }, 'rcpt', 'timeout'],
      ['RCPT', { reply: '421 4.3.2 Closing', after: 'close' }, 'rcpt', 421],
      ['RCPT', { raw: '250-x\r\n550 y\r\n' }, 'rcpt', 'protocol'],
      ['DATA', { after: 'close' }, 'data', 'closed'],
      ['DATA', { after: 'reset' }, 'data', 'reset'],
      ['DATA', { after: 'hang' }, 'data', 'timeout'],
      ['DATA', { reply: '421 4.3.2 Closing', after: 'close' }, 'data', 421],
      ['DATA', { reply: '250 2.0.0 Ok' }, 'data', 'protocol'],
      ['DATA', { reply: '354 Go\n250 2.0.0 Ok' }, 'data', 'protocol'],
      ['MESSAGE', { after: 'close' }, 'end-of-data', 'closed'],
      ['MESSAGE', { after: 'reset' }, 'end-of-data', 'reset'],
      ['MESSAGE', { after: 'hang' }, 'end-of-data', 'timeout'],
      ['MESSAGE', { reply: '421 4.3.2 Closing', after: 'close' }, 'end-of-data', 421],
      ['MESSAGE', { raw: '\r\n' }, 'end-of-data', 'protocol'],
    ]
    describe('a dialog that goes wrong', { concurrency: true }, () => {
      for (const [verb, answer, stage, what] of steps) {
        test(`${verb} answered by ${JSON.stringify(answer)} fails at ${stage}: ${what}`, async () => {
          const host = await start({ extensions, script: answerTo(verb, answer) })
          const connection = await open(host, timeoutsFor(verb, answer))
          const { recipients, transcript } = await connection.send(envelope, message)
          const { failure } = recipients[0]!
          assert.deepEqual([failure?.stage, failure?.reply?.code ?? failure?.error?.code], [stage, what])
          assert.equal(connection.usable, false)
          assert.equal(connection.messagesSent, 0)
          assert.match(transcript, /> MAIL FROM/)
        })
      }
    })

    test('a 421 to the second recipient fails the third too, by that reply', async () => {
      const host = await start({
        extensions,
        script: ({ address }) =>
          address === 'two@mx.test' ? { reply: '421 4.7.0 Enough', after: 'close' } : undefined,
      })
      const connection = await open(host)
      const { recipients } = await connection.send(three, message)
      for (const { failure } of recipients) assert.equal(failure?.reply?.code, 421)
      assert.equal(connection.usable, false)
    })

    test('a 421 after the reply to the message does not undo it', async () => {
      const host = await start({
        extensions,
        script: answerTo('MESSAGE', { reply: '250 2.0.0 Ok', raw: '421 4.4.2 Bye\r\n' }),
      })
      const connection = await open(host)
      const { recipients } = await connection.send(envelope, message)
      assert.equal(recipients[0]!.reply?.code, 250)
      assert.equal(connection.usable, false)
    })
  })
}

test('DATA answered by 354 without an accepted recipient gets an empty message (RFC 2920 §3.1)', async () => {
  const host = await start({
    script: (command) => (command.verb === 'DATA' ? '354 Go' : refuse('you@mx.test')(command)),
  })
  const connection = await open(host)
  const { recipients } = await connection.send(envelope, message)
  assert.deepEqual([recipients[0]!.failure?.stage, recipients[0]!.failure?.reply?.code], ['rcpt', 550])
  assert.deepEqual(host.connections[0]!.commands.slice(-1), ['(message)'])
  assert.equal(host.mails[0]!.data.length, 0)
  host.script = undefined
  assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
})

test('100 messages go over one connection', async () => {
  const host = await start()
  const connection = await open(host)
  for (let i = 0; i < 100; i++) {
    const { recipients } = await connection.send(envelope, messageOf(`Subject: ${i}\r\n\r\n.\r\n`))
    assert.equal(recipients[0]!.reply?.code, 250)
  }
  assert.equal(connection.messagesSent, 100)
  assert.equal(connection.usable, true)
  assert.equal(host.connections.length, 1)
  assert.equal(host.mails.length, 100)
  assert.ok(host.mails.every((mail, i) => mail.data.toString() === `Subject: ${i}\r\n\r\n.\r\n`))
})

test('a greylisted recipient is accepted at the second try', async () => {
  const host = await start({ script: greylist() })
  const connection = await open(host)
  assert.equal((await connection.send(envelope, message)).recipients[0]!.failure?.reply?.code, 451)
  assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
})

describe('the message arrives byte for byte', () => {
  const cases: [string, string[]][] = [
    ['with lines of dots', ['a\r\n.\r\n..\r\n.x\r\n']],
    ['with a first line that begins with a dot', ['.a\r\nb\r\n']],
    ['with a last line of one dot', ['a\r\n.\r\n']],
    ['cut before a dot', ['a\r\n', '.\r\nb\r\n']],
    ['cut inside CRLF', ['a\r', '\n.', '\r\n.x', '\r\n']],
    ['with a hundred dots', ['.\r\n'.repeat(100)]],
    ['of 3 MB', ['x'.repeat(76), '\r\n', '.line\r\n'.repeat(100_000), 'line\r\n'.repeat(400_000)]],
  ]
  for (const [name, chunks] of cases) {
    test(name, async () => {
      const host = await start()
      const connection = await open(host)
      const { recipients } = await connection.send(envelope, messageOf(...chunks))
      assert.equal(recipients[0]!.reply?.code, 250)
      const { data, wire } = host.mails[0]!
      assert.ok(data.equals(Buffer.from(chunks.join(''))))
      assert.equal(wire.toString('latin1').split('\r\n.\r\n').length, 2)
    })
  }

  test('over TLS too', async () => {
    const host = await start({ tls: true })
    const connection = await open(host)
    const large = messageOf('line\r\n.\r\n'.repeat(200_000))
    assert.equal((await connection.send(envelope, large)).recipients[0]!.reply?.code, 250)
    assert.ok(host.mails[0]!.data.equals(large.chunks[0]!))
  })
})

describe('a message that a host cannot take is refused before MAIL', () => {
  test('a message larger than its SIZE', async () => {
    const host = await start({ extensions: ['PIPELINING', 'SIZE 20'] })
    const connection = await open(host)
    const { recipients } = await connection.send(envelope, message)
    assert.deepEqual([recipients[0]!.failure?.stage, recipients[0]!.failure?.error?.code], ['mail', 'size'])
    assert.equal(connection.usable, true)
    assert.equal((await connection.send(envelope, messageOf('x\r\n'))).recipients[0]!.reply?.code, 250)
    assert.equal(host.mails[0]!.parameters, 'SIZE=3')
  })

  test('an address or header beyond ASCII without SMTPUTF8', async () => {
    const host = await start({ extensions: ['PIPELINING', '8BITMIME'] })
    const connection = await open(host)
    for (const [who, what] of [
      [{ from, recipients: ['jøe@mx.test'] }, message],
      [envelope, { ...message, needsSmtpUtf8: true }],
    ] as const) {
      const { recipients } = await connection.send(who, what)
      assert.deepEqual(
        [recipients[0]!.failure?.stage, recipients[0]!.failure?.error?.code],
        ['mail', 'smtputf8'],
      )
    }
    assert.equal(host.mails.length, 0)
  })

  test('bytes beyond ASCII without 8BITMIME', async () => {
    const host = await start({ extensions: ['PIPELINING'] })
    const connection = await open(host)
    const { recipients } = await connection.send(envelope, { ...message, needs8Bit: true })
    assert.equal(recipients[0]!.failure?.error?.code, 'eight-bit')
  })

  test('the parameters of a suitable message are announced', async () => {
    const host = await start()
    const connection = await open(host)
    await connection.send(
      { from: 'jøe@us.test', recipients: ['grå@mx.test'] },
      { ...message, needs8Bit: true },
    )
    assert.equal(host.mails[0]!.parameters, `SIZE=${message.size} BODY=8BITMIME SMTPUTF8`)
    assert.deepEqual(host.mails[0]!.recipients, ['grå@mx.test'])
  })
})

test('an envelope that would break out of its command throws before anything is sent', async () => {
  const host = await start()
  const connection = await open(host)
  const evil = { from, recipients: ['x@mx.test>\r\nRCPT TO:<y@mx.test'] }
  await assert.rejects(connection.send(evil, message), TypeError)
  assert.equal(connection.usable, true)
  assert.deepEqual(host.connections[0]!.commands, ['EHLO us.test'])
})

test('one transaction after the other', async () => {
  const host = await start()
  const connection = await open(host)
  const sent = [connection.send(envelope, message), connection.send(envelope, message)]
  assert.equal(connection.usable, false)
  await assert.rejects(connection.probe(envelope), /under way/)
  for (const { recipients } of await Promise.all(sent)) assert.equal(recipients[0]!.reply?.code, 250)
  const verbs = host.connections[0]!.commands.map((line) => line.split(/[: ]/)[0])
  const each = ['MAIL', 'RCPT', 'DATA', '(message)']
  assert.deepEqual(verbs, ['EHLO', ...each, ...each])
})

test('a connection destroyed in the middle ends its transaction', async () => {
  const arrived = Promise.withResolvers<void>()
  const script: HostScript = ({ verb }) => {
    if (verb !== 'MESSAGE') return undefined
    arrived.resolve()
    return {}
  }
  const connection = await open(await start({ script }))
  void arrived.promise.then(() => connection.destroy())
  const { recipients } = await connection.send(envelope, message)
  assert.deepEqual(
    [recipients[0]!.failure?.stage, recipients[0]!.failure?.error?.code],
    ['end-of-data', 'closed'],
  )
})

test('replies that trickle in keep within the timeout of the whole envelope', async () => {
  const host = await start({ script: answerTo('RCPT', { reply: '250 2.1.5 Ok', delayMs: 2_000 }) })
  // The timeout of a single reply is far longer than the timeout of the envelope.
  const connection = await open(host, { envelope: 5_000 })
  const { recipients } = await connection.send(three, message)
  assert.deepEqual(
    recipients.map(({ failure }) => [failure?.stage, failure?.error?.code]),
    [
      ['data', 'timeout'],
      ['data', 'timeout'],
      ['rcpt', 'timeout'],
    ],
  )
})

test('hundreds of recipients', async () => {
  const recipients = Array.from({ length: 500 }, (_, i) => `person${i}@mx.test`)
  const host = await start({ script: refuse('person7@mx.test') })
  const connection = await open(host)
  const result = await connection.send({ from, recipients }, message)
  assert.equal(result.recipients.filter((it) => it.reply !== undefined).length, 499)
  assert.equal(result.recipients[7]!.failure?.reply?.code, 550)
  assert.ok(result.transcript.length < 9000)
})

describe('a host that stops reading a large message', () => {
  const large = messageOf(Buffer.alloc(20_000_000, 'line of text\r\n'))
  let server: ReturnType<typeof createServer>
  const sockets: Socket[] = []

  /**
   * Starts a host that reads the envelope and the message up to `end`, stops reading, and applies `onEnd` to the
   * socket.
   */
  async function sluggish(end: string, onEnd: (socket: Socket) => void): Promise<{ port: number }> {
    server = createServer((socket) => {
      let message: string | undefined
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write('220 mx.test\r\n')
      socket.on('data', (chunk) => {
        const text = chunk.toString('latin1')
        if (text.startsWith('EHLO')) socket.write('250-mx.test\r\n250 PIPELINING\r\n')
        if (message !== undefined) message += text
        if (text.endsWith('DATA\r\n')) {
          message = ''
          socket.write('250 Ok\r\n250 Ok\r\n354 Go\r\n')
        }
        if (message?.includes(end)) onEnd(socket.pause())
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server.address() as { port: number }
  }

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    server.close()
  })

  test('for too long fails at "message": nothing was accepted', async () => {
    const connection = await open(await sluggish('line', () => {}), { dataBlock: 100 })
    const { failure } = (await connection.send(envelope, large)).recipients[0]!
    assert.deepEqual([failure?.stage, failure?.error?.code], ['message', 'timeout'])
  })

  test('and hangs up fails at "message"', async () => {
    const connection = await open(await sluggish('line', (socket) => socket.resetAndDestroy()))
    const { failure } = (await connection.send(envelope, large)).recipients[0]!
    assert.equal(failure?.stage, 'message')
    assert.ok(failure?.error !== undefined)
  })

  test('and refuses it fails by that reply', async () => {
    const connection = await open(await sluggish('line', (socket) => socket.write('552 5.3.4 Too large\r\n')))
    const { failure } = (await connection.send(envelope, large)).recipients[0]!
    assert.deepEqual([failure?.stage, failure?.reply?.code], ['message', 552])
    assert.equal(connection.usable, false)
  })

  test('has an unknown outcome for a small one, which fits into the buffers on the way', async () => {
    const connection = await open(await sluggish('\r\n.\r\n', (socket) => socket.resetAndDestroy()))
    const { failure } = (await connection.send(envelope, message)).recipients[0]!
    assert.equal(failure?.stage, 'end-of-data')
  })
})

// These tests run the dialog in this thread, where the client itself checks the remaining time; a connection in another
// thread receives the time in advance.
describe('a message that is withdrawn before its last bytes are sent', () => {
  const openHere = (host: MailHost): Promise<SmtpConnection> => open(host, {}, connectHere)
  const large = messageOf(
    'Subject: x\r\n\r\n',
    ...Array.from({ length: 12 }, () => `${'x'.repeat(98)}\r\n`.repeat(1_000)),
  )
  const withChunking = [...usualExtensions, 'CHUNKING']
  const withoutPipelining = withChunking.filter((keyword) => keyword !== 'PIPELINING')
  for (const [way, extensions, sent, questions] of [
    ['DATA', usualExtensions, message, 1],
    ['DATA, command by command', stepwise, message, 1],
    ['DATA in blocks', usualExtensions, large, 3],
    ['BDAT', withoutPipelining, message, 1],
    ['BDAT in blocks', withChunking, large, 3],
    ['BDAT at once', withChunking, message, 1],
  ] as const) {
    test(`does not reach the host: ${way}`, async () => {
      const host = await start({ extensions })
      for (let allowed = 0; allowed < questions; allowed++) {
        const connection = await openHere(host)
        let asked = 0
        const { recipients } = await connection.send(three, sent, undefined, {
          leftMs: () => (asked++ < allowed ? 1 : 0),
        })
        assert.equal(asked, allowed + 1)
        for (const { failure } of recipients) {
          assert.equal(failure?.error?.code, 'withdrawn')
          assert.notEqual(failure?.stage, 'end-of-data', 'the outcome is known')
        }
        connection.destroy()
      }
      assert.equal(host.mails.length, 0)
      const whole = await (await openHere(host)).send(three, sent, undefined, { leftMs: () => 1 })
      assert.ok(whole.recipients.every(({ reply }) => reply?.code === 250))
      assert.equal(host.mails.length, 1)
    })
  }
})
