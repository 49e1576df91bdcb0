// API calls of an operator.

import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  AccountChange,
  AccountList,
  OperatedAccount as ChangedAccount,
  CreditBalance,
  CreditsBody,
  NewAccountBody,
  NewAccountView,
} from '../../../src/api/contract/accounts.ts'
import type { HealthView, NodeListView } from '../../../src/api/contract/dashboard-operator.ts'
import type { ListingsAnswer, QueueAnswer, WaitingAnswer } from '../../../src/api/contract/operator.ts'
import { get, patch, path, post } from '../../client.ts'

export type Queue = Static<typeof QueueAnswer>
export type OperatedAccount = AccountList['data'][number]
export type Health = HealthView
export type HealthCheck = Health['checks'][number]
export type WaitingRecipient = Static<typeof WaitingAnswer>['data'][number]
export type Listing = Static<typeof ListingsAnswer>['data'][number]
export type Destination = Queue['data'][number]

export const queueQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'queue', cursor],
    queryFn: ({ signal }) => get<Queue>('/api/operator/queue', { cursor }, signal),
    refetchInterval: 3_000,
  })

/** Returns the query for recipients that wait for a destination; the next due recipient comes first. */
export const waitingQuery = (destination: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'queue', 'recipients', destination, cursor],
    queryFn: ({ signal }) =>
      get<Static<typeof WaitingAnswer>>('/api/operator/queue/recipients', { destination, cursor }, signal),
    refetchInterval: 5_000,
  })

export const retryNow = (destination: string): Promise<{ recipients: number }> =>
  post('/api/operator/queue/retry', { destination })

/** Pauses a destination; the note is for other operators. */
export const pauseDestination = (pause: {
  readonly destination: string
  readonly note: string
}): Promise<unknown> => post('/api/operator/queue/pause', pause)

export const resumeHeld = (held: Readonly<Record<string, string>>): Promise<unknown> =>
  post('/api/operator/queue/resume', held)

export const accountsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'accounts', cursor],
    queryFn: ({ signal }) => get<AccountList>('/api/accounts', { cursor }, signal),
  })

export const createAccount = (body: NewAccountBody): Promise<NewAccountView> => post('/api/accounts', body)

export const changeAccount = (id: string, body: AccountChange): Promise<ChangedAccount> =>
  patch(path`/api/accounts/${id}`, body)

export const grantCredits = (id: string, body: CreditsBody): Promise<CreditBalance> =>
  post(path`/api/accounts/${id}/credits`, body)

export const nodesQuery = queryOptions({
  queryKey: ['operator', 'nodes'],
  queryFn: async ({ signal }) => ({
    ...(await get<NodeListView>('/api/operator/nodes', undefined, signal)),
    next_cursor: null,
  }),
  refetchInterval: 5_000,
})

export const listingsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'listings', cursor],
    queryFn: ({ signal }) => get<Static<typeof ListingsAnswer>>('/api/operator/listings', { cursor }, signal),
    refetchInterval: 60_000,
  })

export const healthQuery = queryOptions({
  queryKey: ['operator', 'health'],
  queryFn: ({ signal }) => get<Health>('/api/operator/health', undefined, signal),
  refetchInterval: 60_000,
})

/**
 * Interval in milliseconds for pages with a summary: each health check queries foreign name servers, so only the health
 * page refreshes every minute.
 */
const LOOK_AGAIN_MS = 600_000

/** Query for the health summary on other pages, which refreshes less often than the health page. */
export const summaryQuery = queryOptions({
  ...healthQuery,
  staleTime: LOOK_AGAIN_MS,
  refetchInterval: LOOK_AGAIN_MS,
})
