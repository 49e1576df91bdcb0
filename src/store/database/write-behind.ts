// Write-behind: accepts rows immediately, writes the rows in batches after the responses, and counts the lost rows.

import { systemClock } from '../../lib/clock.ts'
import type { Figure } from '../../lib/figures.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic } from '../../lib/periodic.ts'
import { Problem } from '../../model/problem.ts'

/** Pause between two runs; a process that is killed loses the rows of one pause. */
const EVERY_MS = 200
const MAX_RETRY_MS = 5_000
/** Maximum number of rows in one transaction; other writes wait until the transaction has ended. */
const MAX_BATCH = 250

/** A bounded collection of waiting rows. */
export interface Waiting<Row> {
  readonly size: number
  /** Adds a row, and returns the number of rows that were lost for lack of space. */
  add(row: Row): number
  /** Removes and returns approximately the `most` oldest rows. */
  take(most: number): readonly Row[]
  /** Puts taken rows back in front of newer rows, and returns the number of lost rows. */
  requeue(rows: readonly Row[]): number
}

/** Rows in order of arrival, up to a maximum number; further rows are lost. */
export class WaitingInOrder<Row> implements Waiting<Row> {
  readonly #max: number
  #rows: Row[] = []

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#rows.length
  }

  add(row: Row): number {
    if (this.#rows.length >= this.#max) return 1
    this.#rows.push(row)
    return 0
  }

  take(most: number): Row[] {
    return this.#rows.splice(0, most)
  }

  requeue(rows: readonly Row[]): number {
    this.#rows.unshift(...rows)
    return 0
  }
}

export interface WriteBehindOptions<Row> {
  readonly name: string
  readonly log: Log
  readonly waiting: Waiting<Row>
  /** Pause between two runs in milliseconds; 200 by default. */
  readonly everyMs?: number
  /** Writes rows in one transaction. */
  write(rows: readonly Row[]): Promise<unknown>
  /** Metric that counts lost rows. */
  readonly lost?: { readonly name: string; readonly help: string }
}

/**
 * Accepts rows immediately, and writes many rows in one commit later. Rows wait while the store cannot accept writes. A
 * row that the store refuses is lost; the other rows of the batch are written. Rows that the store cannot accept when
 * the node stops are lost.
 */
export class WriteBehind<Row> implements Part {
  readonly name: string
  readonly #options: WriteBehindOptions<Row>
  readonly #writing: Periodic
  #lost = 0

  constructor(options: WriteBehindOptions<Row>) {
    this.name = options.name
    this.#options = options
    this.#writing = new Periodic({
      ...{ name: options.name, log: options.log, clock: systemClock },
      ...{ everyMs: options.everyMs ?? EVERY_MS, maxRetryMs: MAX_RETRY_MS },
      failure: `${options.name}: the store accepts no writes at the moment`,
      step: () => this.#write(),
    })
  }

  start(): void {
    this.#writing.start()
  }

  /** Stops after a last write of the waiting rows. */
  async stop(): Promise<void> {
    const { waiting, log } = this.#options
    await this.#writing.stop()
    await this.#writing.run()
    if (waiting.size > 0)
      log.error({ rows: waiting.size }, `${this.name}: rows were lost, because the store accepted no writes`)
  }

  figures(): Figure[] {
    const { lost } = this.#options
    return lost === undefined ? [] : [{ ...lost, kind: 'counter', read: () => this.#lost }]
  }

  /** Adds a row. */
  add(row: Row): void {
    this.#lost += this.#options.waiting.add(row)
  }

  /**
   * Writes the waiting rows; resolves when the rows are written, or continue to wait because the store does not accept
   * writes.
   */
  flush(): Promise<void> {
    return this.#writing.runAnew()
  }

  /**
   * Writes all rows that are waiting now; throws if the store does not accept some rows, which then continue to wait.
   */
  async #write(): Promise<void> {
    const { waiting } = this.#options
    for (let left = waiting.size; left > 0; ) {
      const rows = waiting.take(Math.min(left, MAX_BATCH))
      left -= rows.length
      try {
        await this.#writeBatch(rows)
      } catch (error) {
        if (isAway(error)) throw error
        await this.#writeEach(rows)
      }
    }
  }

  async #writeBatch(rows: readonly Row[]): Promise<void> {
    const { waiting, write } = this.#options
    try {
      await write(rows)
    } catch (error) {
      if (isAway(error)) this.#lost += waiting.requeue(rows)
      throw error
    }
  }

  /** Writes the rows of a refused batch one by one. */
  async #writeEach(rows: readonly Row[]): Promise<void> {
    const ends = await Promise.allSettled(rows.map((row) => this.#writeBatch([row])))
    const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
    const refused = errors.filter((error) => !isAway(error))
    this.#lost += refused.length
    if (refused.length > 0)
      this.#options.log.error(
        { err: refused[0], rows: refused.length },
        `${this.name}: rows were lost, because the store refused them`,
      )
    const away = errors.find(isAway)
    if (away !== undefined) throw away
  }
}

/** True if the store currently accepts no writes at all. */
const isAway = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable'
