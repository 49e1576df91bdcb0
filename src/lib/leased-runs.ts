// Runs of work under leases: claims work while the node has room, renews the leases, and releases the work at the end.
// And the removal of such work that is old.

import { type Clock, systemClock } from './clock.ts'
import { eachOf, type Part } from './lifecycle.ts'
import type { Log } from './log.ts'
import { PacedSteps } from './paced-steps.ts'
import { Periodic } from './periodic.ts'

/** One run of a piece of work. */
export interface Run<End> {
  /** Resolves when nothing is under way any more. A rejection is logged and counts as a lost lease. */
  run(): Promise<End>
  /** The run begins nothing more and ends with this result. */
  stop(why: End): void
}

/** A lease that begins now. */
export interface LeaseTime {
  readonly now: number
  readonly until: number
}

/** Work that was claimed. */
export interface Claimed<Held> {
  readonly held: readonly Held[]
  /** There may be more work for which this node has room: it claims once more. */
  readonly hasMore: boolean
}

export interface LeasedRunsOptions<Held, End, R extends Run<End>> {
  /** Name of the work, as the log has it. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Pause between two looks for work, in milliseconds. */
  readonly everyMs?: number
  /** Time after which the work of a killed node is free, in milliseconds; its writes name their lease. */
  readonly leaseMs?: number
  /** Time for which runs under way may take to end when the node stops, in milliseconds. */
  readonly stopMs?: number
  /** Claims work until a time. */
  claim(lease: LeaseTime): Promise<Claimed<Held>>
  /** Renews leases until a time; returns the work that is still held. */
  renew(held: readonly Held[], until: number): Promise<readonly Held[]>
  begin(held: Held): R
  /** Releases the work after its run; a failure is logged, since the lease ends by itself. */
  release(held: Held, end: End): Promise<unknown>
  /** The end of a run whose lease was lost, after which nothing is released; and that of a node that stops. */
  readonly ends: { readonly lost: End; readonly stopped: End }
}

const EVERY_MS = 1_000
const LEASE_MS = 15_000
/** A lease is renewed after this part of it. */
const RENEWED_AFTER = 1 / 3
const STOP_MS = 5_000

/** Looks for work from `start` to `stop`. */
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

  /** Number of the runs under way. */
  get size(): number {
    return this.#runs.size
  }

  /** Runs under way, those that began first before the others. */
  runs(): R[] {
    return [...this.#runs.keys()]
  }

  /** Begins nothing more, lets runs under way end for a while, and releases their work. */
  async stop(): Promise<void> {
    const { ends, stopMs = STOP_MS } = this.#options
    const stopped = this.#checking.stop()
    for (const run of this.#runs.keys()) run.stop(ends.stopped)
    await stopped
    const timer = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref())
    await Promise.race([Promise.all(Array.from(this.#runs.values(), ({ ended }) => ended)), timer])
    await this.#renewing.stop()
  }

  /** Looks now: there may be work. */
  wake(): void {
    if (!this.#checking.stopping.aborted) void this.#checking.runAnew()
  }

  async #check(stopping: AbortSignal): Promise<void> {
    const { claim, clock, ends } = this.#options
    for (let hasMore = true; hasMore && !stopping.aborted; ) {
      // Else a clock that was set ahead would have this node claim its own work.
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
      // Work that cannot begin keeps no other one waiting.
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
      // The node that claims the work next finds nothing left to do.
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
