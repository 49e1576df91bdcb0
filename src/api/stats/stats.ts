// GET /v1/stats: figures of what the key's domain sent.

import type { Clock } from '../../lib/clock.ts'
import { deliveryTimeQuantile } from '../../model/delivery-time.ts'
import type { FieldProblem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { readCounts } from '../../store/messages/message-counts.ts'
import { readBounceCategories, readGroups } from '../../store/messages/message-parts.ts'
import { senderOfRequest } from '../caller.ts'
import { StatsQuery, StatsView } from '../contract/stats.ts'
import { defineRoute } from '../route.ts'
import { readSpan, totalsOf, withoutGaps } from './span.ts'

const time = (ms: number): string => new Date(ms).toISOString()

const DESCRIPTION = [
  'Recipients by the hour or day in which something happened to them: what was accepted on one day may be delivered on the',
  'next. Figures are about a second behind. Tags, providers and categories are counted since the version that introduced',
  'them was installed.',
].join(' ')

export const showStats = (read: Read, clock: Clock) =>
  defineRoute({
    method: 'GET',
    url: '/v1/stats',
    schema: {
      tags: ['Statistics'],
      summary: 'Retrieve figures',
      description: DESCRIPTION,
      querystring: StatsQuery,
      response: { 200: StatsView },
    },
    refusals: ['validation_failed'],
    key: 'sending',
    async handler(request): Promise<StatsView> {
      const { stream, tag, provider, group_by: groupBy, ...spanQuery } = request.query
      const problems: FieldProblem[] = []
      if (tag !== undefined && provider !== undefined) {
        const message = 'Give either a tag or a provider; figures of both together are not kept.'
        problems.push({ path: 'provider', code: 'not_together', message })
      }
      const span = readSpan(spanQuery, clock.now(), problems)
      const { accountId, domainId } = senderOfRequest(request)
      const part =
        tag !== undefined
          ? ({ kind: 'tag', name: tag } as const)
          : provider !== undefined
            ? ({ kind: 'provider', name: provider } as const)
            : undefined
      const query = { ...span, accountId, domainId, stream, part }
      const [{ buckets, times }, categories, groups] = await Promise.all([
        reading(readCounts(read, query)),
        part === undefined ? reading(readBounceCategories(read, query)) : null,
        groupBy === undefined ? null : reading(readGroups(read, query, groupBy)),
      ])
      return {
        by: span.by,
        from: time(span.from),
        to: time(span.to),
        buckets: withoutGaps(buckets, span).map(({ at, ...figures }) => ({ at: time(at), ...figures })),
        totals: totalsOf(buckets),
        bounced_by_category: categories,
        delivery_time_ms: quantiles(times),
        groups:
          groups?.map(({ name, counts, times }) => ({
            name,
            ...counts,
            delivery_time_ms: quantiles(times),
          })) ?? null,
      }
    },
  })

const quantiles = (times: readonly number[]) => ({
  p50: deliveryTimeQuantile(times, 0.5),
  p95: deliveryTimeQuantile(times, 0.95),
})
