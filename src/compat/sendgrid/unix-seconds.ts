// Times in the form of SendGrid: whole seconds since the epoch.

/** Highest time that is read, in the year 9999. */
export const MAX_UNIX_SECONDS = 253_402_300_799

/** Returns a time in seconds; undefined for an absent value, and NaN for another value. */
export function readUnixSeconds(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const seconds = typeof value === 'number' || /^\d{1,12}$/.test(String(value)) ? Number(value) : Number.NaN
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_UNIX_SECONDS ? seconds : Number.NaN
}

/** Returns a time of the API in seconds since the epoch. */
export const unixSeconds = (time: string): number => Math.floor(Date.parse(time) / 1_000)
