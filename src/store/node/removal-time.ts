// The recorded time that removals by age use: that of the clock, unless it has jumped ahead.

import type { Read } from '../database/dialect.ts'
import { readFact } from './installation.ts'

/** Record of the time. */
export interface RemovalTimeState {
  /** The last trusted time in milliseconds since the epoch; during a doubt it advances by elapsed time. */
  readonly trusted: number
  /** Set when the clock jumped ahead; nothing is removed by age then. */
  readonly doubt?: Doubt
}

export interface Doubt {
  /** Milliseconds by which the clock is ahead of the trusted time. */
  readonly aheadMs: number
  /** Time for which the clock has run on since the jump, in milliseconds. */
  readonly waitedMs: number
}

/** Time after which a clock that runs on after a jump is trusted. */
export const DOUBT_MS = 3 * 86_400_000

/** Name of the fact. */
export const REMOVAL_TIME = 'removal-time'

/** Reads the record; undefined before the first check. */
export async function readRemovalTime(read: Read): Promise<RemovalTimeState | undefined> {
  const value = await readFact(read, REMOVAL_TIME)
  return value === undefined ? undefined : JSON.parse(value)
}
