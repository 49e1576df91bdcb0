// The figures of the page in words: what each is a share of, and the thresholds of large receivers.

import { home } from '../../texts/en/home.ts'
import { locale } from '../../texts/language.ts'
import { fill } from '../../texts/texts.ts'
import type { Counted, Statistics } from './calls.ts'

type Totals = Statistics['totals']

/** Limits of a rate, as shares. */
interface Thresholds {
  /** Better below it. */
  readonly good: number
  /** From here on mail is blocked. */
  readonly limit: number
  /** Sentences for each: below, between, at the limit or above. */
  readonly words: 'bounceLevels' | 'complaintLevels'
}

export interface Rate {
  readonly name: Counted
  /** The whole of which it is a part; 0 where no share can be told. */
  readonly of: (totals: Totals) => number
  /** Name of the whole. */
  readonly ofWhat: keyof typeof home.ofWhat | undefined
  /** More of it is better, or worse; neither where it is not told. */
  readonly better?: 'more' | 'less'
  readonly thresholds?: Thresholds
  /** Shown even while it is zero. */
  readonly always: boolean
}

/** Recipients whose delivery has ended, for whichever part of the mail is shown. */
const ended = ({ delivered, bounced, failed }: Totals): number => delivered + bounced + failed
const delivered = ({ delivered }: Totals): number => delivered

export const RATES: readonly Rate[] = [
  { name: 'accepted', of: () => 0, ofWhat: undefined, always: true },
  {
    ...{ name: 'delivered', of: ended, ofWhat: 'ended' },
    ...{ better: 'more', always: true },
  },
  {
    ...{ name: 'bounced', of: ended, ofWhat: 'ended' },
    ...{ better: 'less', always: true },
    // No receiver publishes a figure; sending services review senders from 5 % on.
    thresholds: {
      good: 0.02,
      limit: 0.05,
      words: 'bounceLevels',
    },
  },
  {
    ...{ name: 'complained', of: delivered, ofWhat: 'delivered' },
    ...{ better: 'less', always: true },
    // support.google.com/mail/answer/81126, senders.yahooinc.com/best-practices
    thresholds: {
      good: 0.001,
      limit: 0.003,
      words: 'complaintLevels',
    },
  },
  {
    name: 'deferred',
    of: ({ accepted }) => accepted,
    ofWhat: 'accepted',
    better: 'less',
    always: true,
  },
  {
    name: 'failed',
    of: ended,
    ofWhat: 'ended',
    better: 'less',
    always: false,
  },
  {
    name: 'suppressed',
    of: ({ accepted }) => accepted,
    ofWhat: 'accepted',
    always: true,
  },
  { name: 'unsubscribed', of: delivered, ofWhat: 'delivered', always: false },
  { name: 'opened', of: delivered, ofWhat: 'delivered', better: 'more', always: false },
  { name: 'clicked', of: delivered, ofWhat: 'delivered', better: 'more', always: false },
  { name: 'cancelled', of: () => 0, ofWhat: undefined, always: false },
]

/** The share of a figure; undefined where there is no whole, or it is no part of it. */
export function shareOf({ name, of }: Rate, totals: Totals): number | undefined {
  const whole = of(totals)
  return whole === 0 || totals[name] > whole ? undefined : totals[name] / whole
}

/** Fewer say nothing about a rate. */
const MIN_JUDGED = 20

/** Meaning of a rate for the receivers: 0 good, 1 high, 2 at the limit; undefined where it is not told. */
export function levelOf(rate: Rate, totals: Totals): 0 | 1 | 2 | undefined {
  const share = shareOf(rate, totals)
  if (rate.thresholds === undefined || share === undefined || rate.of(totals) < MIN_JUDGED) return undefined
  return share >= rate.thresholds.limit ? 2 : share >= rate.thresholds.good ? 1 : 0
}

/**
 * Times to delivery in milliseconds, within which half and 95 of 100 were delivered; undefined of few deliveries: they are
 * read from a histogram, which says nothing of single ones.
 */
export const deliveryTimesOf = (
  { delivered }: Pick<Totals, 'delivered'>,
  { p50, p95 }: Statistics['delivery_time_ms'],
): { readonly half: number; readonly most: number } | undefined =>
  delivered < MIN_JUDGED || p50 === null || p95 === null ? undefined : { half: p50, most: p95 }

/** A change against the period before, and its direction; undefined where there is nothing to compare. */
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

/** Shares are compared in percentage points, counts in percent. */
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
