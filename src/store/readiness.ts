// Whether a node can do its work now, as far as its store tells.

import { Problem } from '../model/problem.ts'
import { type ClockWatch, skewInWords } from './clock-watch.ts'
import { accessVersion } from './installation.ts'
import { type Read, reading } from './store.ts'

/** A store that has not answered by then is not ready, whatever it says later. */
const READY_MS = 3_000

/** Throws `Problem` `unavailable` with what keeps the node from its work. */
export async function requireReady(read: Read, clockWatch: ClockWatch): Promise<void> {
  const late = new Promise<never>((_resolve, reject) => {
    const problem = new Problem('unavailable', 'The store does not answer.', { retryAfter: 5 })
    setTimeout(() => reject(problem), READY_MS).unref()
  })
  await Promise.race([reading(accessVersion(read)), late])
  const wrong = skewInWords(clockWatch.skew)
  if (wrong !== undefined) throw new Problem('unavailable', wrong, { retryAfter: 10 })
}
