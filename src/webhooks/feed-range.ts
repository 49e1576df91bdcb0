// A range of the event feed that a webhook goes through: how far it is read, and which of its events had no attempt yet.

import type { FeedEvent } from '../store/events/feed.ts'

/** An event that was read ahead. */
export interface FeedEntry {
  readonly event: FeedEvent
  /** It has had an attempt. */
  done: boolean
}

/** The feed from a position on, or a replay of it up to an end. */
export class FeedRange {
  /** Position after which the range ends; infinite for the feed itself. */
  readonly end: number
  /** Time before which the events of the range are: up to its end there may be later ones. */
  readonly before: number
  /** Position up to which the range is read. */
  readTo: number
  /** There was nothing more when the range was read last. */
  isAtEnd = false
  readonly #window: FeedEntry[] = []

  constructor(from: number, end = Number.POSITIVE_INFINITY, before = Number.POSITIVE_INFINITY) {
    this.readTo = from
    this.end = end
    this.before = before
  }

  /** Number of the events that were read and are not dropped. */
  get size(): number {
    return this.#window.length
  }

  /** Position up to which each event has had an attempt. */
  get position(): number {
    const [first] = this.#window
    return first === undefined ? this.readTo : first.event.position - 1
  }

  includes({ position, at }: FeedEvent): boolean {
    return position <= this.end && at < this.before
  }

  add(entry: FeedEntry): void {
    this.#window.push(entry)
  }

  /** Drops the events at the front that are done. */
  dropDone(): void {
    const open = this.#window.findIndex(({ done }) => !done)
    this.#window.splice(0, open < 0 ? this.#window.length : open)
  }
}
