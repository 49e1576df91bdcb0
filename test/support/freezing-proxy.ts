// A TCP proxy that can be frozen: a frozen proxy accepts connections and bytes but forwards nothing, as if the server
// were hanging.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The proxy; a test calls `FreezingProxy.start` and `stop`. */
export class FreezingProxy {
  readonly #server: Server
  readonly #target: { readonly host: string; readonly port: number }
  readonly #pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  #frozen = false
  /** Byte sequences after which the proxy freezes. */
  #wanted: readonly string[] = []
  /** Byte sequences that the proxy still has to forward, in order, before it freezes. */
  #steps: readonly string[] = []
  /** Connection on which the first sequence was seen; the other sequences count only on this connection. */
  #followed: Socket | undefined

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

  get frozen(): boolean {
    return this.#frozen
  }

  freeze(): void {
    this.#frozen = true
    for (const { near, far } of this.#pairs) {
      far.pause()
      near.pause()
    }
  }

  /**
   * Forwards until these byte sequences have reached the server in this order over one connection, then freezes, so
   * that no reply to the last sequence arrives. The proxy watches all connections again if the connection ends earlier.
   */
  freezeAfter(...bytes: readonly string[]): void {
    this.#steps = bytes
    this.#wanted = bytes
    this.#followed = undefined
  }

  /** Forwards all bytes that were held back, and continues to forward. */
  thaw(): void {
    this.#frozen = false
    this.freezeAfter()
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
        if (from === near) this.#follow(near, chunk)
      })
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => {
        this.#pairs.delete(pair)
        if (this.#followed === near && !this.#frozen) this.freezeAfter(...this.#wanted)
      })
    }
    if (!this.#frozen) return
    near.pause()
    far.pause()
  }

  #follow(near: Socket, chunk: Buffer): void {
    if (this.#steps.length === 0 || (this.#followed ?? near) !== near) return
    // One chunk may contain several sequences.
    let from = 0
    while (this.#steps[0] !== undefined) {
      const at = chunk.indexOf(this.#steps[0], from)
      if (at < 0) return
      from = at + this.#steps[0].length
      this.#followed = near
      this.#steps = this.#steps.slice(1)
    }
    this.freeze()
  }
}
