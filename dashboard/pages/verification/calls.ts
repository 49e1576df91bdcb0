// API calls about the verification of addresses.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { CreditsView } from '../../../src/api/contract/credits.ts'
import type {
  AddressTableView,
  CheckView,
  DetailedVerification,
  ListedVerification,
  ListView,
} from '../../../src/api/contract/verification.ts'
import { call, get, type Page, path, post, withQuery } from '../../client.ts'
import { tableType } from '../../parts/table-file.ts'
import { shortMomentOf } from '../../parts/time.tsx'
import { verification } from '../../texts/en/verification.ts'
import { fill } from '../../texts/texts.ts'

/** Refresh interval of the pending domains of a list, in milliseconds. */
const PENDING_MS = 10_000

export type Detailed = Static<typeof DetailedVerification>
/** Result of an address of a list, with the other cells of its row. */
export type Listed = Static<typeof ListedVerification>
export type TableCheck = AddressTableView
export type Credits = CreditsView
export type AddressList = Static<typeof ListView>

export const checkAddress = (email: string): Promise<Detailed> =>
  get('/api/verification/verifyEmailDetailed', { email })

/** Filter of verifications of single addresses. */
export interface CheckFilter {
  /** Part of the address. */
  readonly text?: string
  readonly result?: string
}

/** Returns the query for verifications of single addresses, newest first. */
export const checksQuery = (filter: CheckFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['verification', 'checks', filter, cursor],
    queryFn: ({ signal }) => get<Page<CheckView>>('/api/verification/checks', { ...filter, cursor }, signal),
  })

/** Returns the URL of a CSV file with verifications of single addresses. */
export const checksAddress = (filter: CheckFilter): string =>
  withQuery('/api/verification/checks', { ...filter, format: 'csv' })

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
      get<Page<Listed>>(
        path`/api/verification/verifications/${id}/results`,
        { cursor, result, include: 'cells' },
        signal,
      ),
    enabled: done !== undefined,
    // A running list gets new results every second, so the previous results stay until the next response arrives.
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

/** Returns the name of a list; a list that was created without a name is named after its time. */
export const nameOfList = ({ name, created_at }: AddressList): string =>
  name ?? fill(verification.lists.unnamedAt, { time: shortMomentOf(created_at) })

export const isUnderWay = ({ status }: AddressList): boolean => status !== 'done' && status !== 'cancelled'

/** Reads a table of addresses without verifying them; takes the same arguments as `uploadTable`. */
export const checkTable = (table: File, column?: string): Promise<TableCheck> =>
  call('POST', '/api/verification/verifications/check', {
    body: table,
    type: tableType(table),
    query: { column },
  })

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
