// Webhooks: their states and limits, and when a delivery is tried again.

/** The payloads that a webhook may speak: ours (Standard Webhooks), or that of another service. */
export const WEBHOOK_FORMATS = ['standard', 'postmark', 'sendgrid', 'mailgun'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** Reason why a webhook is off: somebody turned it off, its receiver answered 410, or failed for days. */
export type DisabledReason = 'manual' | 'gone' | 'failing'

/** `pending`: it is tried again; `failed`: given up, until somebody retries it. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One request to the receiver, and its answer. */
export interface DeliveryAttempt {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Milliseconds until the answer was read, or until it was given up. */
  readonly latencyMs: number
  /** HTTP status; null where there was no answer. */
  readonly status: number | null
  /** Reason for having no answer; null where there was one. */
  readonly problem: string | null
  /** Beginning of the answer's body. */
  readonly answer: string
}

export const WEBHOOK_LIMITS = {
  /** Webhooks of a domain. */
  perDomain: 20,
  url: 2_048,
  name: 100,
  /** Streams, or tags, that one is limited to. */
  filters: 50,
  /** Events of one request. */
  batch: 500,
  /** Seconds for which the previous secret stays valid. */
  rotation: { least: 0, most: 7 * 86_400, usual: 86_400 },
} as const

/** Characters of an answer that are kept. */
export const MAX_EXCERPT = 1_000
/** Attempts of a delivery that are kept: the last. */
export const MAX_KEPT_ATTEMPTS = 20

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Delays between the attempts of a delivery; the first attempt is made at once. */
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

/** A tenth more at most, so that what failed together does not come back together. */
const JITTER = 0.1
/** A receiver may ask for a later attempt, within this. */
const MAX_RETRY_AFTER = 24 * HOUR

/**
 * Delay after a failed attempt, in milliseconds; undefined when it was the last.
 *
 * @param attempts attempts that were made
 * @param retryAfterMs the receiver's wish
 * @param random from 0 to 1
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

/** Time for which every attempt of a webhook fails before it is disabled. */
export const MAX_FAILING_MS = 3 * 24 * HOUR

/** Failures in a row, of any events, after which a webhook is left alone for a while instead of being sent more. */
export const FAILURES_UNTIL_PAUSE = 10
const MIN_PAUSE = 5 * SECOND
const MAX_PAUSE = 5 * MINUTE

/**
 * Pause of a whole webhook in milliseconds, 0 for none: as long again as it has been failing, within bounds.
 *
 * @param failures in a row
 * @param failingMs since the first of them
 */
export const pauseAfter = (failures: number, failingMs: number): number =>
  failures < FAILURES_UNTIL_PAUSE ? 0 : Math.min(MAX_PAUSE, Math.max(MIN_PAUSE, failingMs))

/** Time for which a receiver may ask to be left alone altogether, in milliseconds. */
export const MAX_PAUSE_MS = MAX_PAUSE

/** RFC 9110 §10.2.3: seconds, or a date; undefined for neither. In milliseconds from now. */
export function retryAfterOf(field: string | undefined, now: number): number | undefined {
  if (field === undefined) return undefined
  if (/^\d{1,9}$/.test(field)) return Number(field) * SECOND
  const at = / GMT$/.test(field) ? Date.parse(field) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
