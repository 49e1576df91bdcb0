// API calls across all domains: the search, and the data about one address.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  AddressMessages,
  AddressView,
  MessageOfDomain,
  SearchView,
} from '../../../src/api/contract/dashboard-search.ts'
import type { ExplanationView } from '../../../src/api/contract/explain.ts'
import { get, path } from '../../client.ts'

export type Found = SearchView
/** Data about an address, together with the address itself. */
export type AddressRecord = AddressView & { readonly email: string }
export type AddressMessage = MessageOfDomain
export type Explained = ExplanationView
export type ExplainedFact = ExplanationView['because'][number]

export const searchQuery = (sought: string) =>
  queryOptions({
    queryKey: ['search', sought],
    queryFn: ({ signal }) => get<Found>('/api/search', { q: sought }, signal),
    enabled: sought !== '',
    // The results for the previous text stay until the next response arrives.
    placeholderData: keepPreviousData,
  })

export const addressPath = (email: string): string => path`/addresses/${email}`

export const addressQuery = (email: string) =>
  queryOptions({
    queryKey: ['addresses', email],
    queryFn: async ({ signal }): Promise<AddressRecord> => ({
      ...(await get<AddressView>(path`/api/addresses/${email}`, undefined, signal)),
      email,
    }),
  })

export const addressMessagesQuery = (email: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['addresses', email, 'messages', cursor],
    queryFn: ({ signal }) =>
      get<AddressMessages>(path`/api/addresses/${email}/messages`, { cursor, limit: 50 }, signal),
    placeholderData: keepPreviousData,
  })

export const explanationQuery = (email: string) =>
  queryOptions({
    queryKey: ['addresses', email, 'explanation'],
    queryFn: ({ signal }) => get<Explained>('/api/explain', { email }, signal),
  })
