// Filters of the activity page in its URL, for the page and for links to the page.

import { withQuery } from '../../client.ts'

/** Filters of the activity page, as they appear in its URL. */
export const FILTERS = [
  'search',
  'type',
  'domain',
  'stream',
  'tag',
  'provider',
  'category',
  'counted',
  'after',
  'before',
] as const
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>

/** Returns the path of the activity page with this filter. */
export const activityAddress = (filter: Filter): string => withQuery('/activity', filter)
