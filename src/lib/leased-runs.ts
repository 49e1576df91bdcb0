// Runs of long work under leases: claims a piece while there is capacity, renews its lease, and releases it at the
// end. The module also removes old work.

import { type Clock, systemClock } from './clock.ts'
import { eachOf, type Part } from './lifecycle.ts'
import type { Log } from './log.ts'
import { PacedSteps } from './paced-steps.ts'
import { Periodic } from './periodic.ts'

/** One run of a piece of work. */
export interface Run<End> {
  /** Resolves when nothing is under way any more. Never rejects. */
  run(): Promise<End>
  /** The run begins nothing more and ends with this result. */
  stop(why: End): void
}

export interface LeasedRunsOptions<Held, End> {
  /** Name of the work in the log. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Maximum concurrent runs on this node. */
  readonly maxRuns: number
  /** True if there is any work; called before a claim, which is a write. */
  any(): Promise<boolean>
  /** Claims a piece of work until a time; undefined when there is none. */
  claim(lease: { readonly now: number; readonly until: number }): Promise<Held | undefined>
  /** Renews a lease until a time; false when another node holds the work. */
  renew(held: Held, until: number): Promise<boolean>
  begin(held: Held): Run<End>
  /** Releases the work after its run; a failure is logged, since the lease expires by itself. */
  release(held: Held, end: End): Promise<unknown>
  /** Result of a run whose lease was lost, after which nothing is released; and of a run on a node that stops. */
  readonly ends: { readonly lost: End; readonly stopped: End }
}

const POLL_MS = 1_000
/** After a node is killed, its work waits for this time, or until its restart; its writes name their lease. */
const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3
/** Time for runs under way to end when the node stops. */
const STOP_MS = 5_000

/** Claims work from `start` to `stop`. */
export class LeasedRuns<Held, End> implements Part {
  readonly name: string
  readonly #options: LeasedRunsOptions<Held, End>
  readonly #runs = new Map<Run<End>, Promise<void>>()
  readonly #checking: Periodic

  constructor(options: LeasedRunsOptions<Held, End>) {
    const { clock, log, name } = options
    this.name = name
    this.#options = options
    this.#checking = new Periodic({
      ...{ name, clock, log, everyMs: POLL_MS, firstMs: 0 },
      failure: `${name} cannot be claimed`,
      step: (stopping) => this.#check(stopping),
    })
  }

  start(): void {
    this.#checking.start()
  }

  /** Number of runs under way. */
  get size(): number {
    return this.#runs.size
  }

  /** Begins nothing more, lets runs under way end for a while, and releases the work. */
  async stop(): Promise<void> {
    const stopped = this.#checking.stop()
    for (const run of this.#runs.keys()) run.stop(this.#options.ends.stopped)
    await stopped
    const timer = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref())
    await Promise.race([Promise.all(this.#runs.values()), timer])
  }

  /** Tells the runs that there may be work. */
  wake(): void {
    void this.#checking.run()
  }

  async #check(stopping: AbortSignal): Promise<void> {
    const { any, claim, clock, maxRuns, ends } = this.#options
    while (!stopping.aborted && this.#runs.size < maxRuns && (await any())) {
      const now = clock.now()
      const held = await claim({ now, until: now + LEASE_MS })
      if (held === undefined) break
      // The node began to stop during the claim.
      if (stopping.aborted) await this.#release(held, ends.stopped)
      else this.#begin(held)
    }
  }

  #begin(held: Held): void {
    const { name, log, begin, ends } = this.#options
    const run = begin(held)
    const renewing = new Periodic({
      ...{ name: `lease of ${name}`, clock: systemClock, log, everyMs: RENEW_MS },
      failure: `a lease of ${name} could not be renewed`,
      step: async () => {
        if (!(await this.#options.renew(held, this.#options.clock.now() + LEASE_MS))) run.stop(ends.lost)
      },
    })
    renewing.start()
    const ended = run.run().then(async (end) => {
      await renewing.stop()
      if (end !== ends.lost) await this.#release(held, end)
      this.#runs.delete(run)
      if (!this.#checking.stopping.aborted) this.wake()
    })
    this.#runs.set(run, ended)
  }

  async #release(held: Held, end: End): Promise<void> {
    const { name, log, release } = this.#options
    try {
      await release(held, end)
    } catch (error) {
      // The next node that claims the work finds nothing left to do.
      log.warn({ err: error }, `${name} could not be released`)
    }
  }
}

/** Bounds of a step that removes old work. */
export interface OldWork {
  /** Work that has ended is removed if it was created before this time. */
  readonly made: number
  /** Work whose rows never arrived completely is removed if it was created before this time. */
  readonly unfinished: number
  /** Maximum number of rows. */
  readonly limit: number
}

export interface RemovalOptions {
  /** Name of the work in the log. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Retention of finished work. */
  readonly retentionMs: number
  /** Returns the time for removals by age; undefined while the clock is in doubt. */
  readonly removalTime: () => Promise<number | undefined>
  /** Each step removes a part, and resolves to whether there may be more. */
  readonly steps: readonly ((old: OldWork) => Promise<boolean>)[]
}

const REMOVE_EVERY_MS = 3_600_000
/** Work whose rows did not arrive completely within this time never gets them. */
const UNFINISHED_MS = 3_600_000
/** Maximum rows removed by one step. */
const MAX_REMOVED = 1_000

/** Removes old work once an hour, from `start` to `stop`. */
export const removalOfOld = ({
  name,
  clock,
  log,
  retentionMs,
  removalTime,
  steps,
}: RemovalOptions): Periodic =>
  new Periodic({
    ...{ name: `removal of old ${name}`, clock, log, everyMs: REMOVE_EVERY_MS, firstMs: 0 },
    failure: `old ${name} could not be removed`,
    async step(stopping) {
      const now = await removalTime()
      if (now === undefined) return
      const old = { made: now - retentionMs, unfinished: now - UNFINISHED_MS }
      const goesOn = (): boolean => !stopping.aborted
      const paced = new PacedSteps(MAX_REMOVED)
      await eachOf(steps.map((remove) => () => paced.untilDone(goesOn, (limit) => remove({ ...old, limit }))))
    },
  })
