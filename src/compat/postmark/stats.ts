// Postmark's statistics.

import type { StatsView } from '../../api/contract/stats.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { RANGE, readRange } from './paging.ts'
import { streamAlias } from './streams.ts'

const noun = 'Statistics'
const STATS = new FieldNames(...RANGE, 'tag', 'messagestream')
const DAY_MS = 86_400_000
/** Span of statistics without a range of time. */
const USUAL_DAYS = 45
const DAYS = 'Days are days in UTC; without `fromdate` the last 45 days count.'
const NOT_KEPT = 'Statistics by the program and the system of readers are not kept; the lists are empty.'

type Totals = StatsView['totals']
type Figures = Readonly<Record<string, number>>

export const statsCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/deliverystats', noun, scope: 'stats:read' },
    summary: 'Count the bounces by their type',
    state: 'differs',
    differences: 'Counts the last 45 days; `InactiveMails` counts the addresses suppressed in that time.',
    handler: deliveryStats,
  },
  {
    ...{ method: 'GET', path: '/stats/outbound', noun, scope: 'stats:read' },
    summary: 'Read all figures',
    state: 'differs',
    differences: `${DAYS} Opens and clicks count once for each recipient. How many messages were tracked is not counted.`,
    handler: overview,
  },
  ...days('/stats/outbound/sends', 'Count sent mail by day', DAYS, ({ accepted, suppressed }) => ({
    Sent: accepted - suppressed,
  })),
  ...days(
    '/stats/outbound/bounces',
    'Count bounces by day',
    `${DAYS} Every bounce counts as \`HardBounce\` or \`SoftBounce\`: only bounces that end a delivery are counted by day.`,
    ({ bounced, failed }) => ({ HardBounce: bounced, SoftBounce: failed }),
  ),
  ...days('/stats/outbound/spam', 'Count complaints by day', DAYS, ({ complained }) => ({
    SpamComplaint: complained,
  })),
  ...days(
    '/stats/outbound/tracked',
    'Count tracked mail by day',
    'How many messages were tracked is not counted; the answer is 0.',
    () => ({ Tracked: 0 }),
  ),
  ...days(
    '/stats/outbound/opens',
    'Count opens by day',
    `${DAYS} Opens count once for each recipient.`,
    ({ opened }) => ({ Opens: opened, Unique: opened }),
  ),
  ...days(
    '/stats/outbound/clicks',
    'Count clicks by day',
    `${DAYS} Clicks count once for each recipient.`,
    ({ clicked }) => ({ Clicks: clicked, Unique: clicked }),
  ),
  ...days(
    '/stats/outbound/clicks/location',
    'Count clicks by the part of the message',
    `${DAYS} Only links in HTML are tracked. Clicks count once for each recipient.`,
    ({ clicked }) => ({ HTML: clicked, Text: 0 }),
  ),
  ...['opens/platforms', 'opens/emailclients', 'opens/readtimes'].map(unkept),
  ...['clicks/browserfamilies', 'clicks/platforms'].map(unkept),
]

/** Returns the call of figures that are not kept. */
function unkept(path: string): VendorCall {
  return {
    ...{ method: 'GET', path: `/stats/outbound/${path}`, noun, scope: 'stats:read' },
    summary: `Count ${path.replace('/', ' by ')}`,
    ...{ state: 'differs', differences: NOT_KEPT },
    async handler(translation) {
      // The query is checked as in the other statistics.
      await figuresOf(translation)
      return { Days: [] }
    },
  }
}

/** Returns the call of figures by day. */
function days(
  path: string,
  summary: string,
  differences: string,
  of: (totals: Totals) => Figures,
): readonly VendorCall[] {
  return [
    {
      ...{ method: 'GET', path, noun, scope: 'stats:read', summary, state: 'differs', differences },
      async handler(translation) {
        const { buckets, totals } = await figuresOf(translation)
        // Days without figures are left out.
        const counted = buckets
          .map(({ at, ...figures }) => ({ Date: at.slice(0, 10), ...of(figures) }))
          .filter(({ Date: _, ...figures }) => Object.values<number>(figures).some((count) => count > 0))
        return { Days: counted, ...of(totals) }
      },
    },
  ]
}

/** Returns the statistics by day that a request wants. */
async function figuresOf(translation: Translation): Promise<StatsView> {
  const { reading, services } = translation
  const fields = translation.query(STATS)
  const { after, before } = readRange(fields, reading)
  const to = before ?? new Date(services.clock.now() + 1).toISOString()
  const from = after ?? new Date(Date.parse(to) - USUAL_DAYS * DAY_MS).toISOString()
  const tag = fields.text('tag')
  const stream = streamAlias(fields.text('messagestream'))
  const query = {
    ...{ from, to, by: 'day' },
    ...(tag === undefined ? {} : { tag }),
    ...(stream === undefined ? {} : { stream }),
  }
  return (await translation.v1<StatsView>('stats.get', { query })).body
}

const rateOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 100_000) / 1_000

async function overview(translation: Translation): Promise<object> {
  const { totals } = await figuresOf(translation)
  const { accepted, suppressed, bounced, failed, complained, opened, clicked } = totals
  const sent = accepted - suppressed
  return {
    Sent: sent,
    Bounced: bounced + failed,
    SMTPApiErrors: 0,
    BounceRate: rateOf(bounced + failed, sent),
    SpamComplaints: complained,
    SpamComplaintsRate: rateOf(complained, sent),
    ...{ Opens: opened, UniqueOpens: opened, Tracked: 0, WithOpenTracking: 0, WithLinkTracking: 0 },
    ...{ TotalTrackedLinksSent: 0, UniqueLinksClicked: clicked, TotalClicks: clicked },
    ...{ WithClientRecorded: 0, WithPlatformRecorded: 0, WithReadTimeRecorded: 0 },
  }
}

/** Categories of bounces that mean an invalid address, and with which the address is suppressed. */
const HARD = ['mailbox_not_found', 'mailbox_disabled', 'domain_invalid']
/** Types in the answer, with the categories that they count. */
const TYPES: readonly (readonly [type: string, name: string, categories: readonly string[]])[] = [
  ['HardBounce', 'Hard bounce', HARD],
  ['DnsError', 'DNS error', ['dns']],
  ['SpamNotification', 'Spam notification', ['content']],
  ['Blocked', 'ISP block', ['blocked', 'policy']],
  ['DMARCPolicy', 'DMARC policy', ['auth']],
]

async function deliveryStats(translation: Translation): Promise<object> {
  const { totals, bounced_by_category: byCategory } = await figuresOf(translation)
  const categories = byCategory ?? {}
  const counted = TYPES.map(([Type, Name, names]) => ({
    ...{ Type, Name },
    Count: names.reduce((sum, name) => sum + (categories[name] ?? 0), 0),
  }))
  const all = totals.bounced + totals.failed
  const typed = counted.reduce((sum, { Count }) => sum + Count, 0)
  const bounces = [
    ...counted,
    { Type: 'SoftBounce', Name: 'Soft bounce', Count: Math.max(0, all - typed) },
    { Type: 'SpamComplaint', Name: 'Spam complaint', Count: totals.complained },
  ]
  return {
    InactiveMails: (counted[0]?.Count ?? 0) + totals.complained,
    Bounces: [{ Name: 'All', Count: all + totals.complained }, ...bounces.filter(({ Count }) => Count > 0)],
  }
}
