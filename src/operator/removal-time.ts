// The time that removals by age go by: a clock that jumps ahead removes nothing before an operator could see it.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { reading, type Store } from '../store/database/store.ts'
import { setFact } from '../store/node/installation.ts'
import { DOUBT_MS, REMOVAL_TIME, type RemovalTimeState, readRemovalTime } from '../store/node/removal-time.ts'

const DAY_MS = 86_400_000
/** A machine that sleeps, and a step by NTP, may put a running node ahead by so much. */
const MAX_AHEAD_MS = DAY_MS
/** For so long a service may have been off without a doubt about its clock. */
const MAX_OFF_MS = 7 * DAY_MS
/** The time is recorded so often. */
const RECORD_MS = 60_000

export interface RemovalTimeOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds by which this node's clock is ahead of the database's. */
  readonly skew?: () => number
}

/** One for each node; `look` is called again and again by the node that removes. */
export class RemovalTime {
  readonly #options: RemovalTimeOptions
  /** The record as it was after the last look, and the monotonic time that belongs to it. */
  #last: { readonly record: string; readonly at: number } | undefined

  constructor(options: RemovalTimeOptions) {
    this.#options = options
  }

  /** The time that nothing older than its retention survives; undefined while the clock is in doubt. */
  async now(): Promise<number | undefined> {
    const { state } = await this.#next()
    return state.doubt === undefined ? state.trusted : undefined
  }

  /** The same, and records it. */
  async check(): Promise<number | undefined> {
    const { store, log, clock } = this.#options
    const { before, state } = await this.#next()
    const at = clock.monotonic()
    const { doubt } = state
    if (doubt !== undefined && before?.doubt === undefined)
      log.warn(
        { ahead_ms: doubt.aheadMs },
        'the clock has jumped ahead; nothing is removed by its age until it is set right, or for three days',
      )
    if (doubt === undefined && before?.doubt !== undefined) log.info({}, 'the clock is trusted again')
    const isNew = before === undefined || (doubt === undefined) !== (before.doubt === undefined)
    if (isNew || Math.abs(state.trusted - before.trusted) >= RECORD_MS) {
      const record = JSON.stringify(state)
      await store.write(setFact, { name: REMOVAL_TIME, value: record })
      this.#last = { record, at }
    } else {
      // The elapsed time is counted from what is recorded.
      this.#last = { record: JSON.stringify(before), at: at - (state.trusted - before.trusted) }
    }
    return doubt === undefined ? state.trusted : undefined
  }

  async #next(): Promise<{ before: RemovalTimeState | undefined; state: RemovalTimeState }> {
    const { store, clock, skew = () => 0 } = this.#options
    const before = await reading(readRemovalTime(store.read))
    // How long ago another node has recorded something is not known here.
    const last = this.#last?.record === JSON.stringify(before ?? null) ? this.#last : undefined
    const elapsed = last && clock.monotonic() - last.at
    return { before, state: nextState(before, clock.now() - skew(), elapsed) }
  }
}

/** @param elapsed since what is recorded; undefined at the first look of a process, or after one of another node */
export function nextState(
  before: RemovalTimeState | undefined,
  now: number,
  elapsed: number | undefined,
): RemovalTimeState {
  if (before === undefined) return { trusted: now }
  const expected = before.trusted + (elapsed ?? 0)
  const aheadMs = now - expected
  if (aheadMs <= (elapsed === undefined ? MAX_OFF_MS : MAX_AHEAD_MS)) return { trusted: now }
  const waitedMs = before.doubt === undefined ? 0 : before.doubt.waitedMs + (elapsed ?? 0)
  return waitedMs >= DOUBT_MS ? { trusted: now } : { trusted: expected, doubt: { aheadMs, waitedMs } }
}
