// A TCP proxy that simulates a distant database by delaying all data in both directions.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Proxy to a distant database, started by `DistantHost.start` and stopped by `stop`. */
export class DistantHost {
  readonly url: string
  readonly #server: Server
  readonly #open: Set<Socket>

  private constructor(url: string, server: Server, open: Set<Socket>) {
    this.url = url
    this.#server = server
    this.#open = open
  }

  /** Starts a proxy for the host of a database URL; `ms` is the one-way delay. */
  static async start(databaseUrl: string, ms: number): Promise<DistantHost> {
    const url = new URL(databaseUrl)
    const { hostname, port } = url
    const open = new Set<Socket>()
    const server = createServer({ noDelay: true }, (near) => {
      const far = connect({ host: hostname, port: Number(port), noDelay: true })
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(from)
        from.on('data', (chunk) => setTimeout(() => to.write(chunk), ms))
        from.on('error', () => to.destroy())
        from.on('close', () => {
          open.delete(from)
          to.destroy()
        })
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url.port = String((server.address() as AddressInfo).port)
    return new DistantHost(url.href, server, open)
  }

  async stop(): Promise<void> {
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
    await once(this.#server, 'close')
  }
}
