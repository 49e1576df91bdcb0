// The worker for lists of addresses: takes one of each account at a time, and goes on where another node stopped.

import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import { Periodic } from '../lib/periodic.ts'
import {
  claimVerification,
  freeVerifications,
  type HeldVerification,
  leaveVerification,
  renewVerification,
} from '../store/verification/list-leases.ts'
import { forgetVerifications, hasOpenVerifications } from '../store/verification/verifications.ts'
import { ListRun, type ListRunOptions, type RunEnd } from './list-run.ts'

export interface ListWorkerOptions extends ListRunOptions {
  /** No other node shares the store: what is held at the start is held by one that is gone. */
  readonly alone: boolean
  /** How long lists that are done are kept. */
  readonly retentionMs: number
  /** The time that removals by age go by; undefined while the clock is in doubt. */
  readonly removalTime: () => Promise<number | undefined>
}

/** Lists at once on this node. */
const MAX_RUNS = 4
const POLL_MS = 1_000
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** Time for which addresses under way may take to end when the node stops. */
const STOP_MS = 5_000
/** A list whose addresses did not all come in this time never gets them. */
const UNFINISHED_MS = 3_600_000
const FORGET_EVERY_MS = 3_600_000
const FORGET_AT_ONCE = 1_000

/** Works from `start` to `stop`. */
export class ListWorker implements Part {
  readonly name = 'verification lists'
  readonly #options: ListWorkerOptions
  readonly #node = newId('nod')
  readonly #runs = new Map<ListRun, Promise<void>>()
  readonly #looking: Periodic
  readonly #forgetting: Periodic
  #claims = 0

  constructor(options: ListWorkerOptions) {
    const { clock, log } = options
    this.#options = options
    this.#looking = new Periodic({
      ...{ name: this.name, clock, log, everyMs: POLL_MS, firstMs: 0 },
      failure: 'lists of addresses cannot be looked for',
      step: (stopping) => this.#look(stopping),
    })
    this.#forgetting = new Periodic({
      ...{ name: 'removal of old lists', clock, log, everyMs: FORGET_EVERY_MS, firstMs: 0 },
      failure: 'old lists of addresses could not be removed',
      step: (stopping) => this.#forgetOld(stopping),
    })
  }

  async start(): Promise<void> {
    if (this.#options.alone) await this.#options.store.write(freeVerifications, {})
    this.#forgetting.start()
    this.#looking.start()
  }

  /** Begins nothing more, lets what is under way end for a while, and hands the lists back. */
  async stop(): Promise<void> {
    const stopped = Promise.all([this.#looking.stop(), this.#forgetting.stop()])
    for (const run of this.#runs.keys()) run.stop('queued')
    await stopped
    const timer = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref())
    await Promise.race([Promise.all(this.#runs.values()), timer])
  }

  /** There may be a list: look now. */
  poke(): void {
    void this.#looking.run()
  }

  async #look(stopping: AbortSignal): Promise<void> {
    const { store } = this.#options
    while (!stopping.aborted && this.#runs.size < MAX_RUNS && (await hasOpenVerifications(store.read))) {
      const held = await this.#claim()
      if (held === undefined) break
      this.#begin(held)
    }
  }

  async #claim(): Promise<HeldVerification | undefined> {
    const { store, clock } = this.#options
    const now = clock.now()
    const lease = `${this.#node}.${this.#claims++}`
    const list = await store.write(claimVerification, { now, lease, leaseUntil: now + LEASE_MS })
    return list === undefined ? undefined : { accountId: list.account_id, id: list.id, lease }
  }

  #begin(held: HeldVerification): void {
    const run = new ListRun(held, this.#options)
    const renewing = new Periodic({
      ...{ name: 'lease of a list', clock: systemClock, log: this.#options.log, everyMs: RENEW_MS },
      failure: 'the lease of a list could not be renewed',
      step: () => this.#renew(held, run),
    })
    renewing.start()
    const ended = run.run().then(async (end) => {
      await renewing.stop()
      await this.#leave(held, end)
      this.#runs.delete(run)
      if (!this.#looking.stopping.aborted) this.poke()
    })
    this.#runs.set(run, ended)
  }

  async #renew(held: HeldVerification, run: ListRun): Promise<void> {
    const { store, clock } = this.#options
    const renewed = await store.write(renewVerification, { ...held, until: clock.now() + LEASE_MS })
    if (!renewed) run.stop('lost')
  }

  async #leave(held: HeldVerification, status: RunEnd): Promise<void> {
    if (status === 'lost') return
    const { store, clock, log } = this.#options
    try {
      await store.write(leaveVerification, { ...held, status, now: clock.now() })
    } catch (error) {
      // Its lease ends by itself, and the node that takes it then finds nothing left to do.
      log.warn({ err: error, verification_id: held.id }, 'a list could not be handed back')
    }
  }

  async #forgetOld(stopping: AbortSignal): Promise<void> {
    const { store, removalTime, retentionMs } = this.#options
    const now = await removalTime()
    if (now === undefined) return
    const old = {
      made: now - retentionMs,
      unfinished: now - UNFINISHED_MS,
      limit: FORGET_AT_ONCE,
    }
    while (!stopping.aborted && (await store.write(forgetVerifications, old)));
  }
}
