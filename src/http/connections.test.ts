// Tests the connections of an HTTP port: unread responses do not accumulate, and the connection that is idle longest is
// closed for a new connection.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sleep, stays, until } from '../../test/support/test-clock.ts'
import { FairScheduler } from '../threads/fair-scheduler.ts'
import { ConnectionHandler } from './connection-handler.ts'
import { Connections } from './connections.ts'
import { HttpFigures } from './http-figures.ts'

const ANSWER = Buffer.alloc(1_000_000, 'x')
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

interface Door {
  open(from?: string): Promise<Socket>
  /** Stops listening and lets the open connections end; resolves when no connection is left. */
  close(): Promise<void>
  /** Returns the number of requests that were parsed so far. */
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
      await until('the connection is accepted or closed', () => accepted.has(name) || socket.closed)
      return socket
    },
  }
}

/** True if the server still responds on a connection. */
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
  test('closing ends each open connection after the answer that it waits for', async () => {
    const waiting: ServerResponse[] = []
    const http = await door((_request, response) => void waiting.push(response))
    const sockets = [await http.open(), await http.open()]
    for (const socket of sockets) socket.write(GET)
    await until('both requests have arrived', () => waiting.length === 2)
    let isClosed = false
    const closed = http.close().then(() => {
      isClosed = true
    })
    await nextTurn()
    assert.equal(isClosed, false)
    const received = sockets.map(async (socket) => {
      let bytes = 0
      for await (const chunk of socket) bytes += (chunk as Buffer).length
      return bytes
    })
    for (const response of waiting) response.end(ANSWER)
    await closed
    for (const bytes of await Promise.all(received)) assert.ok(bytes > ANSWER.length)
  })

  test('a client that pipelines is served its first request, and its answer has "Connection: close"', async () => {
    const owed: (() => void)[] = []
    const http = await door((_request, response) => void owed.push(() => response.end('ok')))
    for (const piece of [1, 3, 200, 5_000]) {
      const socket = await http.open()
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      const before = http.parsed()
      socket.write(GET.repeat(piece))
      await until('the first request has begun', () => owed.length === 1)
      if (piece > 1) socket.write(GET)
      else {
        await nextTurn()
        socket.write(GET)
      }
      await until('the early bytes are sent', () => socket.writableLength === 0)
      await stays('no other request begins', () => owed.length === 1, 20)
      assert.ok(http.parsed() - before <= 1 + 4_096 / GET.length, `${http.parsed()} were parsed`)
      owed.pop()?.()
      await until('the connection ends', () => socket.readableEnded)
      assert.equal(text.match(/HTTP\/1\.1 200/g)?.length, 1)
      assert.match(text, /^connection: close\r$/im)
      assert.match(text, /ok$/)
    }
    assert.deepEqual(owed, [])
  })

  test('early bytes in the piece that ends a body are found as well', async () => {
    const http = await door(async (request, response) => {
      const parts = await request.toArray()
      response.end(`<${Buffer.concat(parts)}>`)
    })
    const socket = await http.open()
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n'
    socket.write(`${post}1`)
    await sleep(20, 'the first piece is read by itself')
    socket.write(`23${post}456`)
    await until('the connection ends', () => socket.readableEnded)
    assert.deepEqual(text.match(/<\w*>/g), ['<123>'])
  })

  test('early bytes during a streamed answer end the connection with that answer', async () => {
    let end = (): void => {}
    const http = await door((_request, response) => {
      response.write('begin ')
      end = () => response.end('end')
    })
    const socket = await http.open()
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write(GET)
    await until('the response has begun', () => text.includes('begin'))
    socket.write(GET)
    await sleep(20, 'the early bytes arrive')
    end()
    await until('the connection ends', () => socket.readableEnded)
    assert.match(text, /end\r\n0\r\n\r\n$/)
    assert.equal(http.parsed(), 1)
  })

  test('requests that each wait for the answer before are all served on one connection', async () => {
    const http = await door(async (request, response) => {
      const parts = await request.toArray()
      // The response exceeds the socket buffers of the system, so its end is sent later.
      response.end(Buffer.concat([...parts, ANSWER]))
    })
    const socket = await http.open()
    let received = 0
    let next = (): void => {}
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      next()
    })
    for (let i = 0; i < 30; i++) {
      const body = `body ${i} `.repeat(i * 100)
      const before = received
      const all = new Promise<void>((resolve) => {
        // The promise resolves when the last byte of the response has arrived.
        next = () => received - before >= ANSWER.length + body.length && resolve()
      })
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      await all
    }
    assert.equal(http.parsed(), 30)
  })

  test('bodies are read in short turns, even if they were refused before they arrived', async () => {
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
        // The busy loop makes each turn of the event loop too long for another piece of the body in the same turn.
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
    await until('all bodies are read', () => read === clients * body)
    assert.ok(turns.count > begun, 'no body was deferred')
  })

  test('the connection of a network that is idle longest is closed for a new one, and other networks keep theirs', async () => {
    const http = await door((_request, response) => void response.end('ok'), { max: 8 })
    const honest = await http.open('127.7.0.1')
    const idle: Socket[] = []
    for (let i = 0; i < 6; i++) idle.push(await http.open('127.0.0.1'))
    const alive = await Promise.all(idle.map(answers))
    assert.equal(alive.at(-1), true, 'the newest connection is served')
    assert.equal(alive[0], false, 'the connection that was idle longest is closed')
    assert.equal(await answers(honest), true)
  })

  test('a busy connection is not closed for a new one; a trusted proxy may have more than a share', async () => {
    const http = await door(() => {}, { max: 4 })
    const busy = [await http.open(), await http.open()]
    for (const socket of busy) socket.write(GET)
    await until('both connections are busy', () => http.parsed() === 2)
    const third = await http.open()
    await until('the third connection is refused', () => third.destroyed || third.readableEnded)
    assert.ok(busy.every((socket) => !socket.destroyed))

    const proxied = await door((_request, response) => void response.end('ok'), {
      ...{ max: 4, proxies: ['127.0.0.0/8'] },
    })
    const four = [await proxied.open(), await proxied.open(), await proxied.open(), await proxied.open()]
    assert.deepEqual(await Promise.all(four.map(answers)), [true, true, true, true])
  })
})
