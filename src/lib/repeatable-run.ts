// Requests that can be run again after a crash: a later run gets the random values, the time and the findings of the first.

import { AsyncLocalStorage } from 'node:async_hooks'

/** One run of such a request. */
export interface RepeatableRun {
  /** Time at which the first run began, in milliseconds since the epoch. */
  readonly now: number
  /** The handler has ended: what still runs on is no part of the request. */
  readonly isClosed: boolean
  /** Bytes that nobody else can know, the same in every run for the n-th draw of a purpose. */
  draw(purpose: string, bytes: number): Buffer
  /** Returns what the work found in an earlier run, if a change was committed after it; else does the work. */
  recall<T>(work: () => Promise<T>): Promise<T>
  /** Results of a write that earlier runs have committed, by the name of the write and in their order. */
  earlier(write: string): readonly unknown[]
}

const current = new AsyncLocalStorage<RepeatableRun | undefined>()

/** The run that this code is part of. */
export function currentRun(): RepeatableRun | undefined {
  const run = current.getStore()
  return run?.isClosed ? undefined : run
}

/** The run that has begun this work, which may go on after its end. */
export const originatingRun = (): RepeatableRun | undefined => current.getStore()

/** Does work as part of a run. */
export const withinRun = <T>(run: RepeatableRun, work: () => T): T => current.run(run, work)

/** Does work that a request only begins, such as a delivery: what it writes is no part of the request. */
export const outsideOfRuns = <T>(work: () => T): T => current.run(undefined, work)

/**
 * Does work whose result a later change would alter, or that acts on other hosts. A run that continues a request gets the
 * first result, if a change was committed after it. The result survives a structured clone.
 */
export const recalled = <T>(work: () => Promise<T>): Promise<T> => currentRun()?.recall(work) ?? work()

/** Results of a write of this request that were committed before a crash; none outside of a run. */
export const earlierResults = <Result>({
  name,
}: {
  readonly name: string
} & ((...parts: never[]) => Promise<readonly Result[]>)): readonly Result[] =>
  (currentRun()?.earlier(name) ?? []) as readonly Result[]
