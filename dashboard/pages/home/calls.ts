// API calls of the home page about problems and waiting mail; the statistics page has the calls for figures.

import { queryOptions } from '@tanstack/react-query'
import type { DeferredView } from '../../../src/api/contract/dashboard-search.ts'
import type { ProblemListView, ProblemView } from '../../../src/api/contract/dashboard-stats.ts'
import { get } from '../../client.ts'
import { STREAMED_MS } from '../../queries.ts'

export type Deferred = DeferredView

export type Concern = ProblemView

export const concernsQuery = queryOptions({
  queryKey: ['problems'],
  queryFn: ({ signal }) => get<ProblemListView>('/api/problems', undefined, signal),
  refetchInterval: STREAMED_MS,
})

/** Query for the number of deferred messages by domain. */
export const deferredQuery = queryOptions({
  queryKey: ['deferred'],
  queryFn: ({ signal }) => get<Deferred>('/api/deferred', undefined, signal),
  refetchInterval: STREAMED_MS,
})
