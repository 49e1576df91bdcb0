// Statistics in the form of SendGrid.

import type { StatsView } from '../../api/contract/stats.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'

const noun = 'Statistics'
const QUERY = new FieldNames('start_date', 'end_date', 'aggregated_by', 'categories', 'limit', 'offset')
const DATE = /^\d{4}-\d\d-\d\d$/
const DAY = 86_400_000

type Bucket = StatsView['buckets'][number]
type Metrics = Readonly<Record<string, number>>

const metricsOf = (bucket: Bucket): Metrics => ({
  blocks: bucket.failed,
  bounce_drops: bucket.suppressed,
  bounces: bucket.bounced,
  clicks: bucket.clicked,
  deferred: bucket.deferred,
  delivered: bucket.delivered,
  invalid_emails: 0,
  opens: bucket.opened,
  processed: bucket.accepted,
  requests: bucket.accepted,
  spam_report_drops: 0,
  spam_reports: bucket.complained,
  unique_clicks: bucket.clicked,
  unique_opens: bucket.opened,
  unsubscribe_drops: 0,
  unsubscribes: bucket.unsubscribed,
})

const PERIODS = ['day', 'week', 'month'] as const
type Period = (typeof PERIODS)[number]

/** Returns the first day of the period that contains a day. */
function startOf(day: string, period: Period): string {
  if (period === 'month') return `${day.slice(0, 7)}-01`
  if (period === 'day') return day
  const at = Date.parse(`${day}T00:00:00Z`)
  // Weeks begin on Monday.
  return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10)
}

const sum = (one: Metrics, other: Metrics): Metrics =>
  Object.fromEntries(Object.entries(one).map(([name, value]) => [name, value + (other[name] ?? 0)]))

/** Returns the metrics of the days of a query, by the first day of their period. */
async function periods(
  translation: Translation,
  query: Readonly<Record<string, unknown>>,
  period: Period,
): Promise<Map<string, Metrics>> {
  const { body } = await translation.v1<StatsView>('stats.get', { query: { by: 'day', ...query } })
  const found = new Map<string, Metrics>()
  for (const bucket of body.buckets) {
    const start = startOf(bucket.at.slice(0, 10), period)
    const metrics = metricsOf(bucket)
    const before = found.get(start)
    found.set(start, before === undefined ? metrics : sum(before, metrics))
  }
  return found
}

/** Reads the days and the period of a query. */
function readQuery(translation: Translation) {
  const { reading, services } = translation
  const fields = translation.query(QUERY)
  const date = (name: 'start_date' | 'end_date'): string | undefined => {
    const text = fields.text(name)
    if (text === undefined || (DATE.test(text) && !Number.isNaN(Date.parse(text)))) return text
    reading.wrong(name, 'invalid_time', `${name} is a date such as 2026-01-31.`)
    return undefined
  }
  const today = new Date(services.clock.now()).toISOString().slice(0, 10)
  const [start, end = today] = [date('start_date'), date('end_date')]
  if (!fields.has('start_date')) reading.wrong('start_date', 'required', 'Give start_date.')
  const span = {
    from: `${start}T00:00:00Z`,
    to: new Date(Date.parse(`${end}T00:00:00Z`) + DAY).toISOString(),
  }
  const period = fields.word('aggregated_by', PERIODS) ?? 'day'
  const categories = fields.list('categories').map(String)
  translation.check()
  return { span, period, categories }
}

async function ofCategories(translation: Translation): Promise<object[]> {
  const { span, period, categories } = readQuery(translation)
  if (categories.length === 0 || categories.length > 10) {
    translation.reading.wrong('categories', 'required', 'Give 1 to 10 categories.')
  }
  translation.check()
  const dates = new Map<string, object[]>()
  for (const name of categories) {
    for (const [date, metrics] of await periods(translation, { ...span, tag: name }, period)) {
      dates.set(date, [...(dates.get(date) ?? []), { type: 'category', name, metrics }])
    }
  }
  return [...dates].map(([date, stats]) => ({ date, stats }))
}

export const statsCalls: readonly VendorCall[] = [
  {
    method: 'GET',
    path: '/v3/stats',
    noun,
    summary: 'Statistics by day, week or month',
    scope: 'stats:read',
    state: 'differs',
    differences:
      'Opens and clicks count the first hits by people; `bounce_drops` counts all suppressed recipients.',
    async handler(translation) {
      const { span, period } = readQuery(translation)
      const found = await periods(translation, span, period)
      return [...found].map(([date, metrics]) => ({ date, stats: [{ metrics }] }))
    },
  },
  {
    method: 'GET',
    path: '/v3/categories/stats',
    noun,
    summary: 'Statistics of categories',
    scope: 'stats:read',
    state: 'differs',
    differences: 'A mail counts in its first category.',
    handler: ofCategories,
  },
]
