// Requests that can be run again after a crash: a later run gets the random values, the time and the recalled results
// of the first.

import { AsyncLocalStorage } from 'node:async_hooks'

/** One run of such a request. */
export interface RepeatableRun {
  /** Time at which the first run began, in milliseconds since the epoch. */
  readonly now: number
  /** True after the handler has ended: code still running does not belong to the request. */
  readonly isClosed: boolean
  /** Returns secret random bytes, the same in every run for the n-th draw of a purpose. */
  draw(purpose: string, bytes: number): Buffer
  /** Returns the result of the work in an earlier run, if a change was committed after it; otherwise does the work. */
  recall<T>(work: () => Promise<T>): Promise<T>
  /** Returns the results of a write that earlier runs have committed, by the name of the write, in order. */
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

/** Does work that a request only triggers, such as a delivery: its writes do not belong to the request. */
export const outsideOfRuns = <T>(work: () => T): T => current.run(undefined, work)

/**
 * Does work whose result a later change would alter, or that affects other hosts. A run that continues a request gets
 * the first result, if a change was committed after it. The result must survive a structured clone.
 */
export const recalled = <T>(work: () => Promise<T>): Promise<T> => currentRun()?.recall(work) ?? work()

/** Returns the results of a write of this request that were committed before a crash; none outside a run. */
export const earlierResults = <Result>({
  name,
}: {
  readonly name: string
} & ((...parts: never[]) => Promise<readonly Result[]>)): readonly Result[] =>
  (currentRun()?.earlier(name) ?? []) as readonly Result[]
