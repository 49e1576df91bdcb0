// Parses and formats times on the command line.

import { parseTime, UNITS } from '../lib/rfc3339.ts'

/** Parses a duration such as `30d` (s, m, h, d). Returns milliseconds; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})(s|m|h|d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * (UNITS[match[2] as string] as number)
}

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
  at === null ? '-' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
