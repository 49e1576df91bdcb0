// The thread that runs the dialogs with mail hosts: the journal entries that the thread writes, and its answers to
// orders. The tests of src/smtp, src/egress and src/delivery run their dialogs in such a thread as well.

import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { messageOf, startHost } from '../../../test/support/mail-host/client.ts'
import type { HostScript } from '../../../test/support/mail-host/script.ts'
import { sleep, until } from '../../../test/support/test-clock.ts'
import type { SmtpConnection } from '../connection.ts'
import { DialogThreads } from './dialog-threads.ts'

const threads = new DialogThreads(2)
after(() => threads.stop())

const connections: SmtpConnection[] = []
afterEach(() => {
  for (const connection of connections.splice(0)) connection.destroy()
})

async function open(port: number, tls: 'never' | 'required' = 'never'): Promise<SmtpConnection> {
  const host = { address: '127.0.0.1', port, hostName: 'mx.test' }
  const { connection, failure } = await threads.connect({ ...host, heloName: 'us.test', tls })
  assert.equal(failure, undefined)
  connections.push(connection as SmtpConnection)
  return connection as SmtpConnection
}

const envelope = { from: 'us@us.test', recipients: ['you@mx.test'] }
const message = messageOf('Subject: x\r\n\r\nHello\r\n')

test('a delivery is in the journal even if this thread is blocked', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'postrider-journal-'))
  after(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'journal')
  const file = openSync(path, 'w')
  after(() => closeSync(file))
  // The host has to reply while this thread is blocked.
  const { Receiver } = await import('../../../test/support/crash/receiver.ts')
  const receiver = await Receiver.start()
  after(() => receiver.stop())
  const connection = await open(receiver.port)
  const place = { file, position: 0, maxBytes: 4_096, startedAt: Date.now(), record: '{"of":"this message"}' }
  const sent = connection.send(envelope, message, undefined, { place })
  await new Promise(setImmediate)
  const line = (): string => readFileSync(path, 'utf8')
  for (const end = Date.now() + 20_000; line() === '' && Date.now() < end; );
  const { attempt, of } = JSON.parse(line())
  assert.equal(of, 'this message')
  const { reply, mx, address, source } = attempt
  assert.deepEqual([reply.code, mx, address, source], [250, 'mx.test', '127.0.0.1', '127.0.0.1'])
  assert.equal((await sent).recipients[0]?.reply?.code, 250)
})

test('a refused message is not in the journal', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'postrider-journal-'))
  after(() => rmSync(dir, { recursive: true }))
  const file = openSync(join(dir, 'journal'), 'w')
  after(() => closeSync(file))
  const host = await startHost({ script: ({ verb }) => (verb === 'BDAT' ? '550 5.7.1 No' : undefined) })
  const connection = await open(host.port)
  const place = { file, position: 0, maxBytes: 4_096, startedAt: 0, record: '{"of":"it"}' }
  const { recipients } = await connection.send(envelope, message, undefined, { place })
  assert.equal(recipients[0]?.failure?.reply?.code, 550)
  assert.equal(readFileSync(join(dir, 'journal'), 'utf8'), '')
})

test('a connection that its host closes while it is unused is known to be gone', async () => {
  const host = await startHost()
  const connection = await open(host.port)
  assert.equal(connection.usable, true)
  await host.stop()
  await until('the thread has reported it', () => !connection.usable)
})

for (const extensions of [undefined, ['PIPELINING']]) {
  test(`a reply over TLS that arrives before Node reports the end of writing is accepted: ${extensions ?? 'BDAT'}`, async () => {
    const host = await startHost({ tls: true, ...(extensions && { extensions }) })
    const connection = await open(host.port, 'required')
    for (let count = 0; count < 20; count++) {
      const { recipients } = await connection.send(envelope, message)
      assert.deepEqual(recipients[0]?.failure, undefined)
    }
    assert.equal(host.mails.length, 20)
  })
}

test('the thread sends no message after its time, and learns of an extension', async () => {
  // The host delays its reply to RCPT for longer than the sending time that the message has at first.
  const script: HostScript = ({ verb }) =>
    verb === 'RCPT' ? sleep(4_000, 'longer than the time that is left at first') : undefined
  const sendFor = async (renewedMs: number) => {
    const host = await startHost({ extensions: ['PIPELINING'], script })
    const connection = await open(host.port)
    let asked = 0
    const leftMs = (): number => (asked++ === 0 ? 3_000 : renewedMs)
    const { recipients } = await connection.send(envelope, message, undefined, { leftMs })
    return [recipients[0]?.failure?.error?.code, host.mails.length]
  }
  const [lost, renewed] = await Promise.all([sendFor(0), sendFor(60_000)])
  assert.deepEqual(lost, ['withdrawn', 0])
  assert.deepEqual(renewed, [undefined, 1])
})

test('a closed connection takes nothing more, and the thread goes on', async () => {
  const host = await startHost()
  const connection = await open(host.port)
  await connection.close()
  const { recipients } = await connection.send(envelope, message)
  assert.equal(recipients[0]?.failure?.error?.code, 'closed')
  assert.equal((await (await open(host.port)).send(envelope, message)).recipients[0]?.reply?.code, 250)
})

test('connections are divided among the threads, and each sends its messages', async () => {
  const host = await startHost()
  const opened = await Promise.all(Array.from({ length: 4 }, () => open(host.port)))
  const large = messageOf(`Subject: x\r\n\r\n${'0123456789\r\n'.repeat(100_000)}`)
  await Promise.all(opened.map((connection) => connection.send(envelope, large)))
  await Promise.all(opened.map((connection) => connection.send(envelope, message)))
  const bodies = host.mails.map(({ data }) => data.length)
  assert.equal(bodies.filter((length) => length === large.size).length, 4)
  assert.equal(bodies.filter((length) => length === message.size).length, 4)
})
