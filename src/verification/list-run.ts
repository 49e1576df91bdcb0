// Works through one list of addresses: many at once, few of one domain; results are kept with their credits, in batches.

import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import type { HeldWork } from '../store/node/leased-work.ts'
import {
  type AddressResult,
  finishVerificationAddresses,
  listPendingAddresses,
  type PendingAddress,
} from '../store/verification/verification-work.ts'
import type { AccountVerification } from './account-verification.ts'

export interface ListRunOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly verification: AccountVerification
  /** Addresses of one domain at once: more would only wait for each other. */
  readonly perDestination: number
  /** Addresses of this list at once, which may change; one or more. */
  readonly atOnce: () => number
}

/**
 * Reason for the end of a run: nothing is left, no credits are, the node stops or the account is suspended, another
 * node holds it.
 */
export type RunEnd = 'done' | 'paused' | 'queued' | 'lost'

/** Results that wait to be kept, beyond which no further address begins. */
const MAX_UNKEPT = 500
/** Time in which results gather, in milliseconds: those of one commit cost little more than one of them. */
const GATHER_MS = 50
/** Addresses in memory, so that there are many domains to choose from. */
const WINDOW = 5_000
const REFILL_BELOW = 1_000
/** Delay before a result that the store could not take is tried again. */
const UNWRITTEN_MS = 500

/** Wait of an address whose catch-all probe a greylist has put off, in milliseconds, once: most let pass after five minutes. */
const PUT_OFF_MS = 6 * 60_000
/** Addresses that wait so at once; they are in memory. */
const MAX_PUT_OFF = 10_000

/** Addresses of one domain after each other, on a connection that is kept, before others have their turn. */
const MAX_IN_A_ROW = 20

interface Pending extends PendingAddress {
  /** It has waited for a greylist. */
  readonly hasWaited?: boolean
}

/** A domain's place among those that are worked on; it has as many as addresses of it may be under way. */
interface Turn {
  readonly domain: string
  /** Addresses since others had their turn. */
  inARow: number
}

/** One run over a list; `run` is called once. */
export class ListRun {
  readonly #held: HeldWork
  readonly #options: ListRunOptions
  readonly #waiting = new Map<string, Pending[]>()
  /** Functions that end the waits of addresses that were put off. */
  readonly #putOff = new Set<() => void>()
  /** Turns of domains to begin with another address. */
  readonly #ready: Turn[] = []
  readonly #turns = new Map<string, number>()
  #count = 0
  #underWay = 0
  #unkept: AddressResult[] = []
  #keeping = false
  #lastPosition = -1
  #allLoaded = false
  #loading = false
  #end: RunEnd | undefined
  readonly #ended = Promise.withResolvers<RunEnd>()

  constructor(held: HeldWork, options: ListRunOptions) {
    this.#held = held
    this.#options = options
  }

  /** Resolves when nothing is under way any more. */
  run(): Promise<RunEnd> {
    this.#goOn()
    return this.#ended.promise
  }

  /** Begins nothing more. */
  stop(why: RunEnd): void {
    this.#end ??= why
    // The run that goes on with the list finds them undone.
    for (const cancel of this.#putOff) cancel()
    this.#putOff.clear()
    this.#settle()
  }

  #goOn(): void {
    if (!this.#allLoaded && !this.#loading && this.#count < REFILL_BELOW) void this.#load()
    while (
      this.#end === undefined &&
      this.#underWay < this.#options.atOnce() &&
      this.#underWay + this.#unkept.length < MAX_UNKEPT
    ) {
      const turn = this.#ready.shift()
      if (turn === undefined) break
      const address = this.#waiting.get(turn.domain)?.shift()
      if (address === undefined) {
        this.#giveTurnBack(turn.domain)
        continue
      }
      this.#count--
      this.#underWay++
      void this.#verify(address).finally(() => this.#finished(turn))
    }
    this.#settle()
  }

  #finished(turn: Turn): void {
    this.#underWay--
    if (!this.#keeping) void this.#keepAll()
    if (++turn.inARow < MAX_IN_A_ROW) this.#ready.unshift(turn)
    else {
      turn.inARow = 0
      this.#ready.push(turn)
    }
    this.#goOn()
  }

  #settle(): void {
    if (this.#underWay > 0 || this.#loading || this.#keeping) return
    if (this.#allLoaded && this.#count === 0 && this.#putOff.size === 0) this.#end ??= 'done'
    if (this.#end !== undefined) this.#ended.resolve(this.#end)
  }

  async #load(): Promise<void> {
    this.#loading = true
    try {
      const { read } = this.#options.store
      const found = await listPendingAddresses(read, this.#held.id, this.#lastPosition, WINDOW)
      for (const address of found) this.#add(address)
      this.#lastPosition = found.at(-1)?.position ?? this.#lastPosition
      this.#allLoaded = found.length < WINDOW
    } catch (error) {
      this.#options.log.error({ err: error }, 'a list of addresses cannot be read')
      this.#end ??= 'queued'
    }
    this.#loading = false
    this.#goOn()
  }

  #add(address: Pending): void {
    const domain = address.email.slice(address.email.lastIndexOf('@') + 1).toLowerCase()
    const waiting = this.#waiting.get(domain)
    if (waiting === undefined) this.#waiting.set(domain, [address])
    else waiting.push(address)
    this.#count++
    const turns = this.#turns.get(domain) ?? 0
    if (turns >= this.#options.perDestination) return
    this.#turns.set(domain, turns + 1)
    this.#ready.push({ domain, inARow: 0 })
  }

  #giveTurnBack(domain: string): void {
    const turns = (this.#turns.get(domain) ?? 0) - 1
    if (turns > 0) {
      this.#turns.set(domain, turns)
      return
    }
    this.#turns.delete(domain)
    this.#waiting.delete(domain)
  }

  async #verify(address: Pending): Promise<void> {
    const { verification } = this.#options
    const { position, email } = address
    const answer = await verification.verify(this.#held.accountId, email, true)
    if (verification.isCatchAllPutOff(answer) && this.#askLater(address)) return
    this.#unkept.push({ position, result: answer.result, answer: JSON.stringify(answer) })
  }

  /** Puts an address back among those to verify, after a while; false when it has waited before, or too many wait. */
  #askLater(address: Pending): boolean {
    if (address.hasWaited || this.#putOff.size >= MAX_PUT_OFF || this.#end !== undefined) return false
    const cancel = this.#options.clock.after(PUT_OFF_MS, () => {
      this.#putOff.delete(cancel)
      this.#add({ ...address, hasWaited: true })
      this.#goOn()
    })
    this.#putOff.add(cancel)
    return true
  }

  /** Keeps results as they come, until none is left. */
  async #keepAll(): Promise<void> {
    this.#keeping = true
    while (this.#unkept.length > 0) {
      if (this.#underWay > 0) await pause(GATHER_MS)
      await this.#keep(this.#unkept.splice(0))
      this.#goOn()
    }
    this.#keeping = false
    this.#settle()
  }

  async #keep(addresses: readonly AddressResult[]): Promise<void> {
    const { store, clock, log } = this.#options
    for (;;) {
      try {
        const finished = { ...this.#held, addresses, now: clock.now() }
        const kept = await store.write(finishVerificationAddresses, finished)
        if (kept === 'no_credits') this.stop('paused')
        // It goes on when the account does.
        if (kept === 'suspended') this.stop('queued')
        if (kept === 'lost') this.stop('lost')
        return
      } catch (error) {
        log.error({ err: error, verification_id: this.#held.id }, 'results could not be kept')
        // The node that goes on with the list finds them out again.
        if (!(error instanceof Problem)) this.stop('queued')
        if (this.#end !== undefined) return
        await new Promise<void>((resolve) => void clock.after(UNWRITTEN_MS, resolve))
      }
    }
  }
}
