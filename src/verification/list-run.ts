// Processes one list of addresses: verifies many addresses concurrently, but only few of one domain; stores the results
// and takes the credits in batches.

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
  /** Maximum number of addresses of one domain under way at once; more addresses would only wait for each other. */
  readonly perDestination: number
  /** Returns the maximum number of addresses of this list under way at once, at least one; the number may change. */
  readonly atOnce: () => number
}

/**
 * Reason for the end of a run. `done`: no address is left; `paused`: no credits are left; `queued`: the node stops or
 * the account is suspended; `lost`: another node holds the list.
 */
export type RunEnd = 'done' | 'paused' | 'queued' | 'lost'

/** Maximum number of unwritten results and addresses under way; no further address begins above this number. */
const MAX_UNKEPT = 500
/**
 * Time, in milliseconds, in which results are collected: a commit of many results costs little more than a commit of
 * one result.
 */
const GATHER_MS = 50
/** Maximum number of addresses read in one query, so that the run can choose among many domains. */
const WINDOW = 5_000
const REFILL_BELOW = 1_000
/** Delay before another attempt to write results that the store could not accept. */
const UNWRITTEN_MS = 500

/**
 * Time in milliseconds for which an address waits, once, after greylisting deferred its catch-all probe; most hosts
 * accept after five minutes.
 */
const PUT_OFF_MS = 6 * 60_000
/** Maximum number of addresses that wait because of greylisting; waiting addresses are kept in memory. */
const MAX_PUT_OFF = 10_000

/** Number of addresses of one domain in a row, on a reused connection, before other domains get their turn. */
const MAX_IN_A_ROW = 20

interface Pending extends PendingAddress {
  /** True if the address has already waited because of greylisting. */
  readonly hasWaited?: boolean
}

/** A turn of a domain in the rotation; a domain has as many turns as addresses that may be under way. */
interface Turn {
  readonly domain: string
  /** Number of addresses in a row since other domains had a turn. */
  inARow: number
}

/** One run over a list; `run` is called once. */
export class ListRun {
  readonly #held: HeldWork
  readonly #options: ListRunOptions
  readonly #waiting = new Map<string, Pending[]>()
  /** Functions that cancel the waits caused by greylisting. */
  readonly #putOff = new Set<() => void>()
  /** Turns in which another address can be verified. */
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

  /** Processes the list; resolves with the reason for the end when no address is under way any more. */
  run(): Promise<RunEnd> {
    this.#goOn()
    return this.#ended.promise
  }

  /** Ends the run: no further address is verified. */
  stop(why: RunEnd): void {
    this.#end ??= why
    // The run that continues the list finds these addresses unprocessed.
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

  /**
   * Puts an address back into the list after a delay; returns false if the address has already waited, or if too many
   * addresses wait.
   */
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

  /** Writes results until no unwritten result is left. */
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
        // The processing of the list continues when the account is active again.
        if (kept === 'suspended') this.stop('queued')
        if (kept === 'lost') this.stop('lost')
        return
      } catch (error) {
        log.error({ err: error, verification_id: this.#held.id }, 'results could not be stored')
        // The node that continues the list verifies these addresses again.
        if (!(error instanceof Problem)) this.stop('queued')
        if (this.#end !== undefined) return
        await new Promise<void>((resolve) => void clock.after(UNWRITTEN_MS, resolve))
      }
    }
  }
}
