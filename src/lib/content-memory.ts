// The memory for contents under way: each part of the node has one with a bound, charged as bytes come, divided by owner.

import { Shares } from './shares.ts'

const MIB = 1024 * 1024

/** Settings that bounds of contents under way depend on, in bytes. */
export interface ContentSizes {
  /** `POSTRIDER_BODY_MEMORY_BYTES` */
  readonly bodyMemoryBytes: number
  /** `POSTRIDER_MAX_MESSAGE_BYTES` */
  readonly maxMessageBytes: number
  /** `POSTRIDER_INBOUND_MAX_MESSAGE_BYTES` */
  readonly inboundMaxMessageBytes: number
}

type MessageSize = Pick<ContentSizes, 'maxMessageBytes'>

/**
 * The bounds of all contents that a node holds at once, in bytes as they came or were stored. Whatever holds contents
 * has its bound here, so that their sum is a bound as well (docs/limits.md states it).
 */
export const CONTENT_BYTES = {
  /** Request bodies, and answers that show contents. */
  request_bodies: ({ bodyMemoryBytes }: Pick<ContentSizes, 'bodyMemoryBytes'>) => bodyMemoryBytes,
  /** Request bodies at the admin listener. */
  admin_bodies: () => 4 * MIB,
  /** Messages that come by SMTP submission; of several accounts each can have a largest one. */
  submission: ({ maxMessageBytes }: MessageSize) => Math.max(128 * MIB, 4 * maxMessageBytes),
  /** Messages at the inbound port, which is public: three of the largest. */
  inbound: ({ maxMessageBytes, inboundMaxMessageBytes }: Omit<ContentSizes, 'bodyMemoryBytes'>) =>
    Math.max(64 * MIB, 3 * Math.max(maxMessageBytes, inboundMaxMessageBytes)),
  /** Inbound messages that are read and authenticated: several, or a single largest one. */
  inbound_reading: ({ inboundMaxMessageBytes }: Pick<ContentSizes, 'inboundMaxMessageBytes'>) =>
    Math.max(32 * MIB, inboundMaxMessageBytes),
  /** Mails that webhooks carry, until the receiver has answered. */
  webhook_mails: () => 32 * MIB,
  /** Rendered messages until they are written. */
  rendered: () => 32 * MIB,
  /** Texts that wait for a thread of the templates, in characters. */
  template_texts: () => 64 * MIB,
  /** Large messages that are being delivered, beside one more that is always taken. */
  delivery: () => 32 * MIB,
  /** One more large message, and the small ones: 64 KiB in each of 1,024 slots. */
  delivery_beside: ({ maxMessageBytes }: MessageSize) => maxMessageBytes + 64 * MIB,
} as const satisfies Record<string, (sizes: ContentSizes) => number>

/** Time for which a holder waits for memory before it is refused, in milliseconds. */
const MAX_WAIT_MS = 5_000

/** A holder that waits for more. */
interface Waiting {
  readonly held: HeldMemory
  readonly octets: number
  settle(taken: boolean): void
}

/**
 * The memory of one part. An owner is an account, or the network of a client that is not known. Holders that wait for
 * each other, since each has a part of what it needs, are not left to their time: the last to come is refused at once.
 */
export class ContentMemory {
  readonly #shares: Shares
  readonly #waiting = new Set<Waiting>()

  constructor(octets: number) {
    this.#shares = new Shares(octets)
  }

  take(owner: string, octets: number): boolean {
    return this.#shares.take(owner, octets)
  }

  /**
   * Resolves to true once it is taken, in the order in which it was asked for; to false when that takes too long, or
   * when others that wait too would have to give back first.
   */
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

  /** Gives back what a holder has, and withdraws what it still waits for. */
  release(held: HeldMemory, octets: number): void {
    for (const waiting of this.#waiting) if (waiting.held === held) waiting.settle(false)
    this.#shares.release(held.owner, octets)
    this.#serve()
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      if (this.#shares.take(waiting.held.owner, waiting.octets)) waiting.settle(true)
    }
    if (this.#waiting.size > 0) this.#endDeadlock()
  }

  /** Refuses the newest of those that no one else's release can help. */
  #endDeadlock(): void {
    const all = [...this.#waiting]
    const isAllHeldByWaiting = this.#shares.taken > 0 && this.#shares.taken === sizeOf(all)
    const byOwner = Map.groupBy(all, ({ held }) => held.owner)
    const deadlocked = isAllHeldByWaiting ? all : [...byOwner].find(this.#isDeadlocked)?.[1]
    deadlocked?.at(-1)?.settle(false)
  }

  /** Tells that an owner holds nothing but parts of what waits, beside which none of it ever fits into the owner's share. */
  readonly #isDeadlocked = ([owner, waiting]: readonly [string, readonly Waiting[]]): boolean => {
    const held = this.#shares.heldBy(owner)
    if (held === 0 || held !== sizeOf(waiting)) return false
    return waiting.every(({ octets }) => held + octets > this.#shares.total / 2)
  }
}

const sizeOf = (holders: readonly Waiting[]): number =>
  holders.reduce((total, { held }) => total + held.size, 0)

/** Memory held by one request, or one message. */
export class HeldMemory {
  readonly owner: string
  readonly #memory: ContentMemory
  #octets = 0
  /** It is no longer needed: the client has gone, for example. */
  released = false

  constructor(memory: ContentMemory, owner: string) {
    this.#memory = memory
    this.owner = owner
  }

  /** Bytes that it holds. */
  get size(): number {
    return this.#octets
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
      this.#memory.release(this, more)
      return false
    }
    // Beside it more may have been taken at once meanwhile.
    this.#octets += more
    return true
  }

  release(): void {
    if (this.released) return
    this.released = true
    this.#memory.release(this, this.#octets)
    this.#octets = 0
  }
}
