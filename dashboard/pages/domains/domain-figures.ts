// API call for the figures of all domains; only the list of domains loads this file.

import { queryOptions } from '@tanstack/react-query'
import type { DomainFiguresView } from '../../../src/api/contract/dashboard-stats.ts'
import { get } from '../../client.ts'

/** Figures of the last 30 days by domain ID. */
export type DomainFigures = ReadonlyMap<string, DomainFiguresView['data'][number]>

export const domainFiguresQuery = queryOptions({
  queryKey: ['domains', 'figures'],
  queryFn: async ({ signal }): Promise<DomainFigures> => {
    const { data } = await get<DomainFiguresView>('/api/domain-figures', undefined, signal)
    return new Map(data.map((one) => [one.domain_id, one]))
  },
  staleTime: 60_000,
})
