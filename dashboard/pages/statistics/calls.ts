// API calls of the statistics page, for the figures of a period and of the previous period.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { StatsView } from '../../../src/api/contract/dashboard-stats.ts'
import { get } from '../../client.ts'
import { type Choice, offsetHours, offsetText, spanOf } from './choice.ts'

export type Statistics = StatsView
export type Counted = keyof Statistics['totals']
export type Group = NonNullable<Statistics['groups']>[number]

export const statisticsQuery = (choice: Choice) =>
  queryOptions({
    queryKey: ['statistics', choice],
    queryFn: ({ signal }) => {
      const { range, by, groupBy, domain, stream, tag, provider } = choice
      const now = new Date()
      const hours = offsetHours(now)
      const { from, to } = spanOf(range, by, now.getTime(), hours)
      const span = { from: from.toISOString(), to: to.toISOString(), by, utc_offset: offsetText(hours) }
      const narrowed = { domain_id: domain, stream, tag, provider }
      const group_by = groupBy === 'category' ? undefined : groupBy
      return get<Statistics>('/api/stats', { ...span, ...narrowed, group_by, previous: true }, signal)
    },
    // The figures of the previous choice stay until the new figures arrive.
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
