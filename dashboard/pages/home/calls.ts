// Calls of the home page: figures and problems.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ProblemListView, StatsView } from '../../../src/api/contract/dashboard-stats.ts'
import { get } from '../../client.ts'

export type Stats = StatsView
export type Counted = keyof Stats['totals']

export interface StatsFilter {
  readonly range: Range
  readonly domain_id: string | undefined
  readonly stream: string | undefined
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Ranges of the charts and their steps. */
export const RANGES = {
  '24h': { label: '24 hours', span: DAY_MS, step: HOUR_MS, by: 'hour' },
  '7d': { label: '7 days', span: 7 * DAY_MS, step: DAY_MS, by: 'day' },
  '30d': { label: '30 days', span: 30 * DAY_MS, step: DAY_MS, by: 'day' },
  '90d': { label: '90 days', span: 90 * DAY_MS, step: DAY_MS, by: 'day' },
} as const

export type Range = keyof typeof RANGES

/** The whole steps up to the one that is under way. */
export function spanOf(range: Range, now: number): { readonly from: Date; readonly to: Date } {
  const { span, step } = RANGES[range]
  const to = Math.floor(now / step) * step + step
  return { from: new Date(to - span), to: new Date(to) }
}

export const statsQuery = ({ range, domain_id, stream }: StatsFilter) =>
  queryOptions({
    queryKey: ['stats', range, domain_id, stream],
    queryFn: ({ signal }) => {
      const { from, to } = spanOf(range, Date.now())
      const query = {
        from: from.toISOString(),
        to: to.toISOString(),
        by: RANGES[range].by,
        domain_id,
        stream,
      }
      return get<Stats>('/api/stats', query, signal)
    },
    // The figures of the choice before stay until the new ones are there.
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  })

export const concernsQuery = queryOptions({
  queryKey: ['problems'],
  queryFn: ({ signal }) => get<ProblemListView>('/api/problems', undefined, signal),
  refetchInterval: 15_000,
})
