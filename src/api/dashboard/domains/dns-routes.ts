// DNS providers of a domain's records, and links to the records for the person who publishes the records.

import { RECORD_LINK_HOURS } from '../../../access/shared-links.ts'
import { zoneText } from '../../../domains/zone-text.ts'
import { isId } from '../../../lib/ids.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { type Domain, findDomainById, listDomainRecords } from '../../../store/domains/domains.ts'
import {
  DnsHostingView,
  RecordLinkView,
  SharedRecordsQuery,
  SharedRecordsView,
} from '../../contract/dashboard-domains.ts'
import { domainOf } from '../../domain-of-request.ts'
import { type DashboardRoute, defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { domainView, inOrder } from './view.ts'

export const dnsRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  hosting(services),
  share(services),
  unshare(services),
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
        connect_url: found?.connectAddress ?? null,
      }
    },
  })

const share = ({ recordLinks, publicUrl }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/domains/:domain_id/record-links',
    // A link to the records gives away no secrets, because the records become public when they are published.
    consequence: 'none',
    role: 'developer',
    effect: 'reads',
    schema: { response: { 201: RecordLinkView } },
    async handler(request, reply): Promise<RecordLinkView> {
      const { account_id: accountId, id } = domainOf(request)
      const { token, expiresAt } = await reading(recordLinks.make(id, RECORD_LINK_HOURS))
      reply.code(201)
      const url = `${publicUrl.value}/dns-records?token=${accountId}.${id}.${token}`
      return { url, expires_at: new Date(expiresAt).toISOString() }
    },
  })

const unshare = ({ recordLinks }: DashboardServices) =>
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/domains/:domain_id/record-links',
    consequence: 'withdrawal',
    role: 'developer',
    audit: 'record-links.revoke',
    schema: {},
    async handler(request, reply) {
      await recordLinks.revoke(domainOf(request).id)
      reply.code(204)
    },
  })

/** Returns the domain of a record link, and the time at which the link expires; undefined for an invalid link. */
async function domainOfLink(
  { recordLinks, read }: DashboardServices,
  link: string,
): Promise<{ readonly domain: Domain; readonly expiresAt: number } | undefined> {
  const [accountId = '', domainId = '', token = '', ...more] = link.split('.')
  if (more.length > 0 || !isId('acc', accountId) || !isId('dom', domainId)) return undefined
  const good = await recordLinks.read(domainId, token)
  const domain = good && (await findDomainById(read, accountId, domainId))
  return domain && { domain, expiresAt: good.expiresAt }
}

const shared = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/shared-records',
    role: 'nobody',
    schema: { querystring: SharedRecordsQuery, response: { 200: SharedRecordsView } },
    async handler(request): Promise<SharedRecordsView> {
      const { read, domains } = services
      const link = await reading(domainOfLink(services, request.query.token))
      if (link === undefined) {
        throw new Problem(
          'not_found',
          'This link is not valid, was revoked, or has expired. Ask the person who sent it for a new one.',
        )
      }
      const { domain } = link
      const records = await reading(listDomainRecords(read, domain.account_id, domain.id))
      const about = { events: [], retention: domains.retention, mailboxProvider: false }
      const { claim, ...view } = domainView({ domain, records }, about)
      return {
        domain: view.domain,
        domain_unicode: view.domain_unicode,
        status: view.status,
        checked_at: view.checked_at,
        records: claim === undefined ? view.records : [claim.record, ...view.records],
        zone_file: zoneText(domain, inOrder(records)),
        expires_at: new Date(link.expiresAt).toISOString(),
      }
    },
  })
