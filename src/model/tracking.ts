// Tracking requested by a domain, a stream or a message, and the reason if it is not available.

import type { FieldProblem } from './problem.ts'

/** Fields that request tracking; null inherits from the level above. */
export interface TrackingWishes {
  readonly track_opens?: boolean | null
  readonly track_links?: boolean | null
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
