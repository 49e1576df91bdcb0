// Time in tests: a clock that only the test moves, and ways to wait in real time.

import type { Clock } from '../../src/lib/clock.ts'
import { patience } from './patience.ts'

interface Timer {
  at: number
  readonly action: () => void
  /** Holds the stack of the call that set it; its text is made on demand. */
  readonly setBy: Error
}

/** A caller that waits until a timer is set. */
interface Watcher {
  readonly withinMs: number
  readonly by: string
  readonly resolve: () => void
}

/** A clock under the control of the test; `advance` fires timers in order. */
export class TestClock implements Clock {
  #now: number
  /** Milliseconds by which `jump` has moved it. */
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

  /** Sets the clock by `ms`, like an administrator or a hardware clock: no time passes. */
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

  /** Returns whether a timer is set that is due within `ms`, by a file whose path below `src/` begins with `by`. */
  isArmed(ms: number, by = ''): boolean {
    return [...this.#timers.values()].some((timer) => this.#suits(timer, { withinMs: ms, by }))
  }

  /**
   * Resolves when such a timer is set; at once if there is one. Moving the clock earlier would skip a caller that has
   * not begun to wait, and whose wait would then begin at the new time.
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

  /** Moves the time forward by `ms`, and fires the timers due on the way. */
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

/** Ends a hanging test, in milliseconds; no statement about speed, since the machine may be busy. */
export const MAX_WAIT_MS = 120_000 * patience()

type Found<T> = Exclude<T, false | null | undefined>

/**
 * Interval of checks, in milliseconds, which grows with the waiting time: checks are work that waiting test processes
 * would take from the others.
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
    if (Date.now() > start + MAX_WAIT_MS) throw new Error(`not within ${MAX_WAIT_MS} ms: ${what}`)
  }
}

/** Waits, in real time, until `look` returns a truthy value, and returns that. */
export const until = <T>(what: string, look: () => T | Promise<T>): Promise<Found<T>> =>
  polledFor(what, look, pause)

/** Moves the time of a test: its clock, or its node, which comes to rest before. */
export interface Mover {
  advance(ms: number): void | Promise<void>
}

/** The same, with a clock that moves on between checks: a wait that begins late on a slow machine ends as well. */
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

/** Checks, in real time, that a condition stays true: `holds` is called all that time and must never return false. */
export async function stays(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms: number,
): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(10)) {
    if (!(await holds())) throw new Error(`it did not stay so for ${ms} ms: ${what}`)
  }
}

const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Lets real time pass that belongs to the scenario: a host that replies slowly, a pause longer than a timeout. Use
 * `until` to wait for events; `npm run check` refuses an assertion right after this call.
 * @param of part of the scenario that takes this time
 */
export async function sleep(ms: number, _of: string): Promise<undefined> {
  await pause(ms)
}
