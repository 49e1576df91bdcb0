// Calls of the service about verifying addresses.

import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { CreditsView } from '../../../src/api/contract/dashboard-keys.ts'
import type { DetailedVerification, ListView } from '../../../src/api/contract/verification.ts'
import { call, get, type Page, path } from '../../client.ts'

export type Detailed = Static<typeof DetailedVerification>
export type Credits = CreditsView
export type AddressList = Static<typeof ListView>

export const checkAddress = (email: string): Promise<Detailed> =>
  get('/api/verification/verifyEmailDetailed', { email })

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

export const resultsQuery = (id: string, cursor: string | undefined, done: number | undefined) =>
  queryOptions({
    queryKey: ['verification', 'list', id, 'results', cursor, done],
    queryFn: ({ signal }) =>
      get<Page<Detailed>>(path`/api/verification/verifications/${id}/results`, { cursor }, signal),
    enabled: done !== undefined,
  })

export const isUnderWay = ({ status }: AddressList): boolean => status !== 'done'

/** Hands over a CSV file, octet by octet: the service says when it is not in UTF-8. */
export const uploadCsv = (csv: File): Promise<{ verification_id: string }> =>
  call('POST', '/api/verification/verifications', { body: csv, type: 'text/csv' })

export const csvAddress = (id: string): string =>
  `${path`/api/verification/verifications/${id}/results`}?format=csv`
