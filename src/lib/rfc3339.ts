// Times as text (strict RFC 3339), and the units of durations.

/**
 * RFC 3339, and unambiguous variants that common programs write: a time without zero seconds (Java), spaces in place of
 * the T and before the offset (Ruby, SQL), an offset without its colon or minutes (PHP, strftime).
 */
const TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,12})?)? ?(?:[Zz]|UTC|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/

/** Units of durations and rates, in milliseconds. */
export const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Returns the time in milliseconds since the epoch; undefined for a text without an offset or with a day that does not
 * exist.
 */
export function parseTime(text: string): number | undefined {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part = '0') => Number(part)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  // `Date` would read February 30 as March 2.
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth) return undefined
  // Second 60 is a leap second (RFC 3339 §5.7), which `Date` converts to the first second of the next minute.
  if (hour > 23 || minute > 59 || second > (minute === 59 ? 60 : 59)) return undefined
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(7)
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute - offset, second, Number(fraction.slice(1, 4).padEnd(3, '0')))
  return date.getTime()
}

/** Returns the time as RFC 3339 text in UTC with milliseconds; returns null for null. */
export function formatTime(at: number): string
export function formatTime(at: number | null): string | null
export function formatTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** Returns the beginning of the hour of a time; both in milliseconds since the epoch. */
export const hourOf = (at: number): number => at - (at % 3_600_000)

/** Returns the day in UTC of a time in milliseconds, such as `2026-01-31`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
