// Hits of tracked links on their way to the store: gathered in memory and written in batches, off the request's path.

import { systemClock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import { MAX_EVENTS_PER_LINK, type NewHit } from '../model/tracking-hit.ts'
import type { Store } from '../store/database/store.ts'
import { recordHits } from '../store/messages/tracked-links.ts'

/** Pause between two writes; a process that is killed loses what came in it. */
const EVERY_MS = 200
const MAX_RETRY_MS = 5_000
/** Hits of one transaction, which other writes wait for. */
const MAX_BATCH = 200
/** Bytes of the hits that wait, as `weightOf` reckons them: seconds of a flood, or minutes without the store. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024

const weightOf = ({ url, userAgent }: NewHit): number => 400 + 2 * (url.length + userAgent.length)

/** Hits of one link of a recipient by one kind of client. */
const keyOf = ({ messageId, position, link, machine }: NewHit): string =>
  `${messageId} ${position} ${link} ${machine === undefined ? 'people' : 'machines'}`

/**
 * Takes hits at once and writes them later. Of one recipient, link and kind of client as many wait as events are kept;
 * further ones are added up, so that a client that follows one link again and again displaces nobody else's hits. Hits
 * that find no room are lost, and counted.
 */
export class HitLog implements Part {
  readonly name = 'tracking hits'
  readonly #store: Store
  readonly #maxBytes: number
  #waiting = new Map<string, NewHit[]>()
  #bytes = 0
  #lost = 0
  readonly #writing: Periodic

  /** @param maxBytes of the hits that wait */
  constructor(store: Store, log: Log, maxBytes = MAX_WAITING_BYTES) {
    this.#store = store
    this.#maxBytes = maxBytes
    this.#writing = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS, maxRetryMs: MAX_RETRY_MS },
      failure: 'hits of tracked links cannot be written; they wait',
      step: () => this.#write(),
    })
  }

  start(): void {
    this.#writing.start()
  }

  /** Writes what waits; hits that the store does not take then are lost. */
  async stop(): Promise<void> {
    await this.#writing.stop()
    await this.#writing.run()
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_tracking_hits_lost_total',
        help: 'Hits of tracked links that were not recorded, since too many waited',
        kind: 'counter',
        read: () => this.#lost,
      },
    ]
  }

  /** Notes a hit. */
  add(hit: NewHit): void {
    const same = this.#waiting.get(keyOf(hit)) ?? []
    const last = same.at(-1)
    if (last !== undefined && same.length >= mostOf(hit)) {
      same[same.length - 1] = { ...last, more: last.more + 1 + hit.more }
      return
    }
    if (this.#bytes + weightOf(hit) > this.#maxBytes) {
      this.#lost += 1 + hit.more
      return
    }
    this.#bytes += weightOf(hit)
    if (same.push(hit) === 1) this.#waiting.set(keyOf(hit), same)
  }

  /** Writes all that waits. Throws when the store does not take some of it, which then waits on. */
  async #write(): Promise<void> {
    const hits = [...this.#waiting.values()].flat()
    this.#waiting = new Map()
    let done = 0
    try {
      while (done < hits.length) {
        const batch = hits.slice(done, done + MAX_BATCH)
        await this.#store.write(recordHits, { hits: batch })
        done += batch.length
        for (const hit of batch) this.#bytes -= weightOf(hit)
      }
    } finally {
      if (done < hits.length) this.#putBack(hits.slice(done))
    }
  }

  /** Has hits wait again, before those that came meanwhile. */
  #putBack(hits: readonly NewHit[]): void {
    const newer = [...this.#waiting.values()].flat()
    this.#waiting = new Map()
    this.#bytes = 0
    for (const hit of [...hits, ...newer]) this.add(hit)
  }
}

const mostOf = ({ machine }: NewHit): number =>
  MAX_EVENTS_PER_LINK[machine === undefined ? 'people' : 'machines']
