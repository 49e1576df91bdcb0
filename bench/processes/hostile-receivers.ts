// Hostile webhook receivers: each receiver accepts connections and then misbehaves in its own way.

import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { certificateFor } from '../../test/support/authority.ts'
import { answerParent } from '../harness/child.ts'

const BLOCK = Buffer.alloc(1024 * 1024, 'x')
const sockets = new Set<Socket>()
const servers: Server[] = []

/** Sends one byte per second until the client disconnects. */
function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write('x'), 1_000)
  response.on('close', () => clearInterval(timer))
}

/** Sends a response body of a gigabyte, until the client stops reading or the body ends. */
function flood(response: ServerResponse): void {
  let left = 1024
  response.writeHead(200)
  const more = (): void => {
    while (left-- > 0 && !response.destroyed && response.write(BLOCK));
  }
  response.on('drain', more)
  more()
}

async function listen(server: Server, scheme = 'http'): Promise<string> {
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const http = (answer: (response: ServerResponse) => void): Server =>
  createHttpServer((request, response) => {
    request.resume()
    response.on('error', () => {})
    answer(response)
  })

/** Starts the receivers; returns the URL of each receiver, by the kind of misbehaviour. */
async function start(_: undefined): Promise<Readonly<Record<string, string>>> {
  const redirect = (response: ServerResponse): void =>
    void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end()
  return {
    'never answers': await listen(http(() => {})),
    'a byte a second': await listen(http(drip)),
    'a gigabyte': await listen(http(flood)),
    redirects: await listen(http(redirect)),
    resets: await listen(createTcpServer((socket) => void socket.resetAndDestroy())),
    'a certificate of another name': await listen(
      createHttpsServer(await certificateFor(['other.test']), (_request, response) => response.end()),
      'https',
    ),
  }
}

const calls = { start }
export type HostileReceiversCalls = typeof calls
answerParent(calls, () => {
  for (const server of servers) server.close()
  for (const socket of sockets) socket.destroy()
})
