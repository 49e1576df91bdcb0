// Slots for concurrent requests to webhook receivers, which accounts share, and the webhooks that wait for a slot.

import { Shares } from '../lib/shares.ts'

/** A webhook that sends requests when a slot is free. */
export interface SlotHolder {
  readonly accountId: string
  pump(): void
}

/** Limits the concurrent requests to receivers; no account holds more slots than it leaves free. */
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

  /**
   * Takes a slot. Returns false if the account has its share of slots; `pump` of the webhook is called later when a
   * slot is free.
   */
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
    // The webhook that has waited longest comes first; a webhook without a slot moves to the end.
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
