// Tests that a client that disconnects while sending causes no server error: nothing is logged about this client,
// whereas real errors are logged.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { sleep, stays, until } from '../../test/support/test-clock.ts'
import { silentLog } from '../lib/log.ts'
import { HttpServer } from './http-server.ts'

const MAX_BODY = 4 * 1024 * 1024

let server: HttpServer
let handled = 0
const errors: string[] = []

before(async () => {
  const log = { ...silentLog, error: (_fields: object, message: string) => void errors.push(message) }
  server = new HttpServer({
    ...{ host: '127.0.0.1', port: 0, trustedProxies: [], log, docsUrl: () => 'http://docs.example' },
    callers: { accountOf: () => undefined, notPermitted: () => undefined },
    ...{ maxBodyBytes: MAX_BODY, bodyMemoryBytes: 4 * MAX_BODY },
  })
  const config = { body: { maxBytes: MAX_BODY } }
  server.fastify.post('/taken', { config }, async () => {
    handled++
    await sleep(50, 'the endpoint takes its time')
    return {}
  })
  server.fastify.post('/broken', { config }, async () => {
    throw new Error('of the endpoint')
  })
  await server.listen()
})
after(() => server.close())

async function send(path: string, head: string, body: string): Promise<Socket> {
  const { port } = new URL(server.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) }).on('error', () => {})
  await once(socket, 'connect')
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${head}\r\n\r\n${body}`)
  return socket
}

test('a client that disconnects is no error, at any part of its request and with any end of the connection', async () => {
  const begun = [
    ['Content-Length: 1000', ''],
    ['Content-Length: 1000', '{"a":'],
    ['Content-Length: 3000000', `{"a":"${'x'.repeat(1_000_000)}`],
    ['Transfer-Encoding: chunked', '5\r\n{"a":'],
    ['Transfer-Encoding: chunked', 'no length'],
  ] as const
  for (const [head, body] of begun) {
    for (const go of ['destroy', 'end', 'resetAndDestroy'] as const) {
      const socket = await send('/taken', head, body)
      await sleep(20, 'the client goes a moment later')
      socket[go]()
      socket.resume()
      await once(socket, 'close')
    }
  }
  // The client disconnects while the endpoint is working on the request.
  for (const go of ['destroy', 'end', 'resetAndDestroy'] as const) {
    const before = handled
    const socket = await send('/taken', 'Content-Length: 2', '{}')
    await until('the endpoint works on the request', () => handled === before + 1)
    socket[go]()
    socket.resume()
    await once(socket, 'close')
  }
  await stays('no error is logged', () => errors.length === 0, 100)
})

test('an error of an endpoint is logged', async () => {
  const socket = await send('/broken', 'Content-Length: 2', '{}')
  await once(socket, 'data')
  socket.destroy()
  assert.deepEqual(errors, ['Internal error; report the request ID.'])
})
