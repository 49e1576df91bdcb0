// Runs the readers of the event log on this node, and reports the lag of each reader.

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

/** Interval between two reads of the event log: a longer interval gives larger batches, which cost less per event. */
const EVERY_MS = 250
/** Maximum pause after a failure, such as an unreachable store. */
const MAX_RETRY_MS = 5_000

/**
 * Readers that may skip an event, because counts and search words stay useful if an event is missing. The feed must
 * have every event.
 */
const MAY_LACK_EVENTS: ReadonlySet<LogReaderName> = new Set(['figures', 'search', 'replies'])

/** Checks for new events a few times a second. Every node checks; a lock lets one node at a time run a reader. */
export class LogFollower implements Part {
  readonly name = 'event log'
  readonly #store: Store
  readonly #log: Log
  readonly #following: Periodic
  readonly #extended: () => void
  #since: ReadonlyMap<LogReaderName, number | undefined> = new Map()

  /** @param extended called when the event feeds have grown */
  constructor(store: Store, log: Log, extended: () => void) {
    this.#store = store
    this.#log = log
    this.#extended = extended
    this.#following = new Periodic({
      ...{ name: this.name, clock: systemClock, log },
      ...{ everyMs: EVERY_MS, firstMs: 0, maxRetryMs: MAX_RETRY_MS },
      failure: 'the event log cannot be read; search and statistics wait',
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

  /** Returns the lag of each reader: the age in seconds of the oldest commit that the reader has not read. */
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

  /** True if a reader has unread commits; the reader can then take another step although nothing new was written. */
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
   * Runs one step of the readers. If a commit makes the step fail, each reader takes its steps alone. A reader that may
   * lack events then skips the commit that it cannot process, because otherwise the events of all accounts would wait.
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
