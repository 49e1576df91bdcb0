// The dialog with one address for one verification: asks for mailboxes, on a connection of its own meanwhile.

import type { Clock } from '../lib/clock.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import type { HostConnections } from './host-connections.ts'
import type { KeptConnection } from './idle-connections.ts'
import type { Patience } from './patience.ts'

export interface SessionOptions {
  readonly clock: Clock
  /** MAIL FROM; empty for the null sender. */
  readonly sender: string
}

/** A host that was given less time for its answers has not been slow. */
const SLOW_MS = 250

/** Call `end` when nothing more is asked. */
export class ProbeSession {
  readonly #host: HostConnections
  readonly #hostName: string
  readonly #options: SessionOptions
  readonly #patience: Patience
  #kept: KeptConnection | undefined

  constructor(host: HostConnections, hostName: string, options: SessionOptions, patience: Patience) {
    this.#host = host
    this.#hostName = hostName
    this.#options = options
    this.#patience = patience
  }

  /** Asks for a mailbox. Never rejects for what the host does. */
  async ask(recipient: string): Promise<RecipientResult> {
    const { clock } = this.#options
    const startedAt = clock.now()
    let result = await this.#askOnce(recipient)
    // A kept connection that the host closed meanwhile says nothing: ask on another.
    while (this.#kept?.reused && !this.#patience.signal?.aborted && wentStale(this.#kept, result)) {
      result = await this.#askOnce(recipient)
    }
    const now = clock.now()
    // Whoever came to the host with no time left has learned nothing of it.
    const cutShort = this.#patience.signal?.aborted && now - startedAt < SLOW_MS
    if (!cutShort || result.failure === undefined) this.#host.backOff.note(result.failure, now)
    return result
  }

  /** Gives the connection back; resolves when its place is free. */
  async end(): Promise<void> {
    const kept = this.#kept
    this.#kept = undefined
    if (kept !== undefined) await this.#host.giveBack(kept, this.#patience)
  }

  async #askOnce(recipient: string): Promise<RecipientResult> {
    if (!this.#kept?.connection.usable) {
      await this.end()
      const taken = await this.#host.take(this.#hostName, this.#patience)
      if ('stage' in taken) return { failure: taken }
      this.#kept = taken
    }
    return this.#kept.probe(this.#options.sender, recipient, this.#patience)
  }
}

/** Lost, or turned away by 421, on a connection that had served before. */
function wentStale({ connection }: KeptConnection, { failure }: RecipientResult): boolean {
  if (connection.usable || failure === undefined) return false
  return failure.reply === undefined ? failure.error?.code !== 'timeout' : failure.reply.code === 421
}
