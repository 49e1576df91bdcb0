// Times as text (strict RFC 3339), and the units of durations.

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:[Zz]|[+-]([01]\d|2[0-3]):([0-5]\d))$/

/** Units of durations and rates, in milliseconds. */
export const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns milliseconds since the epoch; undefined for a text without an offset or with a day that does not exist. */
export function parseTime(text: string): number | undefined {
  const match = RFC_3339.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  // Date would read February 30 as March 2.
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  return Date.parse(text.toUpperCase())
}

/** Returns the time in UTC with milliseconds; null stays null. */
export function formatTime(at: number): string
export function formatTime(at: number | null): string | null
export function formatTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
