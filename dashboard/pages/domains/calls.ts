// Calls of the service about domains.

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type {
  DnsHostingView,
  DomainListView,
  DomainPatch,
  DomainRecordView,
  DomainView,
  RecordLinkView,
} from '../../../src/api/contract/dashboard-domains.ts'
import { call, get, patch, path, post } from '../../client.ts'

export type Domain = DomainView
export type DomainRecord = DomainRecordView
export type DomainChanges = DomainPatch

export const domainsQuery = queryOptions({
  queryKey: ['domains'],
  queryFn: ({ signal }) => get<DomainListView>('/api/domains', undefined, signal),
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

/** Where the records are published. It changes seldom, and asks other people's name servers. */
export const dnsHostingQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'dns-hosting'],
    queryFn: ({ signal }) =>
      get<DnsHostingView>(path`/api/domains/${domainId}/dns-hosting`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

/** Makes a link to the records that expires. */
export const shareRecords = (domainId: string): Promise<RecordLinkView> => post(recordLinksAddress(domainId))

/** The address at which links to the records are made, and revoked. */
export const recordLinksAddress = (domainId: string): string => path`/api/domains/${domainId}/record-links`

/** One of the acts on a domain that answer with what it is afterwards. */
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
  call('DELETE', path`/api/domains/${domainId}`, { body: { domain } })
