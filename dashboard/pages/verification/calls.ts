// API calls about the verification of addresses.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { CreditsView } from '../../../src/api/contract/dashboard-keys.ts'
import type { CheckView, DetailedVerification, ListView } from '../../../src/api/contract/verification.ts'
import { call, get, type Page, path, post, withQuery } from '../../client.ts'
import { tableType } from '../../parts/table-file.ts'

/** Refresh interval of the pending domains of a list, in milliseconds. */
const PENDING_MS = 10_000

export type Detailed = Static<typeof DetailedVerification>
export type Credits = CreditsView
export type AddressList = Static<typeof ListView>

export const checkAddress = (email: string): Promise<Detailed> =>
  get('/api/verification/verifyEmailDetailed', { email })

/** Returns the query for verifications of single addresses, newest first. */
export const checksQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['verification', 'checks', cursor],
    queryFn: ({ signal }) => get<Page<CheckView>>('/api/verification/checks', { cursor }, signal),
  })

export const creditsQuery = queryOptions({
  queryKey: ['verification', 'credits'],
  queryFn: ({ signal }) => get<Credits>('/api/verification/credits', undefined, signal),
})

export const listsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['verification', 'lists', cursor],
    queryFn: ({ signal }) => get<Page<AddressList>>('/api/verification/verifications', { cursor }, signal),
    // The page refreshes quickly while a list is in progress.
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? 1_500 : 10_000),
  })

export const listQuery = (id: string) =>
  queryOptions({
    queryKey: ['verification', 'list', id],
    queryFn: ({ signal }) => get<AddressList>(path`/api/verification/verifications/${id}`, undefined, signal),
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data) ? 1_000 : false),
  })

/** Returns the query for a list together with the domains of its pending addresses, while the list is in progress. */
export const pendingQuery = ({ verification_id: id, status }: AddressList) =>
  queryOptions({
    queryKey: ['verification', 'list', id, 'pending'],
    queryFn: ({ signal }) =>
      get<AddressList>(path`/api/verification/verifications/${id}`, { include: 'pending_domains' }, signal),
    enabled: status === 'running',
    refetchInterval: PENDING_MS,
  })

/** Returns the query for the results of a list, all or of one kind; `done` is the number of results so far. */
export const resultsQuery = (
  id: string,
  { cursor, result }: { readonly cursor: string | undefined; readonly result: string | undefined },
  done: number | undefined,
) =>
  queryOptions({
    queryKey: ['verification', 'list', id, 'results', cursor, result, done],
    queryFn: ({ signal }) =>
      get<Page<Detailed>>(path`/api/verification/verifications/${id}/results`, { cursor, result }, signal),
    enabled: done !== undefined,
    // A running list gets new results every second, so the previous results stay until the next response arrives.
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

export const isUnderWay = ({ status }: AddressList): boolean => status !== 'done' && status !== 'cancelled'

/**
 * Uploads a table unchanged; the service parses the table and reports faults. `column` names the column with the
 * addresses if the service did not find it.
 */
export const uploadTable = (table: File, column?: string): Promise<{ verification_id: string }> =>
  call('POST', '/api/verification/verifications', {
    body: table,
    type: tableType(table),
    query: { name: table.name.slice(0, 200), column },
  })

export const cancelList = (id: string): Promise<AddressList> =>
  post(path`/api/verification/verifications/${id}/cancel`)

/** Returns the URL of a file with the results of a list, all or of one kind. */
export const fileAddress = (id: string, format: 'csv' | 'xlsx', result: string | undefined): string =>
  withQuery(path`/api/verification/verifications/${id}/results`, { format, result })
