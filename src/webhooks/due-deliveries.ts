// Reads the deliveries of a held webhook that are due again, a few deliveries at a time; no delivery is read a second
// time before its outcome is written.

import type { Clock } from '../lib/clock.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type Delivery, dueDeliveries } from '../store/webhooks/deliveries.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import { type DeliveredEvent, feedOf } from './webhook-feed.ts'

/** Maximum number of pending deliveries that are read at a time. */
const MAX_DUE = 200
/** Maximum number of events in the read deliveries; a single delivery may have more. */
const MAX_EVENTS = 600
/** Interval of checks for pending deliveries, in milliseconds. */
export const DUE_EVERY_MS = 500

/** A delivery that is due again, with the events that still exist. */
export interface DueDelivery {
  readonly previous: Delivery
  readonly events: readonly DeliveredEvent[]
}

export interface DueDeliveriesOptions {
  readonly store: Store
  readonly clock: Clock
  readonly webhook: Pick<Webhook, 'id' | 'account_id' | 'domain_id' | 'feed_id'>
}

export class DueDeliveries {
  readonly #options: DueDeliveriesOptions
  readonly #ready: DueDelivery[] = []
  /**
   * IDs of deliveries that were read and whose outcome is not written, so that the deliveries are still due in the
   * store.
   */
  readonly #open = new Set<string>()
  #readAt = Number.NEGATIVE_INFINITY
  #hasMore = false

  constructor(options: DueDeliveriesOptions) {
    this.#options = options
  }

  get ready(): number {
    return this.#ready.length
  }

  /** Removes and returns the delivery that has been due longest. */
  next(): DueDelivery | undefined {
    return this.#ready.shift()
  }

  /** Records that the outcomes of these deliveries are written. */
  written(deliveries: readonly Delivery[]): void {
    for (const { id } of deliveries) this.#open.delete(id)
  }

  /**
   * Reads more deliveries if none is ready and the interval has passed; returns the IDs of deliveries whose events no
   * longer exist.
   */
  async readMore(): Promise<string[]> {
    const { store, clock, webhook } = this.#options
    const at = clock.monotonic()
    if (this.ready > 0 || (!this.#hasMore && at - this.#readAt < DUE_EVERY_MS)) return []
    this.#readAt = at
    const found = await reading(dueDeliveries(store.read, webhook.id, clock.now(), MAX_DUE))
    const due = found.filter(({ id }) => !this.#open.has(id))
    const some = upTo(due, MAX_EVENTS)
    this.#hasMore = some.length < due.length || (due.length > 0 && found.length === MAX_DUE)
    const positions = some.flatMap((delivery) => delivery.positions)
    const events = await reading(feedOf(webhook).at(store.read, positions))
    const byPosition = new Map(events.map((event) => [event.position, event]))
    const gone: string[] = []
    for (const previous of some) {
      const left = previous.positions.flatMap((position) => byPosition.get(position) ?? [])
      if (left.length === 0) gone.push(previous.id)
      else {
        this.#open.add(previous.id)
        this.#ready.push({ previous, events: left })
      }
    }
    return gone
  }
}

/** Returns the first deliveries with up to this many events, and at least one delivery. */
function upTo(deliveries: readonly Delivery[], most: number): readonly Delivery[] {
  let events = 0
  const end = deliveries.findIndex(({ positions }, index) => {
    events += positions.length
    return index > 0 && events > most
  })
  return end < 0 ? deliveries : deliveries.slice(0, end)
}
