// API calls about sending domains.

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type {
  DnsHostingView,
  DomainListView,
  DomainPatch,
  DomainRecordView,
  DomainView,
  RecordLinkView,
} from '../../../src/api/contract/domain.ts'
import { get, patch, path, post, remove } from '../../client.ts'

export type Domain = DomainView
export type DomainRecord = DomainRecordView
export type DomainChanges = DomainPatch

/** Maximum number of domains on a page of the API. */
const LIMIT = 200

export const domainsQuery = queryOptions({
  queryKey: ['domains'],
  queryFn: async ({ signal }): Promise<DomainListView> => {
    const data: DomainListView['data'] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: DomainListView = await get('/api/domains', { limit: LIMIT, cursor }, signal)
      data.push(...page.data)
      cursor = page.next_cursor
    }
    return { data, next_cursor: null }
  },
})

export const domainQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId],
    queryFn: ({ signal }) => get<Domain>(path`/api/domains/${domainId}`, undefined, signal),
  })

/** Returns the query for the DNS records in zone file format. */
export const zoneQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'zone'],
    queryFn: ({ signal }) => get<string>(path`/api/domains/${domainId}/zone`, undefined, signal),
  })

/**
 * Returns the query for the DNS provider of a domain. The result seldom changes, and each request queries foreign name
 * servers.
 */
export const dnsHostingQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'dns-hosting'],
    queryFn: ({ signal }) =>
      get<DnsHostingView>(path`/api/domains/${domainId}/dns-hosting`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

/** Creates a link to the DNS records, which expires after some time. */
export const shareRecords = (domainId: string): Promise<RecordLinkView> => post(recordLinksAddress(domainId))

/** Returns the API path under which links to the DNS records are created and revoked. */
export const recordLinksAddress = (domainId: string): string => path`/api/domains/${domainId}/record-links`

/** Returns a mutation for an action on a domain; the response is the changed domain. */
export function useDomainAct(
  domainId: string,
  act: 'verify' | 'pause' | 'resume' | 'dkim/rotate' | 'dkim/switch' | 'dkim/discard' | 'dkim/retire',
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => post<Domain>(`${path`/api/domains/${domainId}`}/${act}`, {}),
    onSuccess: async (domain) => {
      queries.setQueryData(domainQuery(domain.domain_id).queryKey, domain)
      await queries.invalidateQueries({ queryKey: ['domains'] })
    },
  })
}

export const addDomain = (domain: string): Promise<Domain> => post('/api/domains', { domain })

export const changeDomain = (domainId: string, changes: DomainChanges): Promise<Domain> =>
  patch(path`/api/domains/${domainId}`, changes)

export const deleteDomain = (domainId: string, domain: string): Promise<void> =>
  remove(path`/api/domains/${domainId}`, undefined, { confirm: domain })
