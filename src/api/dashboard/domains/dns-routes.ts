// Where the records of a domain are published, and links to them for the person who publishes them.

import { zoneText } from '../../../domains/zone-text.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { findDomainById, listDomainRecords } from '../../../store/domains/domains.ts'
import {
  DnsHostingView,
  RecordLinkView,
  SharedRecordsQuery,
  SharedRecordsView,
} from '../../contract/dashboard-domains.ts'
import { type DashboardRoute, defineDashboardRoute, domainOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { domainView, inOrder } from './view.ts'

export const dnsRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  hosting(services),
  share(services),
  shared(services),
]

const hosting = ({ domains }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domains/:domain_id/dns-hosting',
    role: 'developer',
    schema: { response: { 200: DnsHostingView } },
    async handler(request): Promise<DnsHostingView> {
      const found = await domains.dnsHosting(domainOf(request))
      return {
        zone: found?.zone ?? null,
        name_servers: [...(found?.nameServers ?? [])],
        provider: found?.provider ?? null,
      }
    },
  })

const share = ({ recordLinks, publicUrl }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/domains/:domain_id/record-links',
    role: 'developer',
    effect: 'reads',
    schema: { response: { 201: RecordLinkView } },
    async handler(request, reply): Promise<RecordLinkView> {
      const { token, expiresAt } = recordLinks.make(domainOf(request))
      reply.code(201)
      const url = `${publicUrl.value}/dns-records?token=${token}`
      return { url, expires_at: new Date(expiresAt).toISOString() }
    },
  })

const shared = ({ recordLinks, read, domains }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/shared-records',
    role: 'nobody',
    schema: { querystring: SharedRecordsQuery, response: { 200: SharedRecordsView } },
    async handler(request): Promise<SharedRecordsView> {
      const link = recordLinks.read(request.query.token)
      const domain = link && (await reading(findDomainById(read, link.accountId, link.domainId)))
      if (link === undefined || domain === undefined) {
        throw new Problem(
          'not_found',
          'This link is not valid, or it has expired. Ask the person who sent it for a new one.',
        )
      }
      const records = await reading(listDomainRecords(read, domain.account_id, domain.id))
      const { claim, ...view } = domainView({ domain, records }, [], domains.retention)
      return {
        domain: view.domain,
        status: view.status,
        checked_at: view.checked_at,
        records: claim === undefined ? view.records : [claim.record, ...view.records],
        zone_file: zoneText(domain, inOrder(records)),
        expires_at: new Date(link.expiresAt).toISOString(),
      }
    },
  })
