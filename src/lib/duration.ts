// Parses durations such as `30d`.

import { UNITS } from './rfc3339.ts'

/** Parses a duration such as `30d` (s, m, h, d). Returns milliseconds; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})(s|m|h|d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * (UNITS[match[2] as string] as number)
}
