// The time for removals by age. A jump of the clock removes no data before an operator can react.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { reading, type Store } from '../store/database/store.ts'
import { setFact } from '../store/node/installation.ts'
import { DOUBT_MS, REMOVAL_TIME, type RemovalTimeState, readRemovalTime } from '../store/node/removal-time.ts'

const DAY_MS = 86_400_000
/**
 * Largest accepted step of the clock on a running node, such as a step after a suspension of the machine, or a step by
 * NTP.
 */
const MAX_AHEAD_MS = DAY_MS
/** Maximum time without a running node after which the clock is still trusted. */
const MAX_OFF_MS = 7 * DAY_MS
/** Interval at which the time is recorded in the store. */
const RECORD_MS = 60_000

export interface RemovalTimeOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds by which the clock of this node is ahead of the database clock. */
  readonly skew?: () => number
}

/** The trusted time that a node uses for removals by age; the node with the removal job calls `check` repeatedly. */
export class RemovalTime {
  readonly #options: RemovalTimeOptions
  /** Record in the store after the last check, and the monotonic time of this record. */
  #last: { readonly record: string; readonly at: number } | undefined

  constructor(options: RemovalTimeOptions) {
    this.#options = options
  }

  /** Returns the time for removals by age; undefined while the clock is in doubt. */
  async now(): Promise<number | undefined> {
    const { state } = await this.#next()
    return state.doubt === undefined ? state.trusted : undefined
  }

  /** Returns the time for removals by age, like `now`, and records the time in the store. */
  async check(): Promise<number | undefined> {
    const { store, log, clock } = this.#options
    const { before, state } = await this.#next()
    const at = clock.monotonic()
    const { doubt } = state
    if (doubt !== undefined && before?.doubt === undefined)
      log.warn(
        { ahead_ms: doubt.aheadMs },
        'the clock has jumped ahead; nothing is removed by age until the clock is corrected, or for three days',
      )
    if (doubt === undefined && before?.doubt !== undefined) log.info({}, 'the clock is trusted again')
    const isNew = before === undefined || (doubt === undefined) !== (before.doubt === undefined)
    if (isNew || Math.abs(state.trusted - before.trusted) >= RECORD_MS) {
      const record = JSON.stringify(state)
      await store.write(setFact, { name: REMOVAL_TIME, value: record })
      this.#last = { record, at }
    } else {
      // Elapsed time counts from the time in the record.
      this.#last = { record: JSON.stringify(before), at: at - (state.trusted - before.trusted) }
    }
    return doubt === undefined ? state.trusted : undefined
  }

  async #next(): Promise<{ before: RemovalTimeState | undefined; state: RemovalTimeState }> {
    const { store, clock, skew = () => 0 } = this.#options
    const before = await reading(readRemovalTime(store.read))
    // The age of a record written by another node is unknown.
    const last = this.#last?.record === JSON.stringify(before ?? null) ? this.#last : undefined
    const elapsed = last && clock.monotonic() - last.at
    return { before, state: nextState(before, clock.now() - skew(), elapsed) }
  }
}

/**
 * Returns the trusted time, and whether the clock is in doubt, from the previous state and the current time.
 *
 * @param elapsed milliseconds since the record; undefined at the first check of a process, or after a record of
 * another node
 */
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
