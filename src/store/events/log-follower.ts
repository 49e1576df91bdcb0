// Runs the readers of the event log on this node, and tells how far behind they are.

import type { Figure } from '../../lib/figures.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../database/store.ts'
import { followEventLog, LOG_READERS, type LogReaderName, unreadSince } from './log-readers.ts'

/** Time for which events gather before they are read: the more at once, the less each costs. */
const EVERY_MS = 250
/** After a failure, the store being away say. */
const AGAIN_MS = 5_000

/** Looks a few times a second whether there is anything to read. On several nodes each looks, and one of them reads. */
export class LogFollower implements Part {
  readonly name = 'event log'
  readonly #store: Store
  readonly #log: Log
  #since: ReadonlyMap<LogReaderName, number | undefined> = new Map()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(store: Store, log: Log) {
    this.#store = store
    this.#log = log
  }

  start(): void {
    this.#later(0)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  /** Age of the oldest event that a reader has not read, in seconds. */
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

  #later(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#follow().then(
        () => this.#again(EVERY_MS),
        (error: Error) => {
          this.#log.warn({ err: error }, 'the event log cannot be read; search and figures wait')
          this.#again(AGAIN_MS)
        },
      )
    }, ms)
  }

  #again(ms: number): void {
    if (!this.#stopped) this.#later(ms)
  }

  async #follow(): Promise<void> {
    this.#since = await unreadSince(this.#store.read)
    const behind = LOG_READERS.filter((reader) => this.#since.get(reader) !== undefined)
    while (behind.length > 0 && !this.#stopped) {
      if (!(await this.#store.write(followEventLog, { readers: behind })).more) break
    }
    if (behind.length > 0) this.#since = await unreadSince(this.#store.read)
  }
}
