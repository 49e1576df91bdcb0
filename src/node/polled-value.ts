// A read that costs something, asked for by any client at any time: done seldom, and never twice at once.

/** At the most one part in so many of the time is spent on it. */
const ONE_IN = 50

/**
 * Wraps a read: its result stands for `minMs` milliseconds, or for longer when the read took long. A read that failed
 * is tried again at the next call.
 */
export function paced<T>(read: () => Promise<T>, minMs: number): () => Promise<T> {
  let last: Promise<T> | undefined
  let until = 0
  return () => {
    if (last !== undefined && performance.now() < until) return last
    const began = performance.now()
    until = Number.POSITIVE_INFINITY
    const reading = read()
    last = reading
    reading.then(
      () => {
        until = performance.now() + Math.max(minMs, (performance.now() - began) * ONE_IN)
      },
      () => {
        until = 0
      },
    )
    return reading
  }
}
