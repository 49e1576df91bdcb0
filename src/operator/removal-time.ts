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
  /** Monotonic time of the last look. */
  #lookedAt: number | undefined

  constructor(options: RemovalTimeOptions) {
    this.#options = options
  }

  /** The time that nothing older than its retention survives; undefined while the clock is in doubt. */
  async now(): Promise<number | undefined> {
    const { state } = await this.#next()
    return state.doubt === undefined ? state.trusted : undefined
  }

  /** The same, and records it. */
  async look(): Promise<number | undefined> {
    const { store, log, clock } = this.#options
    const { before, state } = await this.#next()
    this.#lookedAt = clock.monotonic()
    const { doubt } = state
    if (doubt !== undefined && before?.doubt === undefined)
      log.warn(
        { ahead_ms: doubt.aheadMs },
        'the clock has jumped ahead; nothing is removed by its age until it is set right, or for three days',
      )
    if (doubt === undefined && before?.doubt !== undefined) log.info({}, 'the clock is trusted again')
    const isNew = before === undefined || (doubt === undefined) !== (before.doubt === undefined)
    if (isNew || Math.abs(state.trusted - before.trusted) >= RECORD_MS) {
      await store.write(setFact, { name: REMOVAL_TIME, value: JSON.stringify(state) })
    } else {
      // The elapsed time is counted from what is recorded.
      this.#lookedAt -= state.trusted - before.trusted
    }
    return doubt === undefined ? state.trusted : undefined
  }

  async #next(): Promise<{ before: RemovalTimeState | undefined; state: RemovalTimeState }> {
    const { store, clock, skew = () => 0 } = this.#options
    const before = await reading(readRemovalTime(store.read))
    const elapsed = this.#lookedAt === undefined ? undefined : clock.monotonic() - this.#lookedAt
    return { before, state: nextState(before, clock.now() - skew(), elapsed) }
  }
}

/** @param elapsed since the last look; undefined at the first look of a process */
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
