import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import {
  messageOf,
  openTo,
  refuseRecipients,
  startHost,
  timeoutsFor,
} from '../../test/support/mail-host/client.ts'
import { answerTo, chunkingExtensions, type HostAnswer } from '../../test/support/mail-host/script.ts'
import { sleep, until } from '../../test/support/test-clock.ts'
import type { TransactionResult } from './connection.ts'

const from = 'us@us.test'
const envelope = { from, recipients: ['you@mx.test'] }
const three = { from, recipients: ['one@mx.test', 'two@mx.test', 'three@mx.test'] }
const message = messageOf('Subject: x\r\n', '\r\nHello\r\n')

function ends({ recipients }: TransactionResult): unknown[] {
  return recipients.map(
    ({ reply, failure }) => reply?.code ?? [failure?.stage, failure?.reply?.code ?? failure?.error?.code],
  )
}

test('the whole transaction is sent in one write', async () => {
  const host = await startHost()
  const connection = await openTo(host)
  const sent = await connection.send(three, message)
  assert.deepEqual(ends(sent), [250, 250, 250])
  assert.deepEqual(host.connections[0]!.chunks.slice(1), [
    'MAIL FROM:<us@us.test> SIZE=21\r\nRCPT TO:<one@mx.test>\r\nRCPT TO:<two@mx.test>\r\n' +
      'RCPT TO:<three@mx.test>\r\nBDAT 21 LAST\r\nSubject: x\r\n\r\nHello\r\n',
  ])
  assert.match(sent.transcript, / > BDAT 21 LAST\n\d+ > \(21 bytes of message\)\n\d+ < 250 2\.1\.0 Ok\n/)
})

test('100 messages go over one connection, each in one write', async () => {
  const host = await startHost()
  const connection = await openTo(host)
  const text = (i: number) => `Subject: ${i}\r\n\r\n.\r\n`
  for (let i = 0; i < 100; i++)
    assert.deepEqual(ends(await connection.send(envelope, messageOf(text(i)))), [250])
  assert.equal(connection.messagesSent, 100)
  assert.equal(host.connections.length, 1)
  assert.equal(host.connections[0]!.chunks.length, 101)
  assert.ok(host.mails.every((mail, i) => mail.data.toString() === text(i)))
})

test('hundreds of recipients', async () => {
  const recipients = Array.from({ length: 500 }, (_, i) => `person${i}@mx.test`)
  const host = await startHost({ script: refuseRecipients('person7@mx.test') })
  const sent = await (await openTo(host)).send({ from, recipients }, message)
  assert.equal(sent.recipients.filter((it) => it.reply !== undefined).length, 499)
  assert.equal(sent.recipients[7]!.failure?.reply?.code, 550)
})

test('the parameters of MAIL are those of DATA', async () => {
  const host = await startHost()
  const recipients = ['grå@mx.test']
  await (await openTo(host)).send({ from, recipients }, { ...message, needs8Bit: true })
  assert.equal(host.mails[0]!.parameters, 'SIZE=21 BODY=8BITMIME SMTPUTF8')
})

test('the bytes are counted, whatever size the message claims to have', async () => {
  const host = await startHost()
  const connection = await openTo(host)
  for (const size of [1, 1000])
    assert.deepEqual(ends(await connection.send(envelope, { ...message, size })), [250])
  assert.equal(host.mails[1]!.data.length, 21)
})

describe('the envelope goes first', () => {
  test('where PIPELINING is not offered', async () => {
    const host = await startHost({ extensions: chunkingExtensions.filter((it) => it !== 'PIPELINING') })
    assert.deepEqual(ends(await (await openTo(host)).send(envelope, message)), [250])
    assert.equal(host.connections[0]!.chunks.length, 4)
    assert.match(host.connections[0]!.chunks[3]!, /^BDAT 21 LAST\r\nSubject/)
  })

  test('on a connection that was silent for a while: a host that is gone has not got the message', async () => {
    const host = await startHost()
    const connection = await openTo(host, { silence: 200 })
    await connection.send(envelope, message)
    await sleep(300, 'longer than a line may be silent')
    const before = host.connections[0]!.chunks.length
    assert.deepEqual(ends(await connection.send(envelope, message)), [250])
    assert.deepEqual(host.connections[0]!.chunks.slice(before), [
      'MAIL FROM:<us@us.test> SIZE=21\r\nRCPT TO:<you@mx.test>\r\n',
      'BDAT 21 LAST\r\nSubject: x\r\n\r\nHello\r\n',
    ])
    await sleep(300, 'longer than a line may be silent')
    host.script = answerTo('MAIL', { after: 'reset' })
    assert.deepEqual(ends(await connection.send(envelope, message)), [['mail', 'reset']])
  })
})

describe('a host that refuses', () => {
  test('some recipients accepts the message for the others', async () => {
    const host = await startHost({ script: refuseRecipients('two@mx.test') })
    const connection = await openTo(host)
    assert.deepEqual(ends(await connection.send(three, message)), [250, ['rcpt', 550], 250])
    assert.deepEqual(host.mails[0]!.recipients, ['one@mx.test', 'three@mx.test'])
    assert.deepEqual(ends(await connection.send(three, message)), [250, ['rcpt', 550], 250])
    assert.ok(!host.connections[0]!.commands.includes('RSET'))
  })

  for (const bdat of ['554 5.5.1 No valid recipients', '503 5.5.1 RCPT first', '250 2.0.0 Ok, thrown away']) {
    test(`all recipients, and says ${bdat} to BDAT, stays in step`, async () => {
      const refuse = refuseRecipients()
      const host = await startHost({
        script: (command) => (command.verb === 'BDAT' ? bdat : refuse(command)),
      })
      const connection = await openTo(host)
      const refused = ['rcpt', 550]
      assert.deepEqual(ends(await connection.send(three, message)), [refused, refused, refused])
      assert.equal(connection.messagesSent, 0)
      assert.equal(connection.chunking, true)
      host.script = undefined
      assert.deepEqual(ends(await connection.send(three, message)), [250, 250, 250])
      const resets = host.connections[0]!.commands.filter((command) => command === 'RSET')
      assert.equal(resets.length, bdat.startsWith('2') ? 0 : 1)
    })
  }

  test('the sender refuses all, and stays in step', async () => {
    const host = await startHost({ script: answerTo('MAIL', '550 5.7.1 Not you') })
    const connection = await openTo(host)
    assert.deepEqual(ends(await connection.send(envelope, message)), [['mail', 550]])
    host.script = undefined
    assert.deepEqual(ends(await connection.send(envelope, message)), [250])
  })

  for (const code of [452, 554]) {
    test(`the message with ${code} gets RSET next, and no more before its reply`, async () => {
      const host = await startHost({ script: answerTo('BDAT', `${code} No`) })
      const connection = await openTo(host)
      assert.deepEqual(ends(await connection.send(envelope, message)), [['end-of-data', code]])
      assert.equal(connection.chunking, true)
      host.script = undefined
      assert.deepEqual(ends(await connection.send(envelope, message)), [250])
      assert.match(host.connections[0]!.chunks[2]!, /^RSET\r\nMAIL .*\r\nRCPT .*\r\n$/)
      assert.deepEqual(ends(await connection.send(envelope, message)), [250])
      assert.match(host.connections[0]!.chunks.at(-1)!, /^MAIL (.*\r\n)*BDAT/)
    })
  }

  test('RSET gets no further message', async () => {
    const host = await startHost({
      script: ({ verb }) => (verb === 'RSET' ? '500 What?' : verb === 'BDAT' ? '554 No' : undefined),
    })
    const connection = await openTo(host)
    await connection.send(envelope, message)
    assert.deepEqual(ends(await connection.send(envelope, message)), [['mail', 'protocol']])
    assert.equal(connection.usable, false)
  })
})

describe('all bytes had left', () => {
  const steps: [string, HostAnswer, string, string | number][] = [
    ['MAIL', { after: 'close' }, 'end-of-data', 'closed'],
    ['MAIL', { after: 'reset' }, 'end-of-data', 'reset'],
    ['MAIL', { after: 'hang' }, 'end-of-data', 'timeout'],
    ['MAIL', { raw: 'garbage\r\n' }, 'end-of-data', 'protocol'],
    ['MAIL', { reply: '421 4.3.2 Closing', after: 'close' }, 'mail', 421],
    ['MAIL', { reply: '354 What is it?' }, 'mail', 'protocol'],
    ['RCPT', { after: 'close' }, 'end-of-data', 'closed'],
    ['RCPT', { after: 'reset' }, 'end-of-data', 'reset'],
    ['RCPT', { after: 'hang' }, 'end-of-data', 'timeout'],
    ['RCPT', { raw: '250-x\r\n550 y\r\n' }, 'end-of-data', 'protocol'],
    ['RCPT', { reply: '421 4.3.2 Closing', after: 'close' }, 'rcpt', 421],
    ['RCPT', { reply: '354 To whom?' }, 'rcpt', 'protocol'],
    ['BDAT', { after: 'close' }, 'end-of-data', 'closed'],
    ['BDAT', { after: 'reset' }, 'end-of-data', 'reset'],
    ['BDAT', { after: 'hang' }, 'end-of-data', 'timeout'],
    ['BDAT', { raw: '\r\n' }, 'end-of-data', 'protocol'],
    ['BDAT', { reply: '354 Go ahead' }, 'end-of-data', 'protocol'],
    ['BDAT', { reply: '421 4.3.2 Closing', after: 'close' }, 'end-of-data', 421],
  ]
  for (const [verb, answer, stage, what] of steps) {
    test(`${verb} answered by ${JSON.stringify(answer)} fails at ${stage}: ${what}`, async () => {
      const host = await startHost({ script: answerTo(verb, answer) })
      const connection = await openTo(host, timeoutsFor(verb, answer))
      assert.deepEqual(ends(await connection.send(envelope, message)), [[stage, what]])
      assert.equal(connection.usable, false)
      assert.equal(connection.messagesSent, 0)
    })
  }

  test('a recipient refused before the connection broke stays refused; the others are unknown', async () => {
    const refuse = refuseRecipients('two@mx.test')
    const host = await startHost({
      script: (command) => (command.verb === 'BDAT' ? { after: 'reset' } : refuse(command)),
    })
    const unknown = ['end-of-data', 'reset']
    const sent = await (await openTo(host)).send(three, message)
    assert.deepEqual(ends(sent), [unknown, ['rcpt', 550], unknown])
  })

  test('a 421 to the second recipient is the reply to all three: nothing was accepted', async () => {
    const host = await startHost({
      script: ({ address }) =>
        address === 'two@mx.test' ? { reply: '421 4.7.0 Enough', after: 'close' } : undefined,
    })
    const connection = await openTo(host)
    assert.deepEqual(ends(await connection.send(three, message)), [
      ['data', 421],
      ['rcpt', 421],
      ['rcpt', 421],
    ])
    assert.equal(connection.usable, false)
  })

  test('a 421 after which the host goes on does not affect the other recipients', async () => {
    const host = await startHost({
      script: ({ address }) => (address === 'two@mx.test' ? '421 4.7.0 Enough of him' : undefined),
    })
    const connection = await openTo(host)
    assert.deepEqual(ends(await connection.send(three, message)), [250, ['rcpt', 421], 250])
    assert.equal(connection.usable, false)
  })

  for (const answer of [{ raw: '421 4.4.2 Bye\r\n' }, { after: 'reset' }, { after: 'close' }] as const) {
    test(`${JSON.stringify(answer)} after the reply to BDAT does not undo it`, async () => {
      const host = await startHost({ script: answerTo('BDAT', { reply: '250 2.0.0 Ok', ...answer }) })
      const connection = await openTo(host)
      assert.deepEqual(ends(await connection.send(envelope, message)), [250])
      await until('the extra reply is noticed', () => !connection.usable)
      assert.deepEqual(ends(await connection.send(envelope, message)), [['mail', connectionError(answer)]])
    })
  }

  test('the reply to BDAT has the timeout of the final dot, earlier replies have their own', async () => {
    const host = await startHost({ script: answerTo('BDAT', { reply: '250 2.0.0 Ok', delayMs: 2_500 }) })
    const connection = await openTo(host, { mail: 2_000, rcpt: 2_000, envelope: 2_000 })
    assert.deepEqual(ends(await connection.send(envelope, message)), [250])
  })
})

function connectionError(answer: HostAnswer): string {
  return answer.after === undefined ? 'protocol' : answer.after === 'close' ? 'closed' : 'reset'
}

describe('not all bytes had left', () => {
  // The envelope is larger than the socket buffers of the system, although the message itself is small.
  const recipients = Array.from({ length: 8000 }, (_, i) => `${'x'.repeat(900)}${i}@mx.test`)
  const taken = '250 Ok\r\n'.repeat(8000)

  /**
   * Starts a host that reads only the first bytes of the envelope, sends `text` as its replies, and resets the
   * connection.
   */
  async function sluggish(text: string): Promise<{ port: number }> {
    const sockets: Socket[] = []
    const server = createServer({ highWaterMark: 1024 }, (socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write('220 mx.test\r\n')
      socket.once('data', () => {
        socket.write('250-mx.test\r\n250-CHUNKING\r\n250 PIPELINING\r\n')
        socket.once('data', () => {
          socket.pause().write(text)
          // A TCP reset discards data that was not read yet.
          void sleep(250, 'the host reads nothing for a while').then(() => socket.resetAndDestroy())
        })
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return { port: (server.address() as { port: number }).port }
  }

  const cases: [string, unknown[]][] = [
    ['', ['mail', 'reset']],
    ['250 Ok\r\n', ['rcpt', 'reset']],
    [`250 Ok\r\n${taken}`, ['message', 'reset']],
    ['250 Ok\r\n550 Who?\r\n', ['rcpt', 550]],
    [`250 Ok\r\n${taken}552 Too large\r\n`, ['message', 552]],
  ]
  for (const [text, end] of cases) {
    test(`and the host said ${JSON.stringify(text.slice(0, 20) + text.slice(-15))}: nothing was accepted`, async () => {
      const connection = await openTo(await sluggish(text))
      assert.deepEqual(ends(await connection.send({ from, recipients }, message))[0], end)
      assert.equal(connection.usable, false)
    })
  }
})
