// What the dashboard asks and tells the service about domains.

import { queryOptions } from '@tanstack/react-query'
import { get, type Page, path } from '../../client.ts'

export interface DomainRecord {
  readonly purpose: string
  readonly type: string
  readonly name: string
  readonly value: string
  readonly required: boolean
  readonly status: 'pending' | 'found' | 'mismatch' | 'missing'
  readonly found: readonly string[]
  readonly advice: string
}

export interface Domain {
  readonly domain_id: string
  readonly domain: string
  readonly status: 'pending' | 'verified' | 'paused'
  readonly flagged_at: string | null
  readonly checked_at: string | null
  readonly verified_at: string | null
  readonly created_at: string
  readonly records: readonly DomainRecord[]
}

export const domainsQuery = queryOptions({
  queryKey: ['domains'],
  queryFn: ({ signal }) => get<Page<Domain>>('/api/domains', { limit: 200 }, signal),
})

export const domainQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId],
    queryFn: ({ signal }) => get<Domain>(path`/api/domains/${domainId}`, undefined, signal),
  })
