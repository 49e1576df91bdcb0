// Parses and formats times on the command line.

import { parseDuration } from '../lib/duration.ts'
import { parseTime } from '../lib/rfc3339.ts'

/**
 * Parses an RFC 3339 time, or a duration from `now` such as `30d` (s, m, h, d). Returns milliseconds since the epoch;
 * undefined if the text is neither a time nor a duration, or names a day that does not exist.
 */
export function parseExpiry(text: string, now: number): number | undefined {
  const wait = parseDuration(text)
  return wait === undefined ? parseTime(text) : now + wait
}

/** Formats a time for people with a precision of one second; `-` stands for never. */
export const shortTime = (at: number | null): string =>
  at === null ? '-' : shortDate(new Date(at).toISOString())

/** Formats an RFC 3339 time in UTC of the API, as `shortTime`. */
export const shortDate = (at: string | null): string => (at === null ? '-' : at.replace(/\.\d+Z$/, 'Z'))
