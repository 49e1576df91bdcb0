// Tracking requested by a domain, a stream or a message, and the reason if it is not available.

import type { FieldProblem } from './problem.ts'

/** Fields that request tracking; null inherits from the level above. */
export interface TrackingWishes {
  readonly track_opens?: boolean | null
  readonly track_links?: boolean | null
}

/**
 * Causes for which a message goes out without tracking or footer: content that its author signed or encrypted; more or deeper
 * parts, or larger bodies, than are read; bytes that no encoding explains; HTML that is nested too deep or takes long to parse.
 */
export const SKIP_REASONS = ['signed', 'encrypted', 'structure', 'encoding', 'too_large', 'html'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** Tracking of a message, as stored in its `accepted` events. */
export interface AcceptedTracking {
  readonly opens: boolean
  readonly links: boolean
  /** Cause for which nothing is tracked although it was requested. */
  readonly skipped?: SkipReason
}

/** Detail of an `accepted` event: changes made to the message, and omitted ones. */
export interface AcceptedDetail {
  readonly tracking?: AcceptedTracking
  /** For a broadcast without a visible unsubscribe link in its bodies: the cause for which no footer was added. */
  readonly footer?: { readonly skipped: SkipReason }
}

const FIELDS = ['track_opens', 'track_links'] as const

/** True if tracking is requested that needs the tracking host. */
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
      ? 'the domain has none'
      : record.status === 'without_certificate'
        ? 'its certificate for HTTPS is ordered at the moment, or could not be (see the log); try again in a few minutes'
        : `publish the record ${record.name} CNAME ${record.value} and verify the domain again`
  return FIELDS.filter((field) => wishes[field] === true).map((path) => ({
    path,
    code: 'tracking_host_not_verified',
    message: `Links in tracked mail lead to a host name of the domain that is not ready; ${remedy}.`,
  }))
}
