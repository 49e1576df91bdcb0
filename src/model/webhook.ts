// Webhooks: states, limits, and the schedule of retries.

/** Payload formats of a webhook: the service's own format (Standard Webhooks), or the format of another service. */
export const WEBHOOK_FORMATS = [
  'standard',
  'postmark',
  'sendgrid',
  'mailgun',
  'resend',
  'postal',
  'usesend',
] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/**
 * Reason why a webhook is disabled: a user disabled the webhook, the receiver responded with 410, or the receiver
 * failed for days.
 */
export type DisabledReason = 'manual' | 'gone' | 'failing'

/**
 * States of a delivery. `pending`: the delivery will be tried again; `failed`: the delivery has ended, unless somebody
 * retries it.
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One request to the receiver, and the response. */
export interface DeliveryAttempt {
  /** Time of the request, in milliseconds since the epoch. */
  readonly at: number
  /** Number of milliseconds until the response was read, or the request was abandoned. */
  readonly latencyMs: number
  /** HTTP status; null without a response. */
  readonly status: number | null
  /** Reason for the missing response; null with a response. */
  readonly problem: string | null
  /** Beginning of the response body. */
  readonly answer: string
}

export const WEBHOOK_LIMITS = {
  /** Maximum number of webhooks of a domain, and of the webhooks of an account. */
  perDomain: 20,
  url: 2_048,
  name: 100,
  /** Maximum number of streams, and of tags, in the filters of one webhook. */
  filters: 50,
  /** Maximum number of events in one request. */
  batch: 500,
  /** Number of seconds for which the previous secret stays valid. */
  rotation: { least: 0, most: 7 * 86_400, usual: 86_400 },
} as const

/** Maximum number of stored characters of a response. */
export const MAX_EXCERPT = 1_000
/** Number of stored attempts of a delivery; the most recent attempts are kept. */
export const MAX_KEPT_ATTEMPTS = 20

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Delays between the attempts of a delivery, in milliseconds; the first attempt is made immediately. */
export const DELIVERY_DELAYS: readonly number[] = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Maximum random part of a delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.1
/** Maximum delay that a receiver may request, in milliseconds. */
const MAX_RETRY_AFTER = 24 * HOUR

/**
 * Returns the delay after a failed attempt, in milliseconds; undefined after the last attempt.
 * @param attempts number of attempts made
 * @param retryAfterMs delay requested by the receiver
 * @param random number from 0 to 1
 */
export function delayAfter(
  attempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const delay = DELIVERY_DELAYS[attempts - 1]
  if (delay === undefined) return undefined
  const wanted = Math.max(delay, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER))
  return Math.round(wanted * (1 + JITTER * random))
}

/** Time of continuous failures in milliseconds after which a webhook is disabled. */
export const MAX_FAILING_MS = 3 * 24 * HOUR

/** Number of consecutive failures, of any events, after which a webhook is paused. */
export const FAILURES_UNTIL_PAUSE = 10
const MIN_PAUSE = 5 * SECOND
const MAX_PAUSE = 5 * MINUTE

/**
 * Returns the pause of a whole webhook in milliseconds, 0 for no pause: the time of continuous failures, within bounds.
 * @param failures number of consecutive failures
 * @param failingMs number of milliseconds since the first of these failures
 */
export const pauseAfter = (failures: number, failingMs: number): number =>
  failures < FAILURES_UNTIL_PAUSE ? 0 : Math.min(MAX_PAUSE, Math.max(MIN_PAUSE, failingMs))

/** Maximum pause that a receiver may request, in milliseconds. */
export const MAX_PAUSE_MS = MAX_PAUSE

/**
 * Parses a Retry-After field (RFC 9110 §10.2.3) with seconds or a date; returns milliseconds from now, or undefined for
 * any other text.
 */
export function retryAfterOf(field: string | undefined, now: number): number | undefined {
  if (field === undefined) return undefined
  if (/^\d{1,9}$/.test(field)) return Number(field) * SECOND
  const at = / GMT$/.test(field) ? Date.parse(field) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
