// A range of the event feed that a webhook delivers: the position up to which the range is read, and the events without
// an attempt.

import type { DeliveredEvent } from './webhook-feed.ts'

/** An event that was read ahead of its delivery. */
export interface FeedEntry {
  readonly event: DeliveredEvent
  /** True if the event has had an attempt. */
  done: boolean
}

/** The event feed from a position, or a replay of the feed up to an end. */
export class FeedRange {
  /** Position after which the range ends; infinite for the feed itself. */
  readonly end: number
  /**
   * Time before which the events of the range happened; a later event may also have a position before the end of the
   * range.
   */
  readonly before: number
  /** Position up to which the range is read. */
  readTo: number
  /** True if the last read found no further events. */
  isAtEnd = false
  readonly #window: FeedEntry[] = []

  constructor(from: number, end = Number.POSITIVE_INFINITY, before = Number.POSITIVE_INFINITY) {
    this.readTo = from
    this.end = end
    this.before = before
  }

  /** Number of events that were read and not dropped. */
  get size(): number {
    return this.#window.length
  }

  /** Position up to which every event has had an attempt. */
  get position(): number {
    const [first] = this.#window
    return first === undefined ? this.readTo : first.event.position - 1
  }

  includes({ position, at }: DeliveredEvent): boolean {
    return position <= this.end && at < this.before
  }

  add(entry: FeedEntry): void {
    this.#window.push(entry)
  }

  /** Drops the leading events that have had an attempt. */
  dropDone(): void {
    const open = this.#window.findIndex(({ done }) => !done)
    this.#window.splice(0, open < 0 ? this.#window.length : open)
  }
}
