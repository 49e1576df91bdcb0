// Requests that can be run again after a crash: a later run gets the random values, the time and the recalled results
// of the first run.

import { AsyncLocalStorage } from 'node:async_hooks'

/** One run of a repeatable request. */
export interface RepeatableRun {
  /** Time at which the first run began, in milliseconds since the epoch. */
  readonly now: number
  /** True after the handler has ended: code that still runs does not belong to the request. */
  readonly isClosed: boolean
  /** Returns secret random bytes, the same in every run for the n-th draw of a purpose. */
  draw(purpose: string, bytes: number): Buffer
  /**
   * Returns the result that the work had in an earlier run, if a change was committed after the work; otherwise does
   * the work.
   */
  recall<T>(work: () => Promise<T>): Promise<T>
  /** Returns the results of the writes with this name that earlier runs have committed, in order. */
  earlier(write: string): readonly unknown[]
}

const current = new AsyncLocalStorage<RepeatableRun | undefined>()

/** Returns the run that this code is part of. */
export function currentRun(): RepeatableRun | undefined {
  const run = current.getStore()
  return run?.isClosed ? undefined : run
}

/** Returns the run that started this work, even if the run has ended. */
export const originatingRun = (): RepeatableRun | undefined => current.getStore()

/** Does work as part of a run. */
export const withinRun = <T>(run: RepeatableRun, work: () => T): T => current.run(run, work)

/** Does work that a request only triggers, such as a delivery; the writes of this work do not belong to the request. */
export const outsideOfRuns = <T>(work: () => T): T => current.run(undefined, work)

/**
 * Does work that affects other hosts, or that would have another result after a later write. A run that continues a
 * request after a crash gets the first result of the work, if a change was committed after the work. The result must
 * survive a structured clone.
 */
export const recalled = <T>(work: () => Promise<T>): Promise<T> => currentRun()?.recall(work) ?? work()

/** Returns the results that a write of this request committed before a crash; an empty list outside a run. */
export const earlierResults = <Result>({
  name,
}: {
  readonly name: string
} & ((...parts: never[]) => Promise<readonly Result[]>)): readonly Result[] =>
  (currentRun()?.earlier(name) ?? []) as readonly Result[]
