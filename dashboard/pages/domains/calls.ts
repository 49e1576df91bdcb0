// What the dashboard asks and tells the service about domains.

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, get, type Page, path, post } from '../../client.ts'

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
  readonly claim?: { readonly record: DomainRecord }
  readonly records: readonly DomainRecord[]
}

export const domainsQuery = queryOptions({
  queryKey: ['domains'],
  queryFn: ({ signal }) => get<Page<Domain>>('/api/domains', undefined, signal),
})

export const domainQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId],
    queryFn: ({ signal }) => get<Domain>(path`/api/domains/${domainId}`, undefined, signal),
  })

/** The records as a zone file. */
export const zoneQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'zone'],
    queryFn: ({ signal }) => get<string>(path`/api/domains/${domainId}/zone`, undefined, signal),
  })

/** One of the acts on a domain that answer with what it is afterwards. */
export function useDomainAct(
  domainId: string,
  act: 'verify' | 'pause' | 'resume' | 'dkim/rotate' | 'dkim/switch' | 'dkim/retire',
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => post<Domain>(`${path`/api/domains/${domainId}`}/${act}`, {}),
    onSuccess: async (domain) => {
      queries.setQueryData(domainQuery(domainId).queryKey, domain)
      await queries.invalidateQueries({ queryKey: ['domains'] })
    },
  })
}

export const addDomain = (domain: string): Promise<Domain> => post('/api/domains', { domain })

export const deleteDomain = (domainId: string, domain: string): Promise<void> =>
  call('DELETE', path`/api/domains/${domainId}`, { body: { domain } })
