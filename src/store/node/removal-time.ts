// The time that removals by age go by, as it is recorded: the clock's, unless that has jumped ahead.

import type { Read } from '../database/dialect.ts'
import { readFact } from './installation.ts'

/** Record of the time. */
export interface RemovalTimeState {
  /** The last time that was trusted, in milliseconds since the epoch; while there is a doubt it goes on by elapsed time. */
  readonly trusted: number
  /** The clock jumped ahead, so that nothing is removed by age. */
  readonly doubt?: Doubt
}

export interface Doubt {
  /** Milliseconds by which the clock is ahead of what is trusted. */
  readonly aheadMs: number
  /** For how long the clock has gone on like that. */
  readonly waitedMs: number
}

/** A clock that goes on for so long after a jump is taken to be right. */
export const DOUBT_MS = 3 * 86_400_000

/** The name of the fact. */
export const REMOVAL_TIME = 'removal-time'

/** Undefined until the first look. */
export async function readRemovalTime(read: Read): Promise<RemovalTimeState | undefined> {
  const value = await readFact(read, REMOVAL_TIME)
  return value === undefined ? undefined : JSON.parse(value)
}
