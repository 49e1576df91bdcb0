// The recorded time that removals by age use: the time of the clock, unless the clock has jumped ahead.

import type { Read } from '../database/dialect.ts'
import { readFact } from './installation.ts'

/** Record of the time for removals by age. */
export interface RemovalTimeState {
  /**
   * Last trusted time, in milliseconds since the epoch; while the clock is in doubt, the trusted time advances by
   * elapsed time.
   */
  readonly trusted: number
  /**
   * State of the doubt about the clock, defined only after a jump of the clock; no data is removed by age until the
   * doubt is over.
   */
  readonly doubt?: Doubt
}

export interface Doubt {
  /** Milliseconds by which the clock is ahead of the trusted time. */
  readonly aheadMs: number
  /** Time that has passed since the clock jumped, in milliseconds. */
  readonly waitedMs: number
}

/** Time in milliseconds for which the clock is in doubt after a jump; the clock is trusted again after this time. */
export const DOUBT_MS = 3 * 86_400_000

/** Name of the fact that stores the record. */
export const REMOVAL_TIME = 'removal-time'

/** Reads the record of the time; undefined before the first check. */
export async function readRemovalTime(read: Read): Promise<RemovalTimeState | undefined> {
  const value = await readFact(read, REMOVAL_TIME)
  return value === undefined ? undefined : JSON.parse(value)
}
