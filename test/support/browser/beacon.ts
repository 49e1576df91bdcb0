// An HTTP server that a hostile message might contact: records connections and answers every request.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens from `start` to `stop`. */
export class Beacon {
  /** Record of the contacts: `connection` for each TCP connection, and method and URL of each request. */
  readonly seen: string[] = []
  /** HTML document served at `/page`. */
  page = ''
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', () => this.seen.push('connection'))
  }

  static async start(): Promise<Beacon> {
    const server = createServer((request, response) => {
      beacon.seen.push(`${request.method} ${request.url}`)
      response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
      response.end(request.url === '/page' ? beacon.page : '<title>reached</title>')
    })
    const beacon = new Beacon(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return beacon
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
