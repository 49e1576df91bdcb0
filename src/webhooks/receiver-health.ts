// The health of a webhook receiver as a value, and the change of the value after each request to the receiver.

import { FAILURES_UNTIL_PAUSE, MAX_FAILING_MS, MAX_PAUSE_MS, pauseAfter } from '../model/webhook.ts'
import type { AttemptOutcome } from './outcome.ts'

/** Initial maximum number of concurrent requests to a receiver. */
const FIRST_REQUESTS = 4

/** Conclusions about a receiver from the requests so far. */
export interface ReceiverHealth {
  /** Number of consecutive failed requests. */
  readonly failures: number
  /** Time of the first of the consecutive failures, in milliseconds since the epoch; null without a failure. */
  readonly failingSince: number | null
  /** Time until which the receiver gets no requests, in milliseconds since the epoch; null without a pause. */
  readonly resumeAt: number | null
  /** Maximum number of concurrent requests. */
  readonly mostRequests: number
  /**
   * Reason to end deliveries to the receiver: the receiver is gone (410), or has failed for too long; undefined without
   * a reason.
   */
  readonly verdict: 'gone' | 'failing' | undefined
}

/**
 * Returns the health of a receiver when its webhook is claimed. A receiver that failed many times gets a single
 * request, which shows whether the receiver works again.
 */
export const healthAtFirst = (failures: number, failingSince: number | null): ReceiverHealth => ({
  ...{ failures, failingSince, resumeAt: null, verdict: undefined },
  mostRequests: failures >= FAILURES_UNTIL_PAUSE ? 1 : FIRST_REQUESTS,
})

/**
 * Returns the health after a request. The maximum number of concurrent requests grows by one with each response, and is
 * halved if the receiver does not respond.
 *
 * @param mostAtOnce upper bound of the number of concurrent requests
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
