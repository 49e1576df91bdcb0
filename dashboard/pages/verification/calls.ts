// Calls of the service about verifying addresses.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { CreditsView } from '../../../src/api/contract/dashboard-keys.ts'
import type { CheckView, DetailedVerification, ListView } from '../../../src/api/contract/verification.ts'
import { call, get, type Page, path, post, withQuery } from '../../client.ts'
import { tableType } from '../../parts/table-file.ts'

/** Interval at which the domains of a long rest are asked for. */
const PENDING_MS = 10_000

export type Detailed = Static<typeof DetailedVerification>
export type Credits = CreditsView
export type AddressList = Static<typeof ListView>

export const checkAddress = (email: string): Promise<Detailed> =>
  get('/api/verification/verifyEmailDetailed', { email })

/** Verifications of single addresses, the newest first. */
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
    // Quickly while something is under way.
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? 1_500 : 10_000),
  })

export const listQuery = (id: string) =>
  queryOptions({
    queryKey: ['verification', 'list', id],
    queryFn: ({ signal }) => get<AddressList>(path`/api/verification/verifications/${id}`, undefined, signal),
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data) ? 1_000 : false),
  })

/** A list with the domains that its rest is at, while it is verified. */
export const pendingQuery = ({ verification_id: id, status }: AddressList) =>
  queryOptions({
    queryKey: ['verification', 'list', id, 'pending'],
    queryFn: ({ signal }) =>
      get<AddressList>(path`/api/verification/verifications/${id}`, { include: 'pending_domains' }, signal),
    enabled: status === 'running',
    refetchInterval: PENDING_MS,
  })

/** Results of a list, all or those of one kind; `done` is how many there are by now. */
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
    // While a list is under way there are others each second: those before stay until they have come.
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

export const isUnderWay = ({ status }: AddressList): boolean => status !== 'done' && status !== 'cancelled'

/**
 * Hands over a table, byte by byte: the service reads it, and says when it cannot. `column` is the one with the
 * addresses, where the service did not find it.
 */
export const uploadTable = (table: File, column?: string): Promise<{ verification_id: string }> =>
  call('POST', '/api/verification/verifications', {
    body: table,
    type: tableType(table),
    query: { name: table.name.slice(0, 200), column },
  })

export const cancelList = (id: string): Promise<AddressList> =>
  post(path`/api/verification/verifications/${id}/cancel`)

/** The address of a file with the results, all or those of one kind. */
export const fileAddress = (id: string, format: 'csv' | 'xlsx', result: string | undefined): string =>
  withQuery(path`/api/verification/verifications/${id}/results`, { format, result })
