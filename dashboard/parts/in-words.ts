// Names of states and results in the language of the user.

import { statuses } from '../texts/en/statuses.ts'

/** `partially_delivered` as people write it, in their language where there is a word. */
export const inWords = (status: string): string => {
  const known = (statuses as Readonly<Record<string, string>>)[status]
  if (known !== undefined) return known
  const words = status.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
