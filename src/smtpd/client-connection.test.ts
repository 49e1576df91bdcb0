// Tests that a read finds the bytes that arrived while no caller was reading.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { until } from '../../test/support/test-clock.ts'
import { systemClock } from '../lib/clock.ts'
import { ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import { ClientConnection } from './client-connection.ts'
import { MessageBuffer } from './message-buffer.ts'

const MIB = 1024 * 1024
/** Part of a message so large that further bytes have to wait for memory. */
const LARGE = 'x'.repeat(256 * 1024)

let server: Server

before(async () => {
  server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => server.close())

interface Connected {
  readonly client: Socket
  readonly connection: ClientConnection
  /** Sends bytes and waits until they have been read from the socket. */
  bring(bytes: string): Promise<void>
}

async function connected(): Promise<Connected> {
  const accepted = once(server, 'connection')
  const { port } = server.address() as { port: number }
  const client = connect({ port, host: '127.0.0.1', noDelay: true })
  const [socket] = (await accepted) as [Socket]
  const connection = new ClientConnection(socket, systemClock)
  const bring = async (bytes: string): Promise<void> => {
    const all = socket.bytesRead + bytes.length
    client.write(bytes)
    await until('the bytes have been read', () => socket.bytesRead === all)
  }
  return { client, connection, bring }
}

describe('a message whose rest comes while its reader waits for memory', () => {
  const END = '\r\n.\r\n'
  for (let cut = 0; cut < END.length; cut++) {
    for (const [behind, later] of [
      ['', 'NOOP\r\n'],
      ['NO', 'OP\r\n'],
      ['NOOP\r\n', ''],
    ] as const) {
      const rest = `${END.slice(cut)}${behind}`
      test(JSON.stringify(rest), async () => {
        const memory = new ContentMemory(2 * MIB)
        const other = new HeldMemory(memory, 'another network')
        assert.ok(other.hold(1.5 * MIB))
        const { client, connection, bring } = await connected()
        const message = new MessageBuffer(new HeldMemory(memory, 'a network'), MIB, MIB)
        message.push(Buffer.from(LARGE))
        const isWhole = connection.readMessage(message)
        await bring(`x${END.slice(0, cut)}`)
        await bring(rest)
        other.release()
        assert.equal(await isWhole, true)
        assert.equal(message.content().toString(), `${LARGE}x\r\n`)
        client.end(later)
        assert.equal(String(await connection.readCommand()), 'NOOP')
        assert.equal(await connection.readCommand(), undefined)
        connection.destroy()
      })
    }
  }
})

test('commands that come while the one before is carried out', async () => {
  const { client, connection, bring } = await connected()
  const first = connection.readCommand()
  await bring('EHLO client.test\r\nMA')
  assert.equal(String(await first), 'EHLO client.test')
  const second = connection.readCommand()
  await bring('IL FROM:<>\r\n')
  assert.equal(String(await second), 'MAIL FROM:<>')
  await bring('RCPT TO:<a@b.test>\r\n')
  assert.equal(String(await connection.readCommand()), 'RCPT TO:<a@b.test>')
  client.end()
  assert.equal(await connection.readCommand(), undefined)
  connection.destroy()
})
