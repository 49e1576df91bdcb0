// Runs work under leases: claims work while the node has capacity, renews the leases, and releases the work at the end.
// Also removes old work.

import { type Clock, systemClock } from './clock.ts'
import { eachOf, type Part } from './lifecycle.ts'
import type { Log } from './log.ts'
import { PacedSteps } from './paced-steps.ts'
import { Periodic } from './periodic.ts'

/** One run of a piece of leased work. */
export interface Run<End> {
  /** Resolves when all work of the run has ended. A rejection is logged and counts as a lost lease. */
  run(): Promise<End>
  /** Ends the run with this result; the run begins no further work. */
  stop(why: End): void
}

/** Start and end of a lease that begins now. */
export interface LeaseTime {
  readonly now: number
  readonly until: number
}

/** Result of a claim of work. */
export interface Claimed<Held> {
  readonly held: readonly Held[]
  /** True if there may be more work for which this node has capacity; the node then claims again. */
  readonly hasMore: boolean
}

export interface LeasedRunsOptions<Held, End, R extends Run<End>> {
  /** Name of the work in the log. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Pause between two checks for work, in milliseconds. */
  readonly everyMs?: number
  /**
   * Length of a lease in milliseconds, after which other nodes may claim the work of a killed node. Each write of a run
   * contains the lease of the writing node.
   */
  readonly leaseMs?: number
  /** Maximum time for which a stopping node waits for the end of active runs, in milliseconds. */
  readonly stopMs?: number
  /** Claims work for the duration of the given lease. */
  claim(lease: LeaseTime): Promise<Claimed<Held>>
  /** Extends the leases to the time `until`; returns the work that this node still holds. */
  renew(held: readonly Held[], until: number): Promise<readonly Held[]>
  begin(held: Held): R
  /** Releases the work after its run; a failure is only logged, since the lease expires by itself. */
  release(held: Held, end: End): Promise<unknown>
  /**
   * Results with which runs end: `lost` after a lost lease, in which case the work is not released, and `stopped` when
   * the node stops.
   */
  readonly ends: { readonly lost: End; readonly stopped: End }
}

const EVERY_MS = 1_000
const LEASE_MS = 15_000
/** Fraction of the length of a lease after which the lease is renewed. */
const RENEWED_AFTER = 1 / 3
const STOP_MS = 5_000

/** Claims and runs work from `start` to `stop`. */
export class LeasedRuns<Held, End, R extends Run<End> = Run<End>> implements Part {
  readonly name: string
  readonly #options: LeasedRunsOptions<Held, End, R>
  readonly #leaseMs: number
  readonly #runs = new Map<R, { readonly held: Held; readonly ended: Promise<void> }>()
  readonly #checking: Periodic
  readonly #renewing: Periodic
  #renewedAt: number

  constructor(options: LeasedRunsOptions<Held, End, R>) {
    const { clock, log, name, everyMs = EVERY_MS, leaseMs = LEASE_MS } = options
    this.name = name
    this.#options = options
    this.#leaseMs = leaseMs
    this.#renewedAt = clock.now()
    this.#checking = new Periodic({
      ...{ name, clock, log, everyMs, firstMs: 0, maxRetryMs: Math.max(everyMs, STOP_MS) },
      failure: `${name} cannot be claimed`,
      step: (stopping) => this.#check(stopping),
    })
    this.#renewing = new Periodic({
      ...{ name: `leases of ${name}`, clock: systemClock, log, everyMs: leaseMs * RENEWED_AFTER },
      failure: `the leases of ${name} cannot be renewed`,
      step: () => this.#renew(),
    })
  }

  start(): void {
    this.#renewing.start()
    this.#checking.start()
  }

  /** Number of active runs. */
  get size(): number {
    return this.#runs.size
  }

  /** Returns the active runs, oldest first. */
  runs(): R[] {
    return [...this.#runs.keys()]
  }

  /** Begins no further runs, waits a limited time for the end of active runs, and releases their work. */
  async stop(): Promise<void> {
    const { ends, stopMs = STOP_MS } = this.#options
    const stopped = this.#checking.stop()
    for (const run of this.#runs.keys()) run.stop(ends.stopped)
    await stopped
    const timer = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref())
    await Promise.race([Promise.all(Array.from(this.#runs.values(), ({ ended }) => ended)), timer])
    await this.#renewing.stop()
  }

  /** Checks at once whether there is work to claim. */
  wake(): void {
    if (!this.#checking.stopping.aborted) void this.#checking.runAnew()
  }

  async #check(stopping: AbortSignal): Promise<void> {
    const { claim, clock, ends } = this.#options
    for (let hasMore = true; hasMore && !stopping.aborted; ) {
      // The leases are renewed first, so that a node does not claim its own work after its clock was set ahead.
      if (clock.now() - this.#renewedAt >= this.#leaseMs * RENEWED_AFTER) await this.#renew()
      const now = clock.now()
      const claimed = await claim({ now, until: now + this.#leaseMs })
      hasMore = claimed.hasMore
      for (const held of claimed.held) {
        // The node began to stop while the work was claimed.
        if (stopping.aborted) await this.#release(held, ends.stopped)
        else this.#begin(held)
      }
    }
  }

  async #renew(): Promise<void> {
    const { renew, clock, ends } = this.#options
    const now = clock.now()
    const runs = [...this.#runs]
    const kept = new Set(
      runs.length === 0
        ? []
        : await renew(
            runs.map(([, { held }]) => held),
            now + this.#leaseMs,
          ),
    )
    this.#renewedAt = now
    for (const [run, { held }] of runs) if (!kept.has(held)) run.stop(ends.lost)
  }

  #begin(held: Held): void {
    const { name, log, begin, ends } = this.#options
    let run: R
    try {
      run = begin(held)
    } catch (error) {
      // Work that cannot begin does not block other work.
      log.warn({ err: error }, `${name}: a run could not begin`)
      return
    }
    const ended = run
      .run()
      .catch((error: unknown) => {
        log.warn({ err: error }, `${name}: a run has failed`)
        return ends.lost
      })
      .then(async (end) => {
        if (end !== ends.lost) await this.#release(held, end)
        this.#runs.delete(run)
        this.wake()
      })
    this.#runs.set(run, { held, ended })
  }

  async #release(held: Held, end: End): Promise<void> {
    const { name, log, release } = this.#options
    try {
      await release(held, end)
    } catch (error) {
      // A lost release is harmless: the node that claims the work next finds nothing left to do.
      log.warn({ err: error }, `${name} could not be released`)
    }
  }
}

/** Limits of a step that removes old work. */
export interface OldWork {
  /** Time before which finished work must have been created to be removed. */
  readonly made: number
  /** Time before which work with missing rows must have been created to be removed. */
  readonly unfinished: number
  /** Maximum number of rows that the step removes. */
  readonly limit: number
}

export interface RemovalOptions {
  /** Name of the work in the log. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Retention of finished work, in milliseconds. */
  readonly retentionMs: number
  /** Returns the trusted time for removals by age; undefined while the clock is in doubt. */
  readonly removalTime: () => Promise<number | undefined>
  /** Steps that each remove a part of the old work and resolve to true if more old work may be left. */
  readonly steps: readonly ((old: OldWork) => Promise<boolean>)[]
}

const REMOVE_EVERY_MS = 3_600_000
/** Age in milliseconds after which work is removed if some of its rows never arrived. */
const UNFINISHED_MS = 3_600_000
/** Maximum number of rows that one step removes. */
const MAX_REMOVED = 1_000

/** Returns a periodic step that removes old work once an hour, from `start` to `stop`. */
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
