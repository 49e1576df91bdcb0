// Time in tests: a clock that only the test moves, and functions that wait in real time.

import type { Clock } from '../../src/lib/clock.ts'
import { patience } from './patience.ts'

interface Timer {
  at: number
  readonly action: () => void
  /** Error whose stack names the caller that set the timer; the text of the stack is created on demand. */
  readonly setBy: Error
}

/** A caller that waits until a matching timer is set. */
interface Watcher {
  readonly withinMs: number
  readonly by: string
  readonly resolve: () => void
}

/** A clock that the test controls; `advance` fires timers in order. */
export class TestClock implements Clock {
  #now: number
  /** Milliseconds by which `jump` has moved the clock. */
  #jumped = 0
  #timers = new Map<number, Timer>()
  #next = 1
  readonly #watchers = new Set<Watcher>()

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#jumped
  }

  /** Sets the clock forward or back by `ms`, as an administrator may do; no time passes for timers. */
  jump(ms: number): void {
    this.#now += ms
    this.#jumped += ms
    for (const timer of this.#timers.values()) timer.at += ms
  }

  after(ms: number, action: () => void): () => void {
    const id = this.#next++
    const timer = { at: this.#now + ms, action, setBy: new Error('set here') }
    this.#timers.set(id, timer)
    for (const watcher of this.#watchers) if (this.#suits(timer, watcher)) watcher.resolve()
    return () => void this.#timers.delete(id)
  }

  /** Returns whether a timer is due within `ms` that was set by a file whose path below `src/` begins with `by`. */
  isArmed(ms: number, by = ''): boolean {
    return [...this.#timers.values()].some((timer) => this.#suits(timer, { withinMs: ms, by }))
  }

  /**
   * Resolves as soon as `isArmed` returns true for the same arguments. A test that moves the clock earlier skips a
   * caller that has not set its timer yet, and the wait of this caller would begin at the new time.
   */
  async armed(ms: number, by = ''): Promise<void> {
    if (this.isArmed(ms, by)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const watcher = { withinMs: ms, by, resolve }
    const timeout = setTimeout(
      () => reject(new Error(`no timer of src/${by} within ${MAX_WAIT_MS} ms`)),
      MAX_WAIT_MS,
    )
    this.#watchers.add(watcher)
    await promise.finally(() => {
      clearTimeout(timeout)
      this.#watchers.delete(watcher)
    })
  }

  #suits({ at, setBy }: Timer, { withinMs, by }: Pick<Watcher, 'withinMs' | 'by'>): boolean {
    return at - this.#now <= withinMs && (setBy.stack ?? '').includes(`/src/${by}`)
  }

  /** Moves the time forward by `ms`, and fires the timers that are due meanwhile. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      let dueId: number | undefined
      let dueAt = Number.POSITIVE_INFINITY
      for (const [id, timer] of this.#timers) {
        if (timer.at <= end && timer.at < dueAt) {
          dueId = id
          dueAt = timer.at
        }
      }
      if (dueId === undefined) break
      const timer = this.#timers.get(dueId)
      this.#timers.delete(dueId)
      this.#now = Math.max(this.#now, dueAt)
      timer?.action()
    }
    this.#now = end
  }
}

/**
 * Time after which a waiting test fails, in milliseconds; the limit says nothing about speed, because the machine may
 * be busy.
 */
export const MAX_WAIT_MS = 120_000 * patience()

type Found<T> = Exclude<T, false | null | undefined>

/**
 * Interval between two checks, in milliseconds, which grows with the waiting time, because frequent checks of waiting
 * test processes would slow down the other processes.
 */
const PAUSE_MS = { least: 10, most: 100, ofTheWait: 1 / 20 }

const pauseAfter = (waitedMs: number): number =>
  Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waitedMs * PAUSE_MS.ofTheWait))

async function polledFor<T>(
  what: string,
  look: () => T | Promise<T>,
  rest: (ms: number) => Promise<unknown>,
): Promise<Found<T>> {
  for (const start = Date.now(); ; await rest(pauseAfter(Date.now() - start))) {
    const found = await look()
    if (found) return found as Found<T>
    if (Date.now() > start + MAX_WAIT_MS)
      throw new Error(`the condition was not met within ${MAX_WAIT_MS} ms: ${what}`)
  }
}

/** Waits in real time until `look` returns a truthy value, and returns the value. */
export const until = <T>(what: string, look: () => T | Promise<T>): Promise<Found<T>> =>
  polledFor(what, look, pause)

/** Moves the time of a test: either the clock itself, or a node that moves the clock when the node is idle. */
export interface Mover {
  advance(ms: number): void | Promise<void>
}

/**
 * Waits like `until`, but moves the clock between checks, so that a timer that is set late on a slow machine still
 * fires.
 */
export const untilPassed = <T>(
  { by, stepMs }: { readonly by: Mover; readonly stepMs: number },
  what: string,
  look: () => T | Promise<T>,
): Promise<Found<T>> =>
  polledFor(what, look, async (ms) => {
    for (let waited = 0; waited < ms; waited += PAUSE_MS.least) {
      await by.advance(stepMs)
      await pause(PAUSE_MS.least)
    }
  })

/**
 * Checks for `ms` of real time that a condition stays true: calls `holds` repeatedly, and throws if it returns false.
 */
export async function stays(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms: number,
): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(10)) {
    if (!(await holds())) throw new Error(`the condition did not hold for ${ms} ms: ${what}`)
  }
}

const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Waits in real time for a delay of the scenario, such as a host that replies slowly, or a pause longer than a timeout.
 * Tests must use `until` to wait for events; `npm run check` refuses an assertion right after this call.
 * @param of part of the scenario that takes this time
 */
export async function sleep(ms: number, _of: string): Promise<undefined> {
  await pause(ms)
}
