// A TCP proxy that can be frozen: it takes connections and octets then, and passes nothing on, as a host that hangs.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Start with `FreezingProxy.start`, end with `stop`. */
export class FreezingProxy {
  readonly #server: Server
  readonly #target: { readonly host: string; readonly port: number }
  readonly #pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  #frozen = false
  /** Rest to be passed on, one behind the other, before everything is held back. */
  #steps: readonly string[] = []

  private constructor(target: { host: string; port: number }) {
    this.#target = target
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#onConnection(near))
  }

  static async start(host: string, port: number): Promise<FreezingProxy> {
    const proxy = new FreezingProxy({ host, port })
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  freeze(): void {
    this.#frozen = true
    for (const { near, far } of this.#pairs) {
      far.pause()
      near.pause()
    }
  }

  /** Passes on until these octets have gone to the other side, in this order; no answer to the last comes back. */
  freezeBehind(...octets: readonly string[]): void {
    this.#steps = octets
  }

  /** Passes on the octets that were held back. */
  thaw(): void {
    this.#frozen = false
    this.#steps = []
    for (const { near, far } of this.#pairs) {
      near.resume()
      far.resume()
    }
  }

  async stop(): Promise<void> {
    this.#server.close()
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
    await once(this.#server, 'close')
  }

  #onConnection(near: Socket): void {
    const far = connect({ ...this.#target, allowHalfOpen: true })
    const pair = { near, far }
    this.#pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        to.write(chunk)
        const [next, ...rest] = this.#steps
        if (from !== near || next === undefined || !chunk.includes(next)) return
        this.#steps = rest
        if (rest.length === 0) this.freeze()
      })
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => this.#pairs.delete(pair))
    }
    if (!this.#frozen) return
    near.pause()
    far.pause()
  }
}
