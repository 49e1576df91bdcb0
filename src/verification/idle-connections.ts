// Open connections that nobody uses just now: kept a moment for the next probe, so many in all.

import type { KeyedLimit } from '../lib/keyed-limit.ts'
import type { SmtpConnection } from '../smtp/connection.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import type { Patience } from './patience.ts'

/** Hosts turn away who asks too much on one connection, or names too many unknown mailboxes. */
const MOST_PROBES = 20
const MOST_REFUSALS = 5

/** An open connection, and what it was used for. */
export class KeptConnection {
  /** The address that it leads to. */
  readonly address: string
  readonly connection: SmtpConnection
  /** Whether it has been idle: then the host may have closed it meanwhile. */
  reused = false
  /** When it is closed, unless somebody uses it before; of performance.now(). */
  idleUntil = 0
  #probes = 0
  #refusals = 0

  constructor(address: string, connection: SmtpConnection) {
    this.address = address
    this.connection = connection
  }

  /** Asks for one recipient, until the patience ends. */
  async probe(from: string, recipient: string, { signal }: Patience): Promise<RecipientResult> {
    this.#probes++
    const { recipients } = await this.connection.probe({ from, recipients: [recipient] }, signal)
    const result = recipients[0] as RecipientResult
    if (result.failure !== undefined) this.#refusals++
    return result
  }

  get worthKeeping(): boolean {
    return this.connection.usable && this.#probes < MOST_PROBES && this.#refusals < MOST_REFUSALS
  }
}

/** Beyond these the oldest is closed: each holds about 14 KiB. */
const MOST_IDLE = 1_000

/** Idle connections by address. */
export class IdleConnections {
  /** The oldest first. */
  readonly #all = new Set<KeptConnection>()
  readonly #byAddress = new Map<string, KeptConnection[]>()
  readonly #places: KeyedLimit
  #stopped = false

  /** @param places how many connections to each address may be open; who uses one has a place */
  constructor(places: KeyedLimit) {
    this.#places = places
  }

  /** Keeps a connection for so long, or closes it; resolves when that is done. */
  async keep(kept: KeptConnection, forMs: number): Promise<void> {
    if (!kept.worthKeeping || this.#stopped) return kept.connection.close()
    kept.reused = true
    kept.idleUntil = performance.now() + forMs
    this.#all.add(kept)
    const others = this.#byAddress.get(kept.address)
    if (others === undefined) this.#byAddress.set(kept.address, [kept])
    else others.push(kept)
    if (this.#all.size <= MOST_IDLE) return
    const [oldest] = this.#all
    if (oldest !== undefined) await this.#close(oldest)
  }

  /** The connection to this address that was used last, if the host has not closed it. */
  take(address: string): KeptConnection | undefined {
    for (;;) {
      const kept = this.#byAddress.get(address)?.at(-1)
      if (kept === undefined) return undefined
      this.#remove(kept)
      if (kept.connection.usable) return kept
      void kept.connection.close()
    }
  }

  /** Closes what was kept for long enough, unless somebody is about to use it. */
  async sweep(): Promise<void> {
    const now = performance.now()
    await Promise.all([...this.#all].filter((kept) => kept.idleUntil < now).map((kept) => this.#close(kept)))
  }

  /** Closes all of them, and from now on whatever would be kept. */
  async stop(): Promise<void> {
    this.#stopped = true
    const all = [...this.#all]
    for (const kept of all) this.#remove(kept)
    await Promise.all(all.map((kept) => kept.connection.close()))
  }

  async #close(kept: KeptConnection): Promise<void> {
    // While it closes it is still open, and needs a place. Where all are taken it stays for one of those inside.
    const leave = this.#places.tryEnter(kept.address)
    if (leave === undefined) return
    this.#remove(kept)
    await kept.connection.close()
    leave()
  }

  #remove(kept: KeptConnection): void {
    this.#all.delete(kept)
    const others = this.#byAddress.get(kept.address)?.filter((other) => other !== kept) ?? []
    if (others.length === 0) this.#byAddress.delete(kept.address)
    else this.#byAddress.set(kept.address, others)
  }
}
