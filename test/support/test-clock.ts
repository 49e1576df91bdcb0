// A clock that stands still until the test moves it.

import type { Clock } from '../../src/lib/clock.ts'

/** A clock under the test's control; timers fire, in order, while `advance` passes them. */
export class TestClock implements Clock {
  #now: number
  /** Milliseconds by which `jump` has moved it. */
  #jumped = 0
  #timers = new Map<number, { at: number; action: () => void }>()
  #next = 1

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#jumped
  }

  /** Sets the clock by `ms`, as a hand or a battery does: no time passes. */
  jump(ms: number): void {
    this.#now += ms
    this.#jumped += ms
    for (const timer of this.#timers.values()) timer.at += ms
  }

  after(ms: number, action: () => void): () => void {
    const id = this.#next++
    this.#timers.set(id, { at: this.#now + ms, action })
    return () => void this.#timers.delete(id)
  }

  /** Moves the time forward by `ms`, firing what falls due on the way. */
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

/** Lets what is under way come to its next wait, in real time, then moves the clock over it. */
export async function pass(clock: TestClock, ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50))
  clock.advance(ms)
}

/** Waits, in real time, until something holds. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = 20_000,
): Promise<void> {
  const end = Date.now() + ms
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
