import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { messageOf, openTo, refuseRecipients, startHost } from '../../test/support/mail-host/client.ts'
import { answerTo, chunkingExtensions } from '../../test/support/mail-host/script.ts'

const from = 'us@us.test'
const envelope = { from, recipients: ['you@mx.test'] }
const small = messageOf('Subject: x\r\n\r\nHello\r\n')
const large = messageOf(Buffer.alloc(17 * 200_000, 'line of text\r\n.\r\n'))

describe('by BDAT the message arrives byte for byte', () => {
  const cases: [string, (string | Buffer)[]][] = [
    ['with lines of dots', ['a\r\n.\r\n..\r\n.x\r\n']],
    ['with CRLF.CRLF inside', ['a\r\n\r\n.\r\nMAIL FROM:<x@y.test>\r\n']],
    ['with a first line of one dot', ['.\r\nb\r\n']],
    ['that is a dot', ['.\r\n']],
    ['that is empty', []],
    ['cut before a dot, with empty pieces', ['', 'a\r\n', '', '.\r\nb\r\n', '']],
    ['cut inside CRLF', ['a\r', '\n.', '\r\n.x', '\r\n']],
    ['without a last line end', ['a\r\nb']],
    ['with every possible byte', [Buffer.from(Array.from({ length: 256 }, (_, i) => i))]],
    ['in 3,000 pieces', Array.from({ length: 3000 }, (_, i) => `.${i}\r\n`)],
    ['of exactly 256 KiB', [Buffer.alloc(256 * 1024, '.line\r\n')]],
    ['of one byte more', [Buffer.alloc(256 * 1024, '.line\r\n'), '\n']],
    ['of 3 MB', ['x'.repeat(76), '\r\n', '.line\r\n'.repeat(100_000), 'line\r\n'.repeat(400_000)]],
  ]
  for (const tls of [false, true]) {
    for (const [name, chunks] of cases) {
      test(`${name}${tls ? ', over TLS' : ''}`, async () => {
        const host = await startHost({ tls })
        const connection = await openTo(host)
        const message = messageOf(...chunks)
        assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
        assert.ok(host.mails[0]!.data.equals(Buffer.concat(message.chunks)))
        assert.equal((await connection.send(envelope, small)).recipients[0]!.reply?.code, 250)
        assert.ok(!host.connections[0]!.commands.includes('DATA'))
      })
    }
  }
})

for (const extensions of [chunkingExtensions, chunkingExtensions.filter((it) => it !== 'PIPELINING')]) {
  describe(`a large message, ${extensions === chunkingExtensions ? 'pipelined' : 'step by step'}`, () => {
    test('waits for its envelope', async () => {
      const host = await startHost({ extensions })
      const connection = await openTo(host)
      const { recipients, transcript } = await connection.send(envelope, large)
      assert.equal(recipients[0]!.reply?.code, 250)
      const wrote = host.connections[0]!.chunks.slice(1).join('')
      assert.ok(wrote.startsWith('MAIL FROM:<us@us.test> SIZE=3400000\r\nRCPT TO:<you@mx.test>\r\nBDAT'))
      assert.match(transcript, / < 250 2\.1\.5 Ok\n\d+ > BDAT 3400000 LAST\n\d+ > \(3,400,000 bytes of/)
    })

    test('is not sent to a host that refuses every recipient', async () => {
      const host = await startHost({ extensions, script: refuseRecipients() })
      const connection = await openTo(host)
      const { failure } = (await connection.send(envelope, large)).recipients[0]!
      assert.deepEqual([failure?.stage, failure?.reply?.code], ['rcpt', 550])
      assert.deepEqual(host.connections[0]!.commands.slice(-1), ['RCPT TO:<you@mx.test>'])
      host.script = undefined
      assert.equal((await connection.send(envelope, large)).recipients[0]!.reply?.code, 250)
    })

    test('is not sent to a host that announced with 421 that it closes', async () => {
      const script = refuseRecipients()
      const host = await startHost({
        extensions,
        script: (command) =>
          script(command) === undefined || command.address === 'you@mx.test' ? undefined : '421 4.7.0 Enough',
      })
      const connection = await openTo(host)
      const both = { from, recipients: ['you@mx.test', 'more@mx.test'] }
      const { recipients } = await connection.send(both, large)
      assert.deepEqual(
        recipients.map(({ failure }) => [failure?.stage, failure?.reply?.code]),
        [
          ['data', 421],
          ['rcpt', 421],
        ],
      )
      assert.equal(host.mails.length, 0)
      assert.equal(connection.usable, false)
    })

    test('that is refused gets RSET next', async () => {
      const host = await startHost({ extensions, script: answerTo('BDAT', '554 5.7.1 Spam') })
      const connection = await openTo(host)
      const { failure } = (await connection.send(envelope, large)).recipients[0]!
      assert.deepEqual([failure?.stage, failure?.reply?.code], ['end-of-data', 554])
      host.script = undefined
      assert.equal((await connection.send(envelope, large)).recipients[0]!.reply?.code, 250)
      assert.equal(host.connections[0]!.commands.filter((command) => command === 'RSET').length, 1)
    })

    for (const [end, code] of [
      ['close', 'closed'],
      ['reset', 'reset'],
      ['hang', 'timeout'],
    ] as const) {
      test(`has an unknown outcome when all of it was sent and the answer is ${end}`, async () => {
        const host = await startHost({ extensions, script: answerTo('BDAT', { after: end }) })
        const connection = await openTo(host, { dataEnd: end === 'hang' ? 300 : 60_000 })
        const { failure } = (await connection.send(envelope, large)).recipients[0]!
        assert.deepEqual([failure?.stage, failure?.error?.code], ['end-of-data', code])
      })
    }
  })
}

describe('a host that stops reading', () => {
  const huge = messageOf(Buffer.alloc(20_000_000, 'line of text\r\n'))

  /** Starts a host that accepts the envelope, does not read the message, and applies `then` to the socket. */
  async function stopReading(then: (socket: Socket) => void): Promise<{ port: number }> {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write('220 mx.test\r\n')
      socket.on('data', (chunk) => {
        const text = chunk.toString('latin1')
        if (text.startsWith('EHLO')) socket.write('250-mx.test\r\n250-PIPELINING\r\n250 CHUNKING\r\n')
        if (text.startsWith('MAIL')) socket.write('250 Ok\r\n250 Ok\r\n')
        if (!text.startsWith('BDAT')) return
        socket.pause()
        then(socket)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return { port: (server.address() as { port: number }).port }
  }

  // The timeout for hosts that reply is longer than a slow machine needs for a reply.
  const cases: [string, (socket: Socket) => void, number, unknown[]][] = [
    ['for too long', () => {}, 150, ['message', 'timeout']],
    ['and hangs up', (socket) => void socket.resetAndDestroy(), 60_000, ['message', 'reset']],
    ['and refuses', (socket) => void socket.write('552 Too large\r\n'), 60_000, ['message', 552]],
    ['and says 500', (socket) => void socket.write('500 What?\r\n'), 60_000, ['data', 'protocol']],
  ]
  for (const [name, then, dataBlock, end] of cases) {
    test(`${name} took nothing`, async () => {
      const server = await stopReading(then)
      const connection = await openTo(server, { dataBlock })
      const { failure } = (await connection.send(envelope, huge)).recipients[0]!
      assert.deepEqual([failure?.stage, failure?.reply?.code ?? failure?.error?.code], end)
      assert.equal(connection.usable, false)
    })
  }
})

describe('a host that offers CHUNKING and does not know BDAT', () => {
  for (const code of [500, 502, 503]) {
    for (const [name, message] of [
      ['small', small],
      ['large', large],
    ] as const) {
      test(`gets a ${name} message by DATA after ${code}, and all that follow`, async () => {
        const host = await startHost({ script: answerTo('BDAT', `${code} 5.5.1 What?`) })
        const connection = await openTo(host)
        const { recipients, transcript } = await connection.send(envelope, message)
        assert.equal(recipients[0]!.reply?.code, 250)
        assert.match(transcript, /\* The host offers CHUNKING but does not know BDAT\n\d+ > RSET\n/)
        assert.equal(connection.chunking, false)
        assert.equal((await connection.send(envelope, message)).recipients[0]!.reply?.code, 250)
        assert.equal(connection.messagesSent, 2)
        const verbs = host.connections[0]!.commands.map((command) => command.split(' ')[0])
        assert.deepEqual(
          verbs.join(' '),
          'EHLO MAIL RCPT BDAT (message) RSET MAIL RCPT DATA (message) MAIL RCPT DATA (message)',
        )
        assert.ok(host.mails[0]!.data.equals(Buffer.concat(message.chunks)))
      })
    }
  }

  test('is judged by its reply to DATA', async () => {
    const host = await startHost({
      script: ({ verb, address, attempt }) => {
        if (verb === 'BDAT') return '502 5.5.1 Not implemented'
        if (verb === 'MESSAGE') return '554 5.7.1 Spam'
        return address === 'more@mx.test' && attempt === 2 ? '450 4.7.1 Later' : undefined
      },
    })
    const connection = await openTo(host)
    const both = { from, recipients: ['you@mx.test', 'more@mx.test'] }
    const { recipients } = await connection.send(both, small)
    assert.deepEqual(
      recipients.map(({ failure }) => [failure?.stage, failure?.reply?.code]),
      [
        ['end-of-data', 554],
        ['rcpt', 450],
      ],
    )
    assert.equal(connection.usable, true)
  })

  test('and reads the message as commands gets no more of it; no recipient counts as refused', async () => {
    const host = await startHost({ bdat: false })
    const connection = await openTo(host)
    const { failure } = (await connection.send(envelope, small)).recipients[0]!
    assert.ok(failure?.stage === 'data' || failure?.stage === 'mail')
    assert.equal(failure.error?.code, 'protocol')
    assert.equal(connection.chunking, false)
    assert.equal(connection.usable, false)
    const next = await openTo(host, {}, { chunking: false })
    assert.equal((await next.send(envelope, small)).recipients[0]!.reply?.code, 250)
  })

  test('and closes at once is tried again later', async () => {
    const host = await startHost({
      script: answerTo('BDAT', { reply: '502 5.5.1 No', raw: '421 4.7.0 Bye\r\n' }),
    })
    const { failure } = (await (await openTo(host)).send(envelope, small)).recipients[0]!
    assert.deepEqual([failure?.stage, failure?.error?.code], ['data', 'protocol'])
  })
})
