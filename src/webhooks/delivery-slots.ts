// Requests under way to receivers: a limit that accounts share, and who waits for a slot.

import { Shares } from '../lib/shares.ts'

/** A webhook that sends when there is a slot. */
export interface SlotHolder {
  readonly accountId: string
  pump(): void
}

/** So many requests at once, of which nobody holds more than stays free. */
export class DeliverySlots {
  readonly #shares: Shares
  readonly #waiting = new Set<SlotHolder>()
  #taken = 0

  constructor(total: number) {
    this.#shares = new Shares(total)
  }

  get taken(): number {
    return this.#taken
  }

  /** False where the account has its share; then its `pump` is called when there is a slot. */
  take(holder: SlotHolder): boolean {
    if (!this.#shares.take(holder.accountId, 1)) {
      this.#waiting.add(holder)
      return false
    }
    this.#taken++
    return true
  }

  release(holder: SlotHolder): void {
    this.#shares.release(holder.accountId, 1)
    this.#taken--
    // The one that waited longest first; whoever finds none is behind all others again.
    for (const one of [...this.#waiting]) {
      this.#waiting.delete(one)
      one.pump()
      if (this.#waiting.has(one)) break
    }
  }

  /** Forgets who does not send any more. */
  leave(holder: SlotHolder): void {
    this.#waiting.delete(holder)
  }
}
