// The choices of the statistics page: span of time, steps, groups, and what the figures are narrowed to.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export type Step = 'hour' | 'day'

/** Ranges, with the steps that make a readable chart; the first is the one to begin with. */
export const RANGES = {
  '24h': { span: DAY_MS, steps: ['hour'] },
  '7d': { span: 7 * DAY_MS, steps: ['day', 'hour'] },
  '30d': { span: 30 * DAY_MS, steps: ['day', 'hour'] },
  '90d': { span: 90 * DAY_MS, steps: ['day'] },
} as const satisfies Record<string, { span: number; steps: readonly Step[] }>
export type Range = keyof typeof RANGES

/** Ways to group the figures of the table. */
export const GROUPS = ['stream', 'tag', 'provider', 'category'] as const
export type GroupBy = (typeof GROUPS)[number]

/** The choices of the page, as they stand in the address. */
export const FILTERS = ['range', 'by', 'group', 'domain', 'stream', 'tag', 'provider'] as const
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>

/** What is shown. */
export interface Choice {
  readonly range: Range
  readonly by: Step
  readonly groupBy: GroupBy
  readonly domain: string | undefined
  readonly stream: string | undefined
  readonly tag: string | undefined
  readonly provider: string | undefined
}

/** The choices of the address; what it does not name, or names wrongly, is the first of its kind. */
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

/** True if something was accepted, and all of it in the last step. */
export const isOfLast = (buckets: readonly { readonly accepted: number }[]): boolean =>
  buckets.findIndex(({ accepted }) => accepted > 0) === buckets.length - 1 && buckets.length > 0

/**
 * The hours by which local time is ahead of UTC: figures are kept by the hour, so that days of a place whose offset has
 * minutes are those of UTC.
 */
export function offsetHours(now: Date): number {
  const minutes = -now.getTimezoneOffset()
  return minutes % 60 === 0 ? minutes / 60 : 0
}

/**
 * The day of a step, as the beginning of that day in UTC. All steps are by one offset, also those before the clocks were
 * changed: by the clock of that time such a day begins an hour before or after midnight.
 */
export const dayOfStep = (at: string, hours: number): Date => new Date(Date.parse(at) + hours * HOUR_MS)

/** An offset as the service takes it: `+02:00`. */
export const offsetText = (hours: number): string =>
  `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`

/** The whole steps up to the one that is under way. */
export function spanOf(range: Range, by: Step, now: number, hours: number): { from: Date; to: Date } {
  const step = by === 'hour' ? HOUR_MS : DAY_MS
  const ahead = hours * HOUR_MS
  const to = Math.floor((now + ahead) / step) * step + step - ahead
  return { from: new Date(to - RANGES[range].span), to: new Date(to) }
}
