// One run of a request under an Idempotency-Key. Each committed change is a step; a run after a crash does not repeat
// completed steps.

import { createHmac, hkdfSync } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { currentRun, outsideOfRuns, type RepeatableRun } from '../lib/repeatable-run.ts'
import { Problem } from '../model/problem.ts'
import type { Write } from '../store/database/group-commit.ts'
import type { Store } from '../store/database/store.ts'
import type { IdempotencyClaim, Repeated } from '../store/requests/idempotency-keys.ts'
import type { CutRequest } from '../store/requests/keyed-requests.ts'
import { type DoneStep, SealedSteps } from '../store/requests/sealed-steps.ts'
import { audited, claimed, writeNamed } from '../store/writes.ts'

/**
 * Duration of a lease, in milliseconds. After a node was killed, a repeated request has to wait until the lease ends or
 * the node restarts.
 */
export const LEASE_MS = 15_000

export interface RequestRunOptions {
  readonly claim: IdempotencyClaim
  /** Token of the lease that this run holds from the first step on. */
  readonly lease: string
  readonly clock: Clock
  /** Secret with which the caller authenticated. */
  readonly secret: string
  /** Interrupted run of the request that this run continues; undefined for the first run. */
  readonly cut: CutRequest | undefined
}

/**
 * Gives a handler the results that earlier runs of the request have committed. The n-th change by a write gets the
 * result of the n-th change that an earlier run has committed by the same write, regardless of the item; a `continued`
 * write does the remaining work instead.
 */
export class RequestRun implements RepeatableRun {
  readonly now: number
  readonly #options: RequestRunOptions
  readonly #seed: Buffer
  readonly #stepSecret: string
  /** Results of earlier runs by name of the write. */
  readonly #earlier = new Map<string, unknown[]>()
  /** Findings that earlier runs have recalled, by index. */
  readonly #recalled = new Map<number, unknown>()
  /** Number of calls of each write in this run, and number of random draws for each purpose. */
  readonly #asked = new Map<string, number>()
  readonly #drawn = new Map<string, number>()
  #recalls = 0
  /** Findings of this run since the last step, by index. */
  readonly #found = new Map<number, unknown>()
  #steps = 0
  #isLogged = false
  #isClosed = false
  /** True if a step was attempted, so that the Idempotency-Key may have been claimed. */
  isBegun = false
  /** True if a step of this run or of an earlier run has changed something. */
  hasChanged = false
  /** Earlier request with the same Idempotency-Key; set if another node has claimed the key in the meantime. */
  before: Repeated | undefined

  constructor(options: RequestRunOptions) {
    const { claim, secret, cut } = options
    this.#options = options
    this.now = cut?.began ?? claim.now
    const secretOf = (purpose: string): Buffer =>
      createHmac('sha256', secret)
        .update([purpose, claim.keyId, claim.bodyHash, this.now, claim.key].join(' '))
        .digest()
    this.#seed = secretOf('draws of a request')
    this.#stepSecret = secretOf('steps of a request').toString('base64url')
    const sealed = new SealedSteps(this.#stepSecret, claim)
    for (const one of cut?.steps ?? []) this.#add(sealed.open(one))
    this.isBegun = cut !== undefined
  }

  #add({ name, result, changed, logged, recalled }: DoneStep): void {
    this.#earlier.set(name, [...this.earlier(name), result])
    for (const [place, found] of recalled) this.#recalled.set(place, found)
    this.#steps++
    this.#isLogged ||= logged
    this.hasChanged ||= changed && !writeNamed(name).unaudited
  }

  earlier(write: string): readonly unknown[] {
    return this.#earlier.get(write) ?? []
  }

  draw(purpose: string, bytes: number): Buffer {
    const info = `${purpose} ${countUp(this.#drawn, purpose)}`
    return Buffer.from(hkdfSync('sha256', this.#seed, '', info, bytes))
  }

  async recall<T>(work: () => Promise<T>): Promise<T> {
    const place = this.#recalls++
    if (this.#recalled.has(place)) return this.#recalled.get(place) as T
    const found = await work()
    this.#found.set(place, found)
    return found
  }

  /** Ends the run. Work that continues after the handler has returned is not part of the request. */
  close(): void {
    this.#isClosed = true
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Commits a write as a step, unless an earlier run has committed the same step. Throws `conflict` if another node
   * handles the request.
   */
  async step<Item, Result>(store: Store, write: Write<Item, Result>, item: Item): Promise<Result> {
    const isAudited = (write as unknown) === audited
    const inner = isAudited ? (item as { readonly name: string; readonly item: unknown }) : undefined
    const name = inner?.name ?? write.name
    const asSeen = (result: unknown, logged: boolean): Result =>
      (isAudited ? { result, logged } : result) as Result
    const place = countUp(this.#asked, name)
    const done = this.earlier(name)
    if (writeNamed(name).step !== 'continued' && place < done.length) {
      return asSeen(done[place], this.#isLogged)
    }
    // A request gets exactly one audit entry, regardless of the number of interruptions.
    const plain = inner !== undefined && this.#isLogged ? inner : { name: write.name, item }
    const { result, logged } = await this.#commit(store, plain)
    return asSeen(result, logged || this.#isLogged)
  }

  async #commit(store: Store, { name, item }: { readonly name: string; readonly item: unknown }) {
    const { claim, lease, clock } = this.#options
    const recalled = [...this.#found]
    this.isBegun = true
    const done = await store.write(claimed, {
      ...{ name, item, recalled, secret: this.#stepSecret, step: this.#steps++ },
      claim: { ...claim, now: this.now, lease, until: outsideOfRuns(() => clock.now()) + LEASE_MS },
    })
    if (done.kind !== 'accepted') {
      this.before = done
      throw unanswered()
    }
    for (const [place] of recalled) this.#found.delete(place)
    this.#isLogged ||= done.logged
    this.hasChanged ||= done.changed && !isBookkeeping(name, item)
    return done
  }
}

const isBookkeeping = (name: string, item: unknown): boolean =>
  writeNamed(name === audited.name ? (item as { readonly name: string }).name : name).unaudited === true

function countUp(counts: Map<string, number>, name: string): number {
  const count = counts.get(name) ?? 0
  counts.set(name, count + 1)
  return count
}

/** Returns a store whose writes are steps of the current request run. */
export const claimingStore = (store: Store): Store => ({
  ...store,
  write(write, item) {
    const run = currentRun()
    if (!(run instanceof RequestRun) || run.isClosed || write.step === 'none') return store.write(write, item)
    return run.step(store, write, item) as Promise<never>
  },
})

export const unanswered = (): Problem =>
  new Problem(
    'conflict',
    'A request with this Idempotency-Key is still running. Repeat the request in a moment to get the response.',
  )
