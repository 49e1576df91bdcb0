// Notes of deliveries beside the journal on this node's disk: in the shared store, where they outlive the disk too.

import type { Store } from '../store/database/store.ts'
import {
  clearDeliveryNotes,
  type Delivery,
  forgetDeliveryNotes,
  noteDelivery,
} from '../store/queue/delivery-notes.ts'

/** Time for which notes of written outcomes gather before they are removed together. */
const FORGET_MS = 500

/**
 * Notes each delivery whose outcome is not the only one to be written: the first goes to its commit at once, and those that
 * come meanwhile would wait for that. A node that is gone has one delivery at most that nobody knows of, and those whose
 * note was on its way.
 */
export class DeliveryNotes {
  readonly #store: Store
  #unwritten = 0
  #written: Pick<Delivery, 'claimed'>[] = []
  #forgetting: NodeJS.Timeout | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** Removes the notes of earlier processes that nothing waits for. */
  async clear(): Promise<void> {
    await this.#store.write(clearDeliveryNotes, {})
  }

  /** Begins before the outcome of a delivery is written; the answer is to be called when it is. */
  begin(delivery: Delivery): () => void {
    this.#unwritten++
    // Whether a note that failed was written or not, it is removed.
    const note = this.#unwritten === 1 ? undefined : this.#store.write(noteDelivery, delivery).catch(() => {})
    return () => {
      this.#unwritten--
      void note?.then(() => this.#forgetLater(delivery))
    }
  }

  /** Removes the notes of what is written. Notes that cannot be removed are left to the next start of a node. */
  async flush(): Promise<void> {
    clearTimeout(this.#forgetting)
    this.#forgetting = undefined
    const written = this.#written
    this.#written = []
    if (written.length > 0) await this.#store.write(forgetDeliveryNotes, written).catch(() => {})
  }

  #forgetLater(delivery: Pick<Delivery, 'claimed'>): void {
    this.#written.push(delivery)
    this.#forgetting ??= setTimeout(() => void this.flush(), FORGET_MS).unref()
  }
}
