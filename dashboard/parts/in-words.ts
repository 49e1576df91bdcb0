// Names of statuses and results in the language of the user.

import { statuses } from '../texts/en/statuses.ts'

/**
 * Returns the name of a status such as `partially_delivered` in the language of the user; the name of an unknown
 * status is the status with spaces.
 */
export const inWords = (status: string): string => {
  const known = (statuses as Readonly<Record<string, string>>)[status]
  if (known !== undefined) return known
  const words = status.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
