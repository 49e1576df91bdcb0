// Definitions of the rates on the statistics page: the total of each rate, and thresholds of large receivers.

import { home } from '../../texts/en/home.ts'
import { locale } from '../../texts/language.ts'
import { fill } from '../../texts/texts.ts'
import type { Counted, Statistics } from './calls.ts'

type Totals = Statistics['totals']

/** Thresholds of a rate, as shares of the total. */
interface Thresholds {
  /** Share below which the rate is good. */
  readonly good: number
  /** Share from which receivers block mail. */
  readonly limit: number
  /** Texts for a rate that is good, between both thresholds, or at the limit. */
  readonly words: 'bounceLevels' | 'complaintLevels'
}

export interface Rate {
  readonly name: Counted
  /** Returns the total of the rate; 0 if the figure has no total. */
  readonly of: (totals: Totals) => number
  /** Name of the total in the texts. */
  readonly ofWhat: keyof typeof home.ofWhat | undefined
  /** Direction that is an improvement; undefined if neither direction is. */
  readonly better?: 'more' | 'less'
  readonly thresholds?: Thresholds
  /** True if the figure is shown even if it is zero. */
  readonly always: boolean
}

/** Returns the number of recipients whose delivery has ended, in any filtered part of the mail. */
const ended = ({ delivered, bounced, failed }: Totals): number => delivered + bounced + failed
const delivered = ({ delivered }: Totals): number => delivered

/** Rates by the counted event type, in the order of the page. The compiler reports a missing type. */
const BY_TYPE: Readonly<Record<Counted, Omit<Rate, 'name'>>> = {
  accepted: { of: () => 0, ofWhat: undefined, always: true },
  delivered: { of: ended, ofWhat: 'ended', better: 'more', always: true },
  bounced: {
    ...{ of: ended, ofWhat: 'ended', better: 'less', always: true },
    // No receiver publishes a threshold; sending services review senders from 5 % on.
    thresholds: { good: 0.02, limit: 0.05, words: 'bounceLevels' },
  },
  complained: {
    ...{ of: delivered, ofWhat: 'delivered', better: 'less', always: true },
    // Sources are support.google.com/mail/answer/81126 and senders.yahooinc.com/best-practices.
    thresholds: { good: 0.001, limit: 0.003, words: 'complaintLevels' },
  },
  deferred: { of: ({ accepted }) => accepted, ofWhat: 'accepted', better: 'less', always: true },
  failed: { of: ended, ofWhat: 'ended', better: 'less', always: false },
  suppressed: { of: ({ accepted }) => accepted, ofWhat: 'accepted', always: true },
  unsubscribed: { of: delivered, ofWhat: 'delivered', always: false },
  opened: { of: delivered, ofWhat: 'delivered', better: 'more', always: false },
  clicked: { of: delivered, ofWhat: 'delivered', better: 'more', always: false },
  cancelled: { of: () => 0, ofWhat: undefined, always: false },
}

export const RATES: readonly Rate[] = Object.entries(BY_TYPE).map(([name, rate]) => ({
  ...{ name: name as Counted, ...rate },
}))

/** Returns the share of a figure; undefined if the figure has no total, or exceeds it. */
export function shareOf({ name, of }: Rate, totals: Totals): number | undefined {
  const whole = of(totals)
  return whole === 0 || totals[name] > whole ? undefined : totals[name] / whole
}

/** Minimum total for rating a rate; a smaller total is not significant. */
const MIN_JUDGED = 20

/** Returns the rating of a rate by receivers: 0 good, 1 high, 2 at the limit; undefined if the rate is not rated. */
export function levelOf(rate: Rate, totals: Totals): 0 | 1 | 2 | undefined {
  const share = shareOf(rate, totals)
  if (rate.thresholds === undefined || share === undefined || rate.of(totals) < MIN_JUDGED) return undefined
  return share >= rate.thresholds.limit ? 2 : share >= rate.thresholds.good ? 1 : 0
}

/**
 * Returns the times in milliseconds within which 50 and 95 percent of the deliveries were made; undefined for few
 * deliveries, because the values come from a histogram, which is inexact for single deliveries.
 */
export const deliveryTimesOf = (
  { delivered }: Pick<Totals, 'delivered'>,
  { p50, p95 }: Statistics['delivery_time_ms'],
): { readonly half: number; readonly most: number } | undefined =>
  delivered < MIN_JUDGED || p50 === null || p95 === null ? undefined : { half: p50, most: p95 }

/** A change since the previous period; `isBetter` is undefined if neither direction is an improvement. */
export interface Change {
  readonly text: string
  readonly isBetter: boolean | undefined
}

const PERCENT = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
})
const POINTS = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, signDisplay: 'exceptZero' })

/**
 * Returns the change of a figure: shares in percentage points, counts in percent; undefined if there is no previous
 * figure.
 */
export function changeOf(rate: Rate, now: Totals, before: Totals): Change | undefined {
  const [share, earlier] = [shareOf(rate, now), shareOf(rate, before)]
  const isRate = share !== undefined && earlier !== undefined
  if (!isRate && before[rate.name] === 0) return undefined
  const difference = isRate ? 100 * (share - earlier) : now[rate.name] / before[rate.name] - 1
  const text = isRate ? fill(home.points, { count: POINTS.format(difference) }) : PERCENT.format(difference)
  const isUp = difference > 0
  const isBetter =
    rate.better === undefined || Math.abs(difference) < 0.005 ? undefined : (rate.better === 'more') === isUp
  return { text, isBetter }
}
