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
import { AddressRotation, type Taken } from './address-rotation.ts'

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

interface Pending extends PendingAddress {
  /** True if the address has already waited because of greylisting. */
  readonly hasWaited?: boolean
}

/** State of a run, from which its next steps follow. */
interface State {
  /** `due`: the list may have further addresses; `active`: a query is active; `done`: all addresses have been read. */
  readonly reading: 'due' | 'active' | 'done'
  /** Position of the last address that has been read; -1 before the first query. */
  readonly position: number
  /** Number of addresses that are being verified. */
  readonly verifying: number
  readonly isWriting: boolean
  /** Reason for the end; undefined as long as further addresses may be verified. */
  readonly end: RunEnd | undefined
}

type Event =
  | { readonly kind: 'readBegins' | 'readFailed' | 'verified' | 'writeBegins' | 'written' }
  | { readonly kind: 'read'; readonly addresses: readonly PendingAddress[] }
  | { readonly kind: 'verifyBegins'; readonly count: number }
  | { readonly kind: 'ends'; readonly why: RunEnd }

/** Returns the state after an event; a later reason for the end does not replace the first reason. */
function stateAfter(state: State, event: Event): State {
  switch (event.kind) {
    case 'readBegins':
      return { ...state, reading: 'active' }
    case 'read': {
      const { addresses } = event
      const position = addresses.at(-1)?.position ?? state.position
      return { ...state, reading: addresses.length < WINDOW ? 'done' : 'due', position }
    }
    case 'readFailed':
      return { ...state, reading: 'due', end: state.end ?? 'queued' }
    case 'verifyBegins':
      return { ...state, verifying: state.verifying + event.count }
    case 'verified':
      return { ...state, verifying: state.verifying - 1 }
    case 'writeBegins':
      return { ...state, isWriting: true }
    case 'written':
      return { ...state, isWriting: false }
    case 'ends':
      return { ...state, end: state.end ?? event.why }
  }
}

/** One run over a list; `run` is called once. */
export class ListRun {
  readonly #held: HeldWork
  readonly #options: ListRunOptions
  readonly #rotation: AddressRotation<Pending>
  /** Functions that cancel the waits caused by greylisting. */
  readonly #putOff = new Set<() => void>()
  /** Results that no write has taken yet. */
  #unkept: AddressResult[] = []
  #state: State = { reading: 'due', position: -1, verifying: 0, isWriting: false, end: undefined }
  readonly #ended = Promise.withResolvers<RunEnd>()

  constructor(held: HeldWork, options: ListRunOptions) {
    this.#held = held
    this.#options = options
    this.#rotation = new AddressRotation(options.perDestination)
  }

  /** Processes the list; resolves with the reason for the end when no address is being verified any more. */
  run(): Promise<RunEnd> {
    this.#goOn()
    return this.#ended.promise
  }

  /** Ends the run: no further address is verified. */
  stop(why: RunEnd): void {
    // The run that continues the list finds these addresses unprocessed.
    for (const cancel of this.#putOff) cancel()
    this.#putOff.clear()
    this.#dispatch({ kind: 'ends', why })
  }

  #dispatch(event: Event): void {
    this.#state = stateAfter(this.#state, event)
    this.#goOn()
  }

  /**
   * Begins the next step that the state permits; the event at the beginning of the step leads to the following step.
   */
  #goOn(): void {
    const { reading, verifying, isWriting, end } = this.#state
    if (end === undefined && reading === 'due' && this.#rotation.size < REFILL_BELOW) void this.#read()
    else if (!isWriting && this.#unkept.length > 0) void this.#write()
    else if (end === undefined && this.#beginAddresses()) return
    else if (verifying === 0 && reading !== 'active' && !isWriting) this.#settle()
  }

  /** Begins as many addresses as the limits permit; returns false if none can begin. */
  #beginAddresses(): boolean {
    const { verifying } = this.#state
    const room = Math.min(this.#options.atOnce(), MAX_UNKEPT - this.#unkept.length) - verifying
    const begun: Taken<Pending>[] = []
    while (begun.length < room) {
      const taken = this.#rotation.take()
      if (taken === undefined) break
      begun.push(taken)
    }
    if (begun.length === 0) return false
    this.#dispatch({ kind: 'verifyBegins', count: begun.length })
    for (const taken of begun) void this.#verify(taken)
    return true
  }

  /** Reports the end of the run after the last step, if the run has a reason to end. */
  #settle(): void {
    const isDone = this.#rotation.size === 0 && this.#putOff.size === 0
    const end = this.#state.end ?? (isDone ? 'done' : undefined)
    if (end !== undefined) this.#ended.resolve(end)
  }

  async #read(): Promise<void> {
    const { store, log } = this.#options
    const { position } = this.#state
    this.#dispatch({ kind: 'readBegins' })
    let addresses: readonly PendingAddress[]
    try {
      addresses = await listPendingAddresses(store.read, this.#held.id, position, WINDOW)
    } catch (error) {
      log.error({ err: error }, 'a list of addresses cannot be read')
      this.#dispatch({ kind: 'readFailed' })
      return
    }
    for (const address of addresses) this.#rotation.add(address)
    this.#dispatch({ kind: 'read', addresses })
  }

  async #verify(taken: Taken<Pending>): Promise<void> {
    const { verification } = this.#options
    const { position, email } = taken.address
    try {
      const answer = await verification.verify(this.#held.accountId, email, true)
      const waits = verification.isCatchAllPutOff(answer) && this.#askLater(taken.address)
      if (!waits) this.#unkept.push({ position, result: answer.result, answer: JSON.stringify(answer) })
    } finally {
      this.#rotation.giveBack(taken)
      this.#dispatch({ kind: 'verified' })
    }
  }

  /**
   * Puts an address back into the list after a delay; returns false if the address has already waited, or if too many
   * addresses wait.
   */
  #askLater(address: Pending): boolean {
    const isEnding = this.#state.end !== undefined
    if (address.hasWaited || this.#putOff.size >= MAX_PUT_OFF || isEnding) return false
    const cancel = this.#options.clock.after(PUT_OFF_MS, () => {
      this.#putOff.delete(cancel)
      this.#rotation.add({ ...address, hasWaited: true })
      this.#goOn()
    })
    this.#putOff.add(cancel)
    return true
  }

  /** Writes the results, together with results that arrive within a moment. */
  async #write(): Promise<void> {
    this.#dispatch({ kind: 'writeBegins' })
    if (this.#state.verifying > 0) await pause(GATHER_MS)
    await this.#keep(this.#unkept.splice(0))
    this.#dispatch({ kind: 'written' })
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
        if (this.#state.end !== undefined) return
        await new Promise<void>((resolve) => void clock.after(UNWRITTEN_MS, resolve))
      }
    }
  }
}
