// The choices of the statistics page: period, steps, groups and filters.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export type Step = 'hour' | 'day'

/** Periods with the steps that give a readable chart; the first step is the default. */
export const RANGES = {
  '24h': { span: DAY_MS, steps: ['hour'] },
  '7d': { span: 7 * DAY_MS, steps: ['day', 'hour'] },
  '30d': { span: 30 * DAY_MS, steps: ['day', 'hour'] },
  '90d': { span: 90 * DAY_MS, steps: ['day'] },
} as const satisfies Record<string, { span: number; steps: readonly Step[] }>
export type Range = keyof typeof RANGES

/** Properties by which the table groups figures. */
export const GROUPS = ['stream', 'tag', 'provider', 'category'] as const
export type GroupBy = (typeof GROUPS)[number]

/** The choices of the page, as they appear in its URL. */
export const FILTERS = ['range', 'by', 'group', 'domain', 'stream', 'tag', 'provider'] as const
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>

/** The selected period, steps, groups and filters. */
export interface Choice {
  readonly range: Range
  readonly by: Step
  readonly groupBy: GroupBy
  readonly domain: string | undefined
  readonly stream: string | undefined
  readonly tag: string | undefined
  readonly provider: string | undefined
}

/** Returns the choices in the URL; a missing or invalid choice gets its default value. */
export function choiceOf({ range = '', by = '', group = '', domain, stream, tag, provider }: Filter): Choice {
  const known = Object.hasOwn(RANGES, range) ? (range as Range) : '7d'
  const steps: readonly Step[] = RANGES[known].steps
  return {
    range: known,
    by: steps.find((step) => step === by) ?? steps[0] ?? 'day',
    groupBy: GROUPS.find((one) => one === group) ?? 'stream',
    ...{ domain, stream, tag, provider: tag === undefined ? provider : undefined },
  }
}

/** True if there were accepted recipients, and all of them are in the last step. */
export const isOfLast = (buckets: readonly { readonly accepted: number }[]): boolean =>
  buckets.findIndex(({ accepted }) => accepted > 0) === buckets.length - 1 && buckets.length > 0

/**
 * Returns the UTC offset of local time in hours. The service stores figures by the hour, so this function returns 0
 * for a time zone whose offset includes minutes.
 */
export function offsetHours(now: Date): number {
  const minutes = -now.getTimezoneOffset()
  return minutes % 60 === 0 ? minutes / 60 : 0
}

/**
 * Returns the local day of a step, as midnight UTC of that day. All steps use the present UTC offset, although a
 * local day before a change to or from summer time began an hour earlier or later.
 */
export const dayOfStep = (at: string, hours: number): Date => new Date(Date.parse(at) + hours * HOUR_MS)

/** Returns a UTC offset in the form that the API expects, such as `+02:00`. */
export const offsetText = (hours: number): string =>
  `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`

/** Returns the period of whole steps up to the end of the current step. */
export function spanOf(range: Range, by: Step, now: number, hours: number): { from: Date; to: Date } {
  const step = by === 'hour' ? HOUR_MS : DAY_MS
  const ahead = hours * HOUR_MS
  const to = Math.floor((now + ahead) / step) * step + step - ahead
  return { from: new Date(to - RANGES[range].span), to: new Date(to) }
}
