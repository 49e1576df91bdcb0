// Times in the form of Mailgun: RFC 2822 dates, and seconds since the epoch with a fraction.

/** Matches a date (RFC 2822 §3.3), whose day of the week and seconds may be missing. */
const DATE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), *)?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}(?::\d{2})? (?:[+-]\d{4}|UTC|GMT|UT|Z|[ECMP][SD]T)$/i
const SECONDS = /^\d{1,12}(?:\.\d{1,9})?$/

/** Returns a time in milliseconds since the epoch; undefined for a text that is no time. */
export function readMailgunTime(text: string): number | undefined {
  const trimmed = text.trim()
  if (SECONDS.test(trimmed)) return Math.round(Number(trimmed) * 1_000)
  if (!DATE.test(trimmed)) return undefined
  const at = Date.parse(trimmed)
  return Number.isNaN(at) ? undefined : at
}

/** Returns the time of a delivery; the present for a time in the past, because Mailgun sends such a message at once. */
export function deliveryTime(text: string, now: number): number | undefined {
  const at = readMailgunTime(text)
  return at === undefined ? undefined : Math.max(at, now)
}

/** Returns a time as Mailgun writes times: `Fri, 25 Dec 2026 09:00:00 UTC`. */
export const mailgunTime = (at: number | string): string => new Date(at).toUTCString().replace(/GMT$/, 'UTC')
