// Mailgun's statistics and tags.

import type { StatsView } from '../../api/contract/stats.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { baseUrlOf, enterDomain, pageQuery } from './domain.ts'
import { mailgunTime, readMailgunTime } from './times.ts'

const statistics = { noun: 'Statistics', scope: 'stats:read' } as const
const tags = { noun: 'Tags', scope: 'stats:read' } as const
const byDay = 'Statistics by month are sums of days; messages count by their first tag.'
const recent = 'The tags of the last 30 days are listed, without descriptions.'
const analytics = 'Use `GET /v1/stats?group_by=tag`.'

export const statsCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/v3/:domain/stats/total', ...statistics, summary: 'Count events' },
    ...{ state: 'differs', differences: byDay },
    handler: (translation) => count(translation, undefined),
  },
  {
    ...{ method: 'GET', path: '/v3/:domain/tags', ...tags, summary: 'List tags' },
    ...{ state: 'differs', differences: recent },
    handler: listTags,
  },
  {
    ...{ method: 'GET', path: '/v3/:domain/tags/:tag', ...tags, summary: 'Show a tag' },
    ...{ state: 'differs', differences: recent },
    async handler(translation) {
      await enterDomain(translation)
      const wanted = translation.param('tag')
      const found = (await tagsOf(translation)).find(({ tag }) => tag === wanted)
      if (found === undefined) throw new Problem('not_found', 'Tag not found')
      return found
    },
  },
  {
    ...{ method: 'GET', path: '/v3/:domain/tags/:tag/stats', ...tags, summary: 'Count events of a tag' },
    ...{ state: 'differs', differences: byDay },
    async handler(translation) {
      const tag = translation.param('tag')
      return { tag, description: '', ...(await count(translation, tag)) }
    },
  },
  ...(['PUT', 'DELETE'] as const).map(
    (method): VendorCall => ({
      ...{ method, path: '/v3/:domain/tags/:tag', ...tags },
      summary: method === 'PUT' ? 'Describe a tag' : 'Delete a tag',
      ...{ state: 'refused', differences: 'Tags exist as long as the statistics of their messages.' },
    }),
  ),
  {
    ...{ method: 'POST', path: '/v1/analytics/tags', ...tags, summary: 'List tags of the account' },
    ...{ state: 'refused', differences: analytics },
  },
  {
    ...{ method: 'GET', path: '/v1/analytics/tags/limits', ...tags, summary: 'Show the limits of tags' },
    ...{ state: 'refused', differences: analytics },
  },
]

const QUERY = new FieldNames('event', 'start', 'end', 'resolution', 'duration', 'tag')
const RESOLUTIONS = ['hour', 'day', 'month'] as const
type Resolution = (typeof RESOLUTIONS)[number]

const DAY_MS = 86_400_000
/** Length of a unit of `duration`, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, m: 30 * DAY_MS }
const USUAL_MS = 7 * DAY_MS

/** Names of the counts that Mailgun knows. */
const EVENTS: readonly string[] = [
  ...['accepted', 'delivered', 'failed', 'opened', 'clicked', 'unsubscribed', 'complained', 'stored'],
]

async function count(translation: Translation, tag: string | undefined): Promise<object> {
  await enterDomain(translation)
  const { reading } = translation
  const fields = translation.query(QUERY)
  const events = fields.list('event').map(String)
  if (events.length === 0) reading.wrong('event', 'required', `Give one or more of ${EVENTS.join(', ')}.`)
  for (const event of events) {
    if (!EVENTS.includes(event))
      reading.wrong('event', 'invalid_value', `There is no event ${event.slice(0, 40)}.`)
  }
  const resolution = fields.word('resolution', RESOLUTIONS) ?? 'day'
  const { from, to } = timesOf(translation, fields.text('start'), fields.text('end'), fields.text('duration'))
  const query = {
    ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    by: resolution === 'hour' ? 'hour' : 'day',
    ...(tag === undefined ? {} : { tag }),
  }
  const { body } = await translation.v1<StatsView>('stats.get', { query })
  return {
    ...{ start: mailgunTime(from), end: mailgunTime(to), resolution },
    stats: bucketsOf(body, resolution).map(({ at, counts }) => ({
      time: mailgunTime(at),
      ...Object.fromEntries(events.map((event) => [event, countOf(event, counts)])),
    })),
  }
}

function timesOf(
  { reading, services }: Translation,
  start: string | undefined,
  end: string | undefined,
  duration: string | undefined,
): { readonly from: number; readonly to: number } {
  const time = (name: string, text: string | undefined): number | undefined => {
    const at = text === undefined ? undefined : readMailgunTime(text)
    if (text !== undefined && at === undefined) {
      reading.wrong(name, 'invalid_time', 'Give an RFC 2822 date or seconds since the epoch.')
    }
    return at
  }
  const to = time('end', end) ?? services.submission.now
  const [, amount, unit = ''] = /^(\d{1,4})([hdm])$/.exec(duration ?? '') ?? []
  if (duration !== undefined && amount === undefined) {
    reading.wrong('duration', 'invalid_value', 'Give a duration such as 24h, 7d or 1m.')
  }
  const lasts = amount === undefined ? undefined : Number(amount) * (UNITS[unit] as number)
  const from = lasts === undefined ? (time('start', start) ?? to - USUAL_MS) : to - lasts
  return { from, to }
}

type Counts = StatsView['totals']

interface Bucket {
  readonly at: string
  readonly counts: Counts
}

/** Returns the buckets of a resolution; a month is the sum of its days. */
function bucketsOf({ buckets }: StatsView, resolution: Resolution): Bucket[] {
  const all = buckets.map(({ at, ...counts }) => ({ at, counts }))
  if (resolution !== 'month') return all
  const byMonth = Map.groupBy(all, ({ at }) => at.slice(0, 7))
  return [...byMonth].map(([month, days]) => ({
    at: `${month}-01T00:00:00.000Z`,
    counts: days.map(({ counts }) => counts).reduce(sum),
  }))
}

const sum = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, value + other[name as keyof Counts]]),
  ) as Counts

function countOf(event: string, counts: Counts): object {
  switch (event) {
    case 'accepted':
      return { incoming: 0, outgoing: counts.accepted, total: counts.accepted }
    case 'delivered':
      return { smtp: counts.delivered, http: 0, optimized: 0, total: counts.delivered }
    case 'failed': {
      const permanent = counts.bounced + counts.failed + counts.suppressed
      return {
        temporary: { espblock: 0, total: counts.deferred },
        permanent: {
          ...{ 'suppress-bounce': counts.suppressed, 'suppress-unsubscribe': 0, 'suppress-complaint': 0 },
          ...{ bounce: counts.bounced + counts.failed, 'delayed-bounce': 0, webhook: 0, total: permanent },
        },
      }
    }
    case 'stored':
      return { total: 0 }
    default:
      return { total: counts[event as 'opened' | 'clicked' | 'unsubscribed' | 'complained'] }
  }
}

interface Tag {
  readonly tag: string
  readonly description: string
  readonly 'first-seen': string
  readonly 'last-seen': string
}

/** Returns the tags of the last 30 days. */
async function tagsOf(translation: Translation): Promise<Tag[]> {
  const { now } = translation.services.submission
  const from = new Date(now - 30 * DAY_MS).toISOString()
  const { body } = await translation.v1<StatsView>('stats.get', {
    query: { from, by: 'day', group_by: 'tag' },
  })
  return (body.groups ?? []).flatMap(({ name }) =>
    name === null ? [] : [{ tag: name, description: '', 'first-seen': body.from, 'last-seen': body.to }],
  )
}

const TAGS = new FieldNames('limit', 'page', 'tag', 'prefix')

async function listTags(translation: Translation): Promise<object> {
  const { domainName } = await enterDomain(translation)
  const fields = pageQuery(translation, TAGS)
  const limit = Math.min(Math.max(fields.integer('limit') ?? 100, 1), 1_000)
  const prefix = fields.text('prefix') ?? ''
  const all = (await tagsOf(translation))
    .filter(({ tag }) => tag.startsWith(prefix))
    .toSorted((one, other) => (one.tag < other.tag ? -1 : 1))
  const after = fields.text('page') === 'next' ? (fields.text('tag') ?? '') : ''
  const items = all.filter(({ tag }) => tag > after || after === '').slice(0, limit)
  const url = `${baseUrlOf(translation.request)}/v3/${domainName}/tags`
  const pageUrl = (page: string): string =>
    `${url}?${new URLSearchParams({ page, tag: items.at(-1)?.tag ?? after, limit: String(limit) })}`
  return {
    items,
    paging: {
      first: pageUrl('first'),
      next: pageUrl('next'),
      previous: pageUrl('previous'),
      last: pageUrl('last'),
    },
  }
}
