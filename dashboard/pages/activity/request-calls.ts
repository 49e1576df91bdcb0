// API calls about the log of API requests.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { RequestListView, RequestView } from '../../../src/api/contract/request.ts'
import { get } from '../../client.ts'

export type LoggedRequest = RequestView
export type LoggedKey = RequestListView['keys'][number]

/** Filters of the request log, as they appear in the URL of the page. */
export const FILTERS = ['path', 'outcome', 'method', 'key', 'code', 'domain'] as const
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>

export const requestsQuery = ({ key, domain, ...filter }: Filter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['requests', key, domain, filter, cursor],
    queryFn: ({ signal }) =>
      get<RequestListView>(
        '/api/requests',
        { ...filter, key_id: key, domain_id: domain, cursor, limit: 50 },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? 5_000 : false,
  })
