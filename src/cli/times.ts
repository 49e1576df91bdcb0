// Times on the command line, parsed and printed.

import { parseTime, UNITS } from '../lib/rfc3339.ts'

/**
 * Parses an RFC 3339 time, or a duration from `now` such as `30d` (s, m, h, d). Returns milliseconds since the epoch;
 * undefined when the text is neither, or names a day that does not exist.
 */
export function parseExpiry(text: string, now: number): number | undefined {
  const wait = /^([1-9]\d{0,5})(s|m|h|d)$/.exec(text)
  if (wait !== null) return now + Number(wait[1]) * (UNITS[wait[2] as string] as number)
  return parseTime(text)
}

/** Returns a time for people: to the second, `-` for never. */
export const shortTime = (at: number | null): string =>
  at === null ? '-' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
