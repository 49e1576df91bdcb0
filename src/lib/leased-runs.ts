// Runs of long work under leases: takes a piece while it has room, renews its lease, and gives it back at the end. And the
// removal of such work that is old.

import { type Clock, systemClock } from './clock.ts'
import { eachOf, type Part } from './lifecycle.ts'
import type { Log } from './log.ts'
import { PacedSteps } from './paced-steps.ts'
import { Periodic } from './periodic.ts'

/** One run over a piece of work. */
export interface Run<End> {
  /** Resolves when nothing is under way any more. Never rejects. */
  run(): Promise<End>
  /** Begins nothing more, and ends with this. */
  stop(why: End): void
}

export interface LeasedRunsOptions<Held, End> {
  /** Name of the work, as the log has it. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Runs at once on this node. */
  readonly maxRuns: number
  /** True if there is any work; asked before a claim, which is a write. */
  any(): Promise<boolean>
  /** Claims a piece of work until a time; undefined when there is none that is free. */
  claim(lease: { readonly now: number; readonly until: number }): Promise<Held | undefined>
  /** Renews a lease until a time; false when another node holds the work. */
  renew(held: Held, until: number): Promise<boolean>
  begin(held: Held): Run<End>
  /** Gives the work back after its run; a failure is logged, since the lease ends by itself. */
  release(held: Held, end: End): Promise<unknown>
  /** The end of a run whose lease was lost, after which nothing is given back; and that of a node that stops. */
  readonly ends: { readonly lost: End; readonly stopped: End }
}

const POLL_MS = 1_000
/** After a node is killed, its work waits for so long, or until it is started again; its writes name their lease. */
const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3
/** Time for which what is under way may take to end when the node stops. */
const STOP_MS = 5_000

/** Looks for work from `start` to `stop`. */
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
      failure: `${name} cannot be looked for`,
      step: (stopping) => this.#check(stopping),
    })
  }

  start(): void {
    this.#checking.start()
  }

  /** Runs under way. */
  get size(): number {
    return this.#runs.size
  }

  /** Begins nothing more, lets what is under way end for a while, and hands the work back. */
  async stop(): Promise<void> {
    const stopped = this.#checking.stop()
    for (const run of this.#runs.keys()) run.stop(this.#options.ends.stopped)
    await stopped
    const timer = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref())
    await Promise.race([Promise.all(this.#runs.values()), timer])
  }

  /** There may be work: look now. */
  wake(): void {
    void this.#checking.run()
  }

  async #check(stopping: AbortSignal): Promise<void> {
    const { any, claim, clock, maxRuns, ends } = this.#options
    while (!stopping.aborted && this.#runs.size < maxRuns && (await any())) {
      const now = clock.now()
      const held = await claim({ now, until: now + LEASE_MS })
      if (held === undefined) break
      // The node began to stop while it was claimed.
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
      // The node that takes it then finds nothing left to do.
      log.warn({ err: error }, `${name} could not be handed back`)
    }
  }
}

/** Bounds of a step that removes old work. */
export interface OldWork {
  /** Work that has ended goes if it was made before. */
  readonly made: number
  /** Work whose rows never came as a whole goes if it was made before. */
  readonly unfinished: number
  /** Rows at most. */
  readonly limit: number
}

export interface RemovalOptions {
  /** Name of the work, as the log has it. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** How long work that has ended is kept. */
  readonly retentionMs: number
  /** The time that removals by age go by; undefined while the clock is in doubt. */
  readonly removalTime: () => Promise<number | undefined>
  /** Each removes a part of something, and answers whether there may be more of it. */
  readonly steps: readonly ((old: OldWork) => Promise<boolean>)[]
}

const REMOVE_EVERY_MS = 3_600_000
/** Work whose rows did not all come in this time never gets them. */
const UNFINISHED_MS = 3_600_000
/** Rows that one step removes. */
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
