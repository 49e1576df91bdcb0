// Times as the command line reads and writes them.

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|[+-]([01]\d|2[0-3]):([0-5]\d))$/

/**
 * Reads an RFC 3339 time, or a duration from `now` such as `30d` (s, m, h, d). Answers milliseconds since the
 * epoch; undefined when the text is neither, or names a day that does not exist.
 */
export function parseExpiry(text: string, now: number): number | undefined {
  const wait = /^([1-9]\d{0,5})(s|m|h|d)$/.exec(text)
  if (wait !== null) return now + Number(wait[1]) * (UNITS[wait[2] as string] as number)
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
  // Date would take February 30 for March 2.
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  return Date.parse(text.toUpperCase())
}

/** RFC 3339 in UTC with milliseconds; null stays null. */
export function time(at: number): string
export function time(at: number | null): string | null
export function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** For people: to the second, `-` for never. */
export const shortTime = (at: number | null): string =>
  at === null ? '-' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
