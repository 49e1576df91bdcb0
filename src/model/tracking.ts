// Tracking requested by a domain, a stream or a message, and the reason if tracking is not available.

import type { Warning } from './finding.ts'
import type { FieldProblem } from './problem.ts'

/** Fields that request tracking; null inherits the value of the level above. */
export interface TrackingWishes {
  readonly track_opens?: boolean | null
  readonly track_links?: boolean | null
}

/**
 * Reasons why a message is sent without tracking or footer: content that its author signed or encrypted; more parts,
 * deeper parts or larger bodies than the service reads; a body that cannot be decoded to text; HTML that is nested too
 * deep or takes too long to parse.
 */
export const SKIP_REASONS = ['signed', 'encrypted', 'structure', 'encoding', 'too_large', 'html'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** Tracking of a message, as stored in the `accepted` events of the message. */
export interface AcceptedTracking {
  readonly opens: boolean
  readonly links: boolean
  /** Reason why nothing is tracked although tracking was requested. */
  readonly skipped?: SkipReason
}

/** Detail of an `accepted` event: changes that were made to the message, and changes that were omitted. */
export interface AcceptedDetail {
  readonly tracking?: AcceptedTracking
  /** Reason why no footer was added to a broadcast without a visible unsubscribe link in its bodies. */
  readonly footer?: { readonly skipped: SkipReason }
  /** Findings of the check of the message, if the guard was `warn`. */
  readonly warnings?: readonly Warning[]
}

const FIELDS = ['track_opens', 'track_links'] as const

/** True if opens or links are to be tracked, which requires the tracking host. */
export const wantsTracking = (wishes: TrackingWishes): boolean =>
  FIELDS.some((field) => wishes[field] === true)

/** The CNAME of the tracking host of a domain. */
export interface TrackingRecord {
  readonly name: string
  readonly value: string
  /**
   * Status at the last check; `without_certificate`: the record exists, but HTTPS at the host has no certificate yet.
   */
  readonly status: string
}

/** Returns a problem for each field that requests tracking while the CNAME of the tracking host is missing. */
export function trackingProblems(wishes: TrackingWishes, record: TrackingRecord | undefined): FieldProblem[] {
  if (record?.status === 'found') return []
  const remedy =
    record === undefined
      ? 'the domain has no tracking host'
      : record.status === 'without_certificate'
        ? 'the HTTPS certificate of the host is being ordered, or could not be ordered (see the log); try again in a few minutes'
        : `publish the record ${record.name} CNAME ${record.value} and verify the domain again`
  return FIELDS.filter((field) => wishes[field] === true).map((path) => ({
    path,
    code: 'tracking_host_not_verified',
    message: `Links in tracked mail lead to the tracking host of the domain, which is not ready; ${remedy}.`,
  }))
}
