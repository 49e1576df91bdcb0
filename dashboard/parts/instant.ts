// Times that the user enters in local time.

/**
 * Returns the time in a `Moment` field (filters.tsx) in the form that the API expects; undefined for an empty field.
 */
export function instantOf(local: string | undefined): string | undefined {
  const time = local === undefined ? Number.NaN : new Date(local).getTime()
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
