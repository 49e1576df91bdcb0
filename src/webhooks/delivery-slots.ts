// Slots for requests to receivers, which accounts share, and the webhooks that wait for a slot.

import { Shares } from '../lib/shares.ts'

/** A webhook that sends when there is a slot. */
export interface SlotHolder {
  readonly accountId: string
  pump(): void
}

/** A number of concurrent requests, of which no account holds more than stay free. */
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

  /** Takes a slot. False if the account has its share; its `pump` is called later when there is a slot. */
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
    // Longest waiting first; a webhook that gets none moves to the end.
    for (const one of [...this.#waiting]) {
      this.#waiting.delete(one)
      one.pump()
      if (this.#waiting.has(one)) break
    }
  }

  /** Removes a webhook that no longer sends. */
  leave(holder: SlotHolder): void {
    this.#waiting.delete(holder)
  }
}
