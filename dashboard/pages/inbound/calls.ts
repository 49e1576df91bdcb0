// API calls about inbound messages.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { InboundSummaryView, InboundView } from '../../../src/api/contract/inbound.ts'
import { get, type Page, path } from '../../client.ts'
import { LIVE_MS } from '../../queries.ts'

export type InboundLine = Static<typeof InboundSummaryView>
export type Inbound = Static<typeof InboundView>

/** Filters of the list of inbound messages, as they appear in the URL of the page. */
export const FILTERS = ['from', 'kind', 'stream'] as const
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>

/** Returns the query for a page of the list; the first page refreshes regularly. */
export const inboundListQuery = (domainId: string, filter: Filter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, 'inbound', filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<InboundLine>>(
        path`/api/domains/${domainId}/inbound`,
        { ...filter, cursor, limit: 50 },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  })

/** Returns the query for an inbound message, which refreshes until the message is processed. */
export const inboundQuery = (domainId: string, inboundId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'inbound message', inboundId],
    queryFn: ({ signal }) =>
      get<Inbound>(path`/api/domains/${domainId}/inbound/${inboundId}`, undefined, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'received' ? LIVE_MS : false),
  })

export const rawAddress = (domainId: string, inboundId: string): string =>
  path`/api/domains/${domainId}/inbound/${inboundId}/raw`

export const htmlAddress = (domainId: string, inboundId: string): string =>
  path`/api/domains/${domainId}/inbound/${inboundId}/html`

export const rawQuery = (domainId: string, inboundId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'inbound raw', inboundId],
    queryFn: ({ signal }) => get<string>(rawAddress(domainId, inboundId), undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
