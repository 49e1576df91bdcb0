// The health of a receiver of webhooks: a value, and the value after one more request to the receiver.

import { FAILURES_UNTIL_PAUSE, MAX_FAILING_MS, MAX_PAUSE_MS, pauseAfter } from '../model/webhook.ts'
import type { AttemptOutcome } from './outcome.ts'

/** Requests at once to a receiver of which nothing is known, or that does not answer any more. */
const FIRST_REQUESTS = 4

/** Conclusions about a receiver from the requests so far. */
export interface ReceiverHealth {
  /** Failed requests in a row. */
  readonly failures: number
  /** Time of the first of these, in milliseconds since the epoch; null without one. */
  readonly failingSince: number | null
  /** Time until which the receiver is left alone; null where it is not. */
  readonly resumeAt: number | null
  /** Requests that may be under way at once. */
  readonly mostRequests: number
  /** Why nothing is sent any more: the receiver is gone (410), or has failed for too long; undefined as long as it is. */
  readonly verdict: 'gone' | 'failing' | undefined
}

/** Returns the health of a receiver whose webhook is claimed. One request tells whether a receiver that failed is back. */
export const healthAtFirst = (failures: number, failingSince: number | null): ReceiverHealth => ({
  ...{ failures, failingSince, resumeAt: null, verdict: undefined },
  mostRequests: failures >= FAILURES_UNTIL_PAUSE ? 1 : FIRST_REQUESTS,
})

/**
 * Returns the health after a request. A receiver that answers gets one more at once each time, one that does not answer
 * half as many.
 *
 * @param mostAtOnce requests at once at most
 */
export function healthAfter(
  health: ReceiverHealth,
  { delivered, answered, gone, overloaded, retryAfterMs = 0 }: AttemptOutcome,
  now: number,
  mostAtOnce: number,
): ReceiverHealth {
  const more = Math.min(mostAtOnce, health.mostRequests + 1)
  if (delivered) return { ...health, failures: 0, failingSince: null, mostRequests: more }
  const failures = health.failures + 1
  const failingSince = health.failingSince ?? now
  const wished = overloaded ? Math.min(retryAfterMs, MAX_PAUSE_MS) : 0
  const pause = Math.max(pauseAfter(failures, now - failingSince), wished)
  return {
    failures,
    failingSince,
    mostRequests: answered ? more : Math.max(1, health.mostRequests >> 1),
    verdict: health.verdict ?? (gone ? 'gone' : now - failingSince >= MAX_FAILING_MS ? 'failing' : undefined),
    resumeAt: pause > 0 ? Math.max(health.resumeAt ?? 0, now + pause) : health.resumeAt,
  }
}
