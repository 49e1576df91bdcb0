// Interprets the response of a webhook receiver: delivered, to be retried, or unwanted.

import { type DeliveryAttempt, MAX_EXCERPT, retryAfterOf } from '../model/webhook.ts'
import type { HttpAnswer, HttpProblem } from '../outgoing-http/outgoing-http.ts'

export interface AttemptOutcome {
  readonly attempt: DeliveryAttempt
  readonly delivered: boolean
  /** True for status 410: the receiver wants no more requests of this webhook. */
  readonly gone: boolean
  /** False if the receiver could not be reached or did not respond in time. */
  readonly answered: boolean
  /** Delay requested by the receiver, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** True for status 429 or 503 with `Retry-After`: the receiver wants no requests at all for a while. */
  readonly overloaded: boolean
}

/**
 * @param at time of the request, in milliseconds since the epoch
 * @param now time of the response, in milliseconds since the epoch
 */
export function outcomeOf(answer: HttpAnswer | HttpProblem, at: number, now: number): AttemptOutcome {
  const latencyMs = Math.max(0, now - at)
  if ('problem' in answer) {
    return {
      attempt: { at, latencyMs, status: null, problem: answer.detail, answer: '' },
      ...{ delivered: false, gone: false, answered: false, retryAfterMs: undefined, overloaded: false },
    }
  }
  const { status, headers, body } = answer
  const retryAfterMs = retryAfterOf(headers['retry-after'], now)
  return {
    attempt: { at, latencyMs, status, problem: null, answer: excerptOf(body) },
    delivered: status >= 200 && status < 300,
    gone: status === 410,
    answered: true,
    retryAfterMs,
    overloaded: (status === 429 || status === 503) && retryAfterMs !== undefined,
  }
}

/** Returns the beginning of a body as text without NUL characters, which some databases refuse. */
const excerptOf = (body: Buffer): string =>
  body
    .subarray(0, 4 * MAX_EXCERPT)
    .toString('utf8')
    .replaceAll('\0', '\ufffd')
    .slice(0, MAX_EXCERPT)
    .toWellFormed()
