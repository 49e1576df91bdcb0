// Watches the event feeds, and reports the domains with new events to this node, regardless of the node that wrote the
// events.

import { systemClock } from '../../lib/clock.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic } from '../../lib/periodic.ts'
import type { Read, Store } from '../database/store.ts'
import { feedsEnd, grownFeeds } from './feed.ts'

/** Interval at which the feeds are checked for events of other nodes; events of this node are reported immediately. */
const EVERY_MS = 100
const MAX_RETRY_MS = 5_000
/** Maximum number of domains in one query; further domains are queried immediately afterwards. */
const MAX_DOMAINS = 1_000

/** Receives the IDs of the domains that have new events since the last call. */
export type FeedListener = (domainIds: readonly string[]) => void

/** Polls the last positions of all event feeds with one query while there are listeners. */
export class FeedWatch implements Part {
  readonly name = 'event feed'
  readonly #read: Read
  readonly #listeners = new Set<FeedListener>()
  readonly #checking: Periodic
  #seen = 0

  constructor({ read, dataVersion }: Pick<Store, 'read' | 'dataVersion'>, log: Log) {
    this.#read = read
    this.#checking = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS, maxRetryMs: MAX_RETRY_MS },
      failure: 'the check for new events failed; followers wait',
      version: dataVersion,
      step: () => this.#tell(),
    })
  }

  /**
   * Calls the listener with the IDs of domains whose feeds have grown, and perhaps of further domains; returns a
   * function that removes the listener. A follower must read the feed once after calling `listen`, because only later
   * events are reported.
   */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(): Promise<void> {
    this.#seen = await feedsEnd(this.#read)
    this.#checking.start()
  }

  async stop(): Promise<void> {
    await this.#checking.stop()
    this.#listeners.clear()
  }

  /** Checks the event feeds immediately, because this node has just written events. */
  check(): void {
    void this.#checking.runAnew()
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
