// Times that are entered in the clock of the browser.

/** The time that a `Moment` (filters.tsx) names, as the service takes it; undefined for none. */
export function instantOf(local: string | undefined): string | undefined {
  const time = local === undefined ? Number.NaN : new Date(local).getTime()
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
