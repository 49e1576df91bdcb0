// The memory for the bodies of requests under way: charged as octets arrive, and divided among accounts and strangers.

import { Shares } from '../lib/shares.ts'

/** Time for which a large body waits for its memory before it is refused, in milliseconds. */
const MAX_WAIT_MS = 5_000

/** A request that waits for more. */
interface Waiting {
  readonly held: HeldMemory
  readonly octets: number
  settle(taken: boolean): void
}

/** The memory of all. An owner is an account, or the network of a client that is not known. */
export class BodyMemory {
  readonly #shares: Shares
  readonly #waiting = new Set<Waiting>()

  constructor(octets: number) {
    this.#shares = new Shares(octets)
  }

  take(owner: string, octets: number): boolean {
    return this.#shares.take(owner, octets)
  }

  /** Resolves to true once it is taken, in the order in which it was asked for; to false when that takes too long. */
  takeLater(held: HeldMemory, octets: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (taken: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve(taken)
      }
      const timer = setTimeout(settle, MAX_WAIT_MS, false)
      const waiting = { held, octets, settle }
      this.#waiting.add(waiting)
      this.#serve()
    })
  }

  /** Gives back what a request held, and withdraws what it still waited for. */
  giveBack(held: HeldMemory, octets: number): void {
    for (const waiting of this.#waiting) if (waiting.held === held) waiting.settle(false)
    this.#shares.giveBack(held.owner, octets)
    this.#serve()
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      if (this.#shares.take(waiting.held.owner, waiting.octets)) waiting.settle(true)
    }
  }
}

/** Memory held by one request. */
export class HeldMemory {
  readonly owner: string
  readonly #memory: BodyMemory
  #octets = 0
  /** It is no longer needed: the client has gone, for example. */
  released = false
  /** The endpoint works on the body: then only its end frees it, also when the client has gone. */
  busy = false
  /** The rest of the body is not read any more, so that the connection has to end. */
  givenUp = false
  /** The octets of a large body, which have no other user: their memory is given back at the release. */
  octets: Uint8Array<ArrayBuffer> | undefined
  /** Called once, when it is released. */
  onRelease: (() => void) | undefined

  constructor(memory: BodyMemory, owner: string) {
    this.#memory = memory
    this.owner = owner
  }

  /** Makes sure that it holds at least so much; false when that is not to be had. */
  hold(octets: number): boolean {
    const more = octets - this.#octets
    if (more <= 0) return true
    if (!this.#memory.take(this.owner, more)) return false
    this.#octets = octets
    return true
  }

  /** The same, waiting for it a while. */
  async holdLater(octets: number): Promise<boolean> {
    const more = octets - this.#octets
    if (more <= 0) return true
    if (!(await this.#memory.takeLater(this, more))) return false
    if (this.released) {
      this.#memory.giveBack(this, more)
      return false
    }
    this.#octets = octets
    return true
  }

  release(): void {
    if (this.released) return
    this.released = true
    this.#memory.giveBack(this, this.#octets)
    this.#octets = 0
    // Garbage collection would find out much later: the buffer is outside of the heap.
    this.octets?.buffer.transfer(0)
    this.octets = undefined
    this.onRelease?.()
  }
}
