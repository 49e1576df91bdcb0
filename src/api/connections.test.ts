// The connections of the HTTP door: unread answers do not gather, and the idlest makes room.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sleep, stays, until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { FairScheduler } from '../threads/fair-scheduler.ts'
import { ConnectionHandler } from './connection-handler.ts'
import { Connections } from './connections.ts'
import { HttpFigures } from './http-figures.ts'

const ANSWER = Buffer.alloc(1_000_000, 'x')
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

interface Door {
  open(from?: string): Promise<Socket>
  /** Stops taking connections, and lets those that are there end; resolves when none is left. */
  close(): Promise<void>
  /** Requests that were parsed so far. */
  parsed(): number
}

async function door(
  serve: RequestListener,
  {
    max,
    proxies = [],
    turns = new FairScheduler(),
  }: { max?: number; proxies?: readonly string[]; turns?: FairScheduler } = {},
): Promise<Door> {
  const connections = new Connections(serve, turns, new HttpFigures(), proxies, max)
  const server = createServer(connections.onRequest)
  const handler = new ConnectionHandler(server, connections)
  let parsed = 0
  server.on('request', () => parsed++)
  const accepted = new Set<string>()
  server.on('connection', (socket) => accepted.add(`${socket.remoteAddress}:${socket.remotePort}`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    parsed: () => parsed,
    async close() {
      handler.close()
      server.close()
      await once(server, 'close')
    },
    async open(from = '127.0.0.1') {
      const socket = connect({ host: '127.0.0.1', port, localAddress: from }).on('error', () => {})
      sockets.push(socket)
      await once(socket, 'connect')
      const name = `${from}:${socket.localPort}`
      await until('it is accepted or closed', () => accepted.has(name) || socket.closed)
      return socket
    },
  }
}

/** True if the other side still answers. */
async function answers(socket: Socket): Promise<boolean> {
  if (socket.destroyed || socket.readableEnded) return false
  socket.write(GET)
  const outcome = await Promise.race([
    once(socket, 'data').then(() => true),
    once(socket, 'close').then(() => false),
  ])
  return outcome
}

describe('connections', () => {
  test('a door that closes ends each kept connection behind the answer that it waits for', async () => {
    const waiting: ServerResponse[] = []
    const http = await door((_request, response) => void waiting.push(response))
    const sockets = [await http.open(), await http.open()]
    for (const socket of sockets) socket.write(GET)
    await until('both are asked', () => waiting.length === 2)
    let isClosed = false
    const closed = http.close().then(() => {
      isClosed = true
    })
    await nextTurn()
    assert.equal(isClosed, false)
    const received = sockets.map(async (socket) => {
      let octets = 0
      for await (const chunk of socket) octets += (chunk as Buffer).length
      return octets
    })
    for (const response of waiting) response.end(ANSWER)
    await closed
    for (const octets of await Promise.all(received)) assert.ok(octets > ANSWER.length)
  })

  test(
    'of pipelined requests whose answers nobody reads few are begun, and all are answered in order',
    thorough('1.1 CPU s; the other tests of the file cover the common cases'),
    async () => {
      let begun = 0
      const http = await door((_request, response) => {
        response.setHeader('x-number', String(begun++)).end(ANSWER)
      })
      const socket = await http.open()
      socket.pause()
      socket.write(GET.repeat(200))
      await until('some are begun', () => begun > 0)
      await stays('few are begun', () => begun < 15, 300)
      let text = ''
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1').replaceAll('x'.repeat(100), '')
      })
      socket.resume()
      const seen = (): number[] =>
        Array.from(text.matchAll(/x-number: (\d+)\r/g), ([, number]) => Number(number))
      await until('all are answered', () => seen().length >= 200)
      const numbers = seen()
      assert.deepEqual(
        numbers,
        Array.from({ length: 200 }, (_, i) => i),
      )
    },
  )

  test('while an answer is owed, a piece of what was pipelined is parsed and no more', async () => {
    const owed: (() => void)[] = []
    const http = await door((_request, response) => void owed.push(() => response.end('ok')))
    const socket = await http.open()
    let answered = 0
    socket.on('data', (chunk: Buffer) => {
      answered += chunk.toString('latin1').split('HTTP/1.1 200').length - 1
    })
    // The first brings a body, so that its end stands in the middle of what is read.
    const [first, sent] = ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n', 5_000]
    socket.write(`${first}1`)
    await sleep(20, 'the first piece is read by itself')
    socket.write(`23${GET.repeat(sent - 1)}`)
    await until('the first is begun', () => owed.length === 1)
    const piece = Math.ceil(4_096 / GET.length)
    await stays('a piece is parsed, and no more', () => http.parsed() <= 1 + piece, 100)
    for (let begun = 0; begun < sent; begun++) {
      while (owed.length === 0) await nextTurn()
      assert.equal(owed.length, 1)
      assert.ok(http.parsed() <= begun + 2 + 2 * piece, `${http.parsed()} were parsed, ${begun} begun`)
      owed.pop()?.()
      await nextTurn()
    }
    await until('all are answered', () => answered >= sent)
    assert.deepEqual([answered, http.parsed()], [sent, sent])
  })

  test('bodies of pipelined requests come to their own request', async () => {
    const http = await door(async (request, response) => {
      const parts = await request.toArray()
      await sleep(2, 'the endpoint takes its time')
      response.end(`<${Buffer.concat(parts)}>`)
    })
    const socket = await http.open()
    const posts = Array.from({ length: 50 }, (_, i) => {
      const body = `body ${i} `.repeat(i * 40)
      return `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    })
    socket.write(posts.join(''))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    await until('all have come', () => (text.match(/>/g)?.length ?? 0) >= 50)
    const bodies = Array.from(text.matchAll(/<([^>]*)>/g), ([, body]) => body)
    assert.deepEqual(
      bodies,
      Array.from({ length: 50 }, (_, i) => `body ${i} `.repeat(i * 40)),
    )
  })

  test('bodies are read in short turns, also when they were refused before they came', async () => {
    const [clients, body] = [2, 4_000_000]
    class CountedTurns extends FairScheduler {
      count = 0
      override run(owner: string, work: () => void): void {
        this.count++
        super.run(owner, work)
      }
    }
    const turns = new CountedTurns()
    let read = 0
    const refuse: RequestListener = (request, response) => {
      request.on('data', (piece: Buffer) => {
        read += piece.length
        // No turn is young behind this.
        for (const end = performance.now() + 3; performance.now() < end; );
      })
      response.writeHead(503).end()
    }
    const http = await door(refuse, { turns })
    const sockets = await Promise.all(Array.from({ length: clients }, () => http.open()))
    for (const socket of sockets) {
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body}\r\n\r\n`)
      await once(socket, 'data')
    }
    const begun = turns.count
    for (const socket of sockets) socket.write(Buffer.alloc(body))
    await until('they have come', () => read === clients * body)
    assert.ok(turns.count > begun, 'nothing was put off')
  })

  test('the idlest connection of a network gives way, and other networks keep theirs', async () => {
    const http = await door((_request, response) => void response.end('ok'), { max: 8 })
    const honest = await http.open('127.7.0.1')
    const idle: Socket[] = []
    for (let i = 0; i < 6; i++) idle.push(await http.open('127.0.0.1'))
    const alive = await Promise.all(idle.map(answers))
    assert.equal(alive.at(-1), true, 'the newest is served')
    assert.equal(alive[0], false, 'the idlest has given way')
    assert.equal(await answers(honest), true)
  })

  test('who is busy does not give way; a trusted proxy may have more than a share', async () => {
    const http = await door(() => {}, { max: 4 })
    const busy = [await http.open(), await http.open()]
    for (const socket of busy) socket.write(GET)
    await until('both are busy', () => http.parsed() === 2)
    const third = await http.open()
    await until('it is turned away', () => third.destroyed || third.readableEnded)
    assert.ok(busy.every((socket) => !socket.destroyed))

    const proxied = await door((_request, response) => void response.end('ok'), {
      ...{ max: 4, proxies: ['127.0.0.0/8'] },
    })
    const four = [await proxied.open(), await proxied.open(), await proxied.open(), await proxied.open()]
    assert.deepEqual(await Promise.all(four.map(answers)), [true, true, true, true])
  })
})
