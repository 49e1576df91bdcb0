// Watch of the feeds: tells this node which domains have new events, whichever node wrote them.

import { systemClock } from '../../lib/clock.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic } from '../../lib/periodic.ts'
import type { Read, Store } from '../database/store.ts'
import { feedsEnd, grownFeeds } from './feed.ts'

/** Interval at which a node looks for what other nodes wrote; what it wrote itself it knows at once. */
const EVERY_MS = 100
const MAX_RETRY_MS = 5_000
/** Domains of one query; more follow at once. */
const MAX_DOMAINS = 1_000

/** Hears the domains that have new events since it was told last. */
export type FeedListener = (domainIds: readonly string[]) => void

/** Looks at the ends of all feeds with one query, as long as anybody listens. */
export class FeedWatch implements Part {
  readonly name = 'event feed'
  readonly #read: Read
  readonly #listeners = new Set<FeedListener>()
  readonly #looking: Periodic
  #seen = 0

  constructor({ read, dataVersion }: Pick<Store, 'read' | 'dataVersion'>, log: Log) {
    this.#read = read
    this.#looking = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS, maxRetryMs: MAX_RETRY_MS },
      failure: 'new events cannot be looked for; those who follow them wait',
      version: dataVersion,
      step: () => this.#tell(),
    })
  }

  /**
   * Calls a function with domains whose feeds have grown, and perhaps some more; answers the function that ends it. A
   * follower reads once after it began to listen: it is told only of what comes later.
   */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(): Promise<void> {
    this.#seen = await feedsEnd(this.#read)
    this.#looking.start()
  }

  async stop(): Promise<void> {
    await this.#looking.stop()
    this.#listeners.clear()
  }

  /** Looks now, since this node has just written. */
  look(): void {
    void this.#looking.runAnew()
  }

  async #tell(): Promise<void> {
    while (this.#listeners.size > 0) {
      const grown = await grownFeeds(this.#read, this.#seen, MAX_DOMAINS)
      const last = grown.at(-1)
      if (last === undefined) return
      this.#seen = last.position
      const domainIds = grown.map(({ domainId }) => domainId)
      for (const listener of this.#listeners) listener(domainIds)
    }
  }
}
