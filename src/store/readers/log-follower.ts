// Runs the readers of the event log on this node, and reports their lag.

import { systemClock } from '../../lib/clock.ts'
import type { Figure } from '../../lib/figures.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic } from '../../lib/periodic.ts'
import { Problem } from '../../model/problem.ts'
import type { Store } from '../database/store.ts'
import {
  followEventLog,
  LOG_READERS,
  type LogReaderName,
  type LogReading,
  type ReadStep,
  unreadSince,
} from './log-readers.ts'

/** Interval in which events gather before they are read: larger batches cost less per event. */
const EVERY_MS = 250
/** Maximum pause after failures, such as an unreachable store. */
const MAX_RETRY_MS = 5_000

/** Readers whose results stay useful without an event: figures and search words. The feed must not lack any. */
const MAY_LACK_EVENTS: ReadonlySet<LogReaderName> = new Set(['figures', 'search'])

/** Checks a few times a second for new events. Every node checks, and one of them reads. */
export class LogFollower implements Part {
  readonly name = 'event log'
  readonly #store: Store
  readonly #log: Log
  readonly #following: Periodic
  readonly #extended: () => void
  #since: ReadonlyMap<LogReaderName, number | undefined> = new Map()

  /** @param extended called when the feeds have grown */
  constructor(store: Store, log: Log, extended: () => void) {
    this.#store = store
    this.#log = log
    this.#extended = extended
    this.#following = new Periodic({
      ...{ name: this.name, clock: systemClock, log },
      ...{ everyMs: EVERY_MS, firstMs: 0, maxRetryMs: MAX_RETRY_MS },
      failure: 'the event log cannot be read; search and figures wait',
      version: () => (this.#isBehind ? undefined : store.dataVersion()),
      step: (stopping) => this.#follow(stopping),
    })
  }

  start(): void {
    this.#following.start()
  }

  stop(): Promise<void> {
    return this.#following.stop()
  }

  /** Returns the age of the oldest commit that each reader has not read, in seconds. */
  figures(): Figure[] {
    return [
      {
        name: 'postrider_event_log_lag_seconds',
        help: 'Age of the oldest commit that a reader of the event log has not read.',
        kind: 'gauge',
        labels: ['reader'],
        read: () =>
          LOG_READERS.map((reader) => {
            const since = this.#since.get(reader)
            return [reader, since === undefined ? 0 : Math.max(0, Date.now() - since) / 1_000] as const
          }),
      },
    ]
  }

  /** True if a reader has not read everything, which can take another step although nothing new is written. */
  get #isBehind(): boolean {
    return [...this.#since.values()].some((since) => since !== undefined)
  }

  async #follow(stopping: AbortSignal): Promise<void> {
    this.#since = await unreadSince(this.#store.read)
    const lagging = LOG_READERS.filter((reader) => this.#since.get(reader) !== undefined)
    while (lagging.length > 0 && !stopping.aborted) {
      const { events, more } = await this.#read({ readers: lagging })
      if (events > 0) this.#extended()
      if (!more) break
    }
    if (lagging.length > 0) this.#since = await unreadSince(this.#store.read)
  }

  /**
   * Lets readers take a step. If a commit makes the step fail, each reader takes its steps alone, and a reader that may
   * lack events skips the one commit that it cannot process, because the events of all accounts wait for it.
   */
  async #read(reading: LogReading): Promise<ReadStep> {
    try {
      return await this.#store.write(followEventLog, reading)
    } catch (error) {
      if (error instanceof Problem) throw error
      const { readers, single = false } = reading
      if (readers.length > 1) {
        const steps: ReadStep[] = []
        for (const reader of readers) steps.push(await this.#read({ readers: [reader], single }))
        return { events: Math.max(...steps.map((one) => one.events)), more: steps.some((one) => one.more) }
      }
      if (!single) return this.#read({ readers, single: true })
      if (readers.some((reader) => !MAY_LACK_EVENTS.has(reader))) throw error
      this.#log.error(
        { err: error, readers },
        'a reader of the event log skips a commit that it cannot process',
      )
      return this.#store.write(followEventLog, { ...reading, passOver: true })
    }
  }
}
