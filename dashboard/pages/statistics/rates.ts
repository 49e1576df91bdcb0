// The figures of the page in words: what each is a share of, and the thresholds of large receivers.

import type { Counted, Statistics } from './calls.ts'

type Totals = Statistics['totals']

/** Limits of a rate, as shares. */
export interface Thresholds {
  /** Better below it. */
  readonly good: number
  /** From here on mail is blocked. */
  readonly limit: number
  /** A sentence for each: below, between, at the limit or above. */
  readonly words: readonly [good: string, high: string, limit: string]
}

export interface Rate {
  readonly name: Counted
  readonly label: string
  /** The whole of which it is a part; 0 where no share can be told. */
  readonly of: (totals: Totals) => number
  /** The part of the label that names the whole. */
  readonly ofWhat: string
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
  { name: 'accepted', label: 'Accepted', of: () => 0, ofWhat: '', always: true },
  {
    ...{ name: 'delivered', label: 'Delivered', of: ended, ofWhat: 'of ended deliveries' },
    ...{ better: 'more', always: true },
  },
  {
    ...{ name: 'bounced', label: 'Bounced', of: ended, ofWhat: 'of ended deliveries' },
    ...{ better: 'less', always: true },
    // No receiver publishes a figure; sending services review senders from 5 % on.
    thresholds: {
      good: 0.02,
      limit: 0.05,
      words: [
        'Below 2%: good.',
        'Above 2%: remove bad addresses from your lists.',
        'Above 5%: receivers block senders with such lists.',
      ],
    },
  },
  {
    ...{ name: 'complained', label: 'Complaints', of: delivered, ofWhat: 'of delivered' },
    ...{ better: 'less', always: true },
    // support.google.com/mail/answer/81126, senders.yahooinc.com/best-practices
    thresholds: {
      good: 0.001,
      limit: 0.003,
      words: [
        'Below 0.1%, as Gmail recommends.',
        'Above the 0.1% that Gmail recommends.',
        '0.3% or more: Gmail and Yahoo block such senders.',
      ],
    },
  },
  {
    name: 'deferred',
    label: 'Deferred',
    of: ({ accepted }) => accepted,
    ofWhat: 'of accepted',
    better: 'less',
    always: true,
  },
  {
    name: 'failed',
    label: 'Failed',
    of: ended,
    ofWhat: 'of ended deliveries',
    better: 'less',
    always: false,
  },
  {
    name: 'suppressed',
    label: 'Suppressed',
    of: ({ accepted }) => accepted,
    ofWhat: 'of accepted',
    always: true,
  },
  { name: 'unsubscribed', label: 'Unsubscribed', of: delivered, ofWhat: 'of delivered', always: false },
  { name: 'opened', label: 'Opened', of: delivered, ofWhat: 'of delivered', better: 'more', always: false },
  { name: 'clicked', label: 'Clicked', of: delivered, ofWhat: 'of delivered', better: 'more', always: false },
  { name: 'cancelled', label: 'Cancelled', of: () => 0, ofWhat: '', always: false },
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

/** A change against the period before, and its direction; undefined where there is nothing to compare. */
export interface Change {
  readonly text: string
  readonly isBetter: boolean | undefined
}

const PERCENT = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
})
const POINTS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2, signDisplay: 'exceptZero' })

/** Shares are compared in percentage points, counts in percent. */
export function changeOf(rate: Rate, now: Totals, before: Totals): Change | undefined {
  const [share, earlier] = [shareOf(rate, now), shareOf(rate, before)]
  const isRate = share !== undefined && earlier !== undefined
  if (!isRate && before[rate.name] === 0) return undefined
  const difference = isRate ? 100 * (share - earlier) : now[rate.name] / before[rate.name] - 1
  const text = isRate ? `${POINTS.format(difference)} points` : PERCENT.format(difference)
  const isUp = difference > 0
  const isBetter =
    rate.better === undefined || Math.abs(difference) < 0.005 ? undefined : (rate.better === 'more') === isUp
  return { text, isBetter }
}
