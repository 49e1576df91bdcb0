// The memory for contents under way: each part of the node has a bound, charged as bytes arrive and divided by owner.

import { Shares } from './shares.ts'

const MIB = 1024 * 1024

/** The settings that the bounds depend on, in bytes. */
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
 * The bounds of all contents that a node holds at once, in bytes as received or stored. Everything that holds
 * contents has its bound here, so that their sum is a bound as well (docs/limits.md states it).
 */
export const CONTENT_BYTES = {
  /** Request bodies, and answers that show contents. */
  request_bodies: ({ bodyMemoryBytes }: Pick<ContentSizes, 'bodyMemoryBytes'>) => bodyMemoryBytes,
  /** Request bodies at the admin listener. */
  admin_bodies: () => 4 * MIB,
  /** Messages arriving by SMTP submission; several accounts can each have a largest one. */
  submission: ({ maxMessageBytes }: MessageSize) => Math.max(128 * MIB, 4 * maxMessageBytes),
  /** Messages at the inbound port, which is public: three of the largest. */
  inbound: ({ maxMessageBytes, inboundMaxMessageBytes }: Omit<ContentSizes, 'bodyMemoryBytes'>) =>
    Math.max(64 * MIB, 3 * Math.max(maxMessageBytes, inboundMaxMessageBytes)),
  /** Inbound messages being parsed and authenticated: several, or a single largest one. */
  inbound_reading: ({ inboundMaxMessageBytes }: Pick<ContentSizes, 'inboundMaxMessageBytes'>) =>
    Math.max(32 * MIB, inboundMaxMessageBytes),
  /** Mails in webhooks, until the receiver has answered. */
  webhook_mails: () => 32 * MIB,
  /** Rendered messages until they are written. */
  rendered: () => 32 * MIB,
  /** Texts that wait for a thread of the templates, in characters. */
  template_texts: () => 64 * MIB,
  /** Large messages being delivered, plus one more that is always accepted. */
  delivery: () => 32 * MIB,
  /** One more large message, and the small ones: 64 KiB in each of 1,024 slots. */
  delivery_beside: ({ maxMessageBytes }: MessageSize) => maxMessageBytes + 64 * MIB,
} as const satisfies Record<string, (sizes: ContentSizes) => number>

/** Time for which a holder waits for memory before it is refused, in milliseconds. */
const MAX_WAIT_MS = 5_000

/** A holder that waits for more. */
interface Waiting {
  readonly held: HeldMemory
  readonly bytes: number
  settle(taken: boolean): void
}

/**
 * The memory of one part. An owner is an account, or the network of an unknown client. When holders wait for each
 * other, because each holds a part of what it needs, the last to come is refused at once instead of waiting for the
 * timeout.
 */
export class ContentMemory {
  readonly #shares: Shares
  readonly #waiting = new Set<Waiting>()

  constructor(bytes: number) {
    this.#shares = new Shares(bytes)
  }

  take(owner: string, bytes: number): boolean {
    return this.#shares.take(owner, bytes)
  }

  /**
   * Resolves to true once the memory is taken, in the order of the calls; to false after a timeout, or when the
   * holder would wait for other waiters.
   */
  takeLater(held: HeldMemory, bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (taken: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve(taken)
      }
      const timer = setTimeout(settle, MAX_WAIT_MS, false)
      const waiting = { held, bytes, settle }
      this.#waiting.add(waiting)
      this.#serve()
    })
  }

  /** Releases the memory of a holder, and withdraws its waiting request. */
  release(held: HeldMemory, bytes: number): void {
    for (const waiting of this.#waiting) if (waiting.held === held) waiting.settle(false)
    this.#shares.release(held.owner, bytes)
    this.#serve()
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      if (this.#shares.take(waiting.held.owner, waiting.bytes)) waiting.settle(true)
    }
    if (this.#waiting.size > 0) this.#endDeadlock()
  }

  /** Refuses the newest of the waiters that no release by others can help. */
  #endDeadlock(): void {
    const all = [...this.#waiting]
    const isAllHeldByWaiting = this.#shares.taken > 0 && this.#shares.taken === sizeOf(all)
    const byOwner = Map.groupBy(all, ({ held }) => held.owner)
    const deadlocked = isAllHeldByWaiting ? all : [...byOwner].find(this.#isDeadlocked)?.[1]
    deadlocked?.at(-1)?.settle(false)
  }

  /**
   * True if an owner holds only parts of waiting requests, none of which can ever fit into its share in addition to
   * these parts.
   */
  readonly #isDeadlocked = ([owner, waiting]: readonly [string, readonly Waiting[]]): boolean => {
    const held = this.#shares.heldBy(owner)
    if (held === 0 || held !== sizeOf(waiting)) return false
    return waiting.every(({ bytes }) => held + bytes > this.#shares.total / 2)
  }
}

const sizeOf = (holders: readonly Waiting[]): number =>
  holders.reduce((total, { held }) => total + held.size, 0)

/** Memory held by one request or message. */
export class HeldMemory {
  readonly owner: string
  readonly #memory: ContentMemory
  #bytes = 0
  /** True once the memory is no longer needed, for example because the client has gone. */
  released = false

  constructor(memory: ContentMemory, owner: string) {
    this.#memory = memory
    this.owner = owner
  }

  /** Number of bytes held. */
  get size(): number {
    return this.#bytes
  }

  /** Grows to at least this size; false when there is not enough memory. */
  hold(bytes: number): boolean {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    if (!this.#memory.take(this.owner, more)) return false
    this.#bytes = bytes
    return true
  }

  /** The same, but waits for memory for a while. */
  async holdLater(bytes: number): Promise<boolean> {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    if (!(await this.#memory.takeLater(this, more))) return false
    if (this.released) {
      this.#memory.release(this, more)
      return false
    }
    // More may have been taken directly meanwhile.
    this.#bytes += more
    return true
  }

  release(): void {
    if (this.released) return
    this.released = true
    this.#memory.release(this, this.#bytes)
    this.#bytes = 0
  }
}
