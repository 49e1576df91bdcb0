// Limits the memory for message contents in use. Each part of the node has a limit, which owners share; bytes count as
// soon as the bytes arrive.

import { Shares } from './shares.ts'

const MIB = 1024 * 1024

/** Settings that determine the memory limits, in bytes. */
export interface ContentSizes {
  /** Setting `POSTRIDER_BODY_MEMORY_BYTES`. */
  readonly bodyMemoryBytes: number
  /** Setting `POSTRIDER_MAX_MESSAGE_BYTES`. */
  readonly maxMessageBytes: number
  /** Setting `POSTRIDER_INBOUND_MAX_MESSAGE_BYTES`. */
  readonly inboundMaxMessageBytes: number
}

type MessageSize = Pick<ContentSizes, 'maxMessageBytes'>

/**
 * Limits of the contents that the parts of a node hold at once, in bytes as received or stored. Every part that holds
 * contents has a limit here, so that the sum of the limits bounds the whole node (docs/limits.md states the sum).
 */
export const CONTENT_BYTES = {
  /** HTTP request bodies, and responses that contain message contents. */
  request_bodies: ({ bodyMemoryBytes }: Pick<ContentSizes, 'bodyMemoryBytes'>) => bodyMemoryBytes,
  /** HTTP request bodies at the admin listener. */
  admin_bodies: () => 4 * MIB,
  /**
   * Messages received by SMTP submission; several accounts can each submit a message of the maximum size at the same
   * time.
   */
  submission: ({ maxMessageBytes }: MessageSize) => Math.max(128 * MIB, 4 * maxMessageBytes),
  /** Messages received at the public inbound port: at least three messages of the maximum size. */
  inbound: ({ maxMessageBytes, inboundMaxMessageBytes }: Omit<ContentSizes, 'bodyMemoryBytes'>) =>
    Math.max(64 * MIB, 3 * Math.max(maxMessageBytes, inboundMaxMessageBytes)),
  /** Inbound messages being parsed and authenticated: several small messages, or one message of the maximum size. */
  inbound_reading: ({ inboundMaxMessageBytes }: Pick<ContentSizes, 'inboundMaxMessageBytes'>) =>
    Math.max(32 * MIB, inboundMaxMessageBytes),
  /** Received mails in webhook requests, until the receiver has responded. */
  webhook_mails: () => 32 * MIB,
  /** Rendered messages that are not stored yet; the messages of one request that are accepted as a whole. */
  rendered: () => 64 * MIB,
  /** Attachments that are fetched from URLs, until their messages are built. */
  attachment_files: () => 64 * MIB,
  /** Texts that wait for a template thread, in characters. */
  template_texts: () => 64 * MIB,
  /** Large messages being delivered; one more large message is always accepted. */
  delivery: () => 32 * MIB,
  /**
   * Deliveries beyond the limit of large messages: one more large message, and small messages of 64 KiB in each of
   * 1,024 slots.
   */
  delivery_beside: ({ maxMessageBytes }: MessageSize) => maxMessageBytes + 64 * MIB,
} as const satisfies Record<string, (sizes: ContentSizes) => number>

/** Maximum time in milliseconds for which a holder waits for memory. */
const MAX_WAIT_MS = 5_000

/** A holder that waits for more memory. */
interface Waiting {
  readonly held: HeldMemory
  readonly bytes: number
  settle(taken: boolean): void
}

/**
 * The memory of one part of the node. An owner is an account, or the network of an unknown client. The newest holder is
 * refused immediately, without a timeout, if holders wait for each other because each has only a part of the needed
 * memory.
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
   * Resolves to true once the memory is taken, in the order of the calls. Resolves to false after a timeout, or if the
   * holder would be in a deadlock with other waiting holders.
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

  /** Releases the memory of a holder, and withdraws the holder's waiting request. */
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

  /** Refuses the newest of the holders in a deadlock, which no release by other holders can end. */
  #endDeadlock(): void {
    const all = [...this.#waiting]
    const isAllHeldByWaiting = this.#shares.taken > 0 && this.#shares.taken === sizeOf(all)
    const byOwner = Map.groupBy(all, ({ held }) => held.owner)
    const deadlocked = isAllHeldByWaiting ? all : [...byOwner].find(this.#isDeadlocked)?.[1]
    deadlocked?.at(-1)?.settle(false)
  }

  /**
   * True if all memory of an owner belongs to waiting holders, and no waiting request can ever fit into the owner's
   * share.
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

  get size(): number {
    return this.#bytes
  }

  /** Takes memory until the holder has at least `bytes`; returns false if there is not enough memory. */
  hold(bytes: number): boolean {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    if (!this.#memory.take(this.owner, more)) return false
    this.#bytes = bytes
    return true
  }

  /** Does the same as `hold`, but waits up to `MAX_WAIT_MS` for memory. */
  async holdLater(bytes: number): Promise<boolean> {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    if (!(await this.#memory.takeLater(this, more))) return false
    if (this.released) {
      this.#memory.release(this, more)
      return false
    }
    // A call of `hold` may have changed the size during the wait.
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
