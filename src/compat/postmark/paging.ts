// Reads the page, and the range of time, that a list of Postmark is asked for.

import type { OffsetPage } from '../pages.ts'
import type { Fields, Reading } from '../reading.ts'

/** Query parameters of every list. */
export const PAGE = ['count', 'offset'] as const
/** Query parameters of a range of time. */
export const RANGE = ['fromdate', 'todate'] as const

const MAX_COUNT = 500
const USUAL_COUNT = 100
const DAY_MS = 86_400_000

/** Returns the page of a query. */
export function readPage(fields: Fields, reading: Reading): OffsetPage {
  const count = fields.integer('count') ?? USUAL_COUNT
  if (count > MAX_COUNT) reading.wrong('count', 'too_large', `A page has at most ${MAX_COUNT} objects.`)
  return { count, offset: fields.integer('offset') ?? 0 }
}

/**
 * Returns the range of time of a query as `after` and `before`. A date without a time means the day in UTC; `todate`
 * includes its day.
 */
export function readRange(
  fields: Fields,
  reading: Reading,
): { readonly after?: string; readonly before?: string } {
  const from = readMoment(fields, 'fromdate', reading)
  const to = readMoment(fields, 'todate', reading)
  return {
    ...(from === undefined ? {} : { after: new Date(from.at).toISOString() }),
    ...(to === undefined ? {} : { before: new Date(to.at + (to.isDay ? DAY_MS : 1)).toISOString() }),
  }
}

function readMoment(fields: Fields, name: string, reading: Reading) {
  const text = fields.text(name)
  if (text === undefined) return undefined
  // Clients write days without leading zeros, too.
  const [, year, month = '', day = ''] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(text) ?? []
  const isDay = year !== undefined
  const written = isDay ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text
  const at = Date.parse(isDay || /(?:z|[+-]\d\d:?\d\d)$/i.test(written) ? written : `${written}Z`)
  if (Number.isFinite(at)) return { at, isDay }
  reading.wrong(
    name,
    'invalid_time',
    'Give a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00.',
  )
  return undefined
}
