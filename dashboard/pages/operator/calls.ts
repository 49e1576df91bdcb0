// What the dashboard asks and tells the service in the name of its operator.

import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { QueueAnswer } from '../../../src/api/contract/operator.ts'
import { get, type Page, patch, path, post } from '../../client.ts'

export type Queue = Static<typeof QueueAnswer>
export type Destination = Queue['data'][number]

export const queueQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'queue', cursor],
    queryFn: ({ signal }) => get<Queue>('/api/operator/queue', { cursor }, signal),
    refetchInterval: 3_000,
  })

export const retryNow = (destination: string): Promise<{ recipients: number }> =>
  post('/api/operator/queue/retry', { destination })

export const pauseDestination = (destination: string): Promise<unknown> =>
  post('/api/operator/queue/pause', { destination })

export const resumeHeld = (held: Readonly<Record<string, string>>): Promise<unknown> =>
  post('/api/operator/queue/resume', held)

export interface OperatedAccount {
  readonly account_id: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly sending_allowance: number | null
  readonly verification_credits: number
  readonly created_at: string
}

export const accountsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'accounts', cursor],
    queryFn: ({ signal }) => get<Page<OperatedAccount>>('/api/operator/accounts', { cursor }, signal),
  })

export const createAccount = (body: {
  name: string
  owner_email: string
}): Promise<OperatedAccount & { url?: string }> => post('/api/operator/accounts', body)

export const changeAccount = (
  id: string,
  body: { status?: string; sending_allowance?: number | null },
): Promise<OperatedAccount> => patch(path`/api/operator/accounts/${id}`, body)

export const grantCredits = (id: string, body: { credits: number; note?: string }): Promise<unknown> =>
  post(path`/api/operator/accounts/${id}/credits`, body)

export interface ServiceNode {
  readonly node_id: string
  readonly roles: readonly string[]
  readonly version: string
  readonly started_at: string
  readonly last_seen_at: string
}

export const nodesQuery = queryOptions({
  queryKey: ['operator', 'nodes'],
  queryFn: ({ signal }) => get<Page<ServiceNode>>('/api/operator/nodes', undefined, signal),
  refetchInterval: 5_000,
})

export interface HealthCheck {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail: string
  readonly remedy: string | null
}

export interface Health {
  readonly checked_at: string
  readonly checks: readonly HealthCheck[]
}

export const healthQuery = queryOptions({
  queryKey: ['operator', 'health'],
  queryFn: ({ signal }) => get<Health>('/api/operator/health', undefined, signal),
  refetchInterval: 60_000,
})
