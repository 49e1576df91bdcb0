// GET /v1/domains/{domain}/records, …/zone and …/dns-hosting, and links to the records for the person who publishes them.

import { Type } from 'typebox'
import { RECORD_LINK_HOURS } from '../../access/shared-links.ts'
import { zoneText } from '../../domains/zone-text.ts'
import { reading } from '../../store/database/store.ts'
import { type Domain, listDomainRecords } from '../../store/domains/domain-rows.ts'
import { DnsHostingView, DomainParams, DomainRecordList, RecordLinkView } from '../contract/domain.ts'
import { domainOf } from '../domain-of-request.ts'
import { defineRoute, type Route } from '../route.ts'
import type { DomainRouteServices } from './shown.ts'
import { inOrder, recordViews } from './view.ts'

const tags = ['Domains']
const params = DomainParams

export const dnsRoutes = (services: DomainRouteServices): readonly Route[] => [
  recordsRoute(services),
  zoneRoute(services),
  hostingRoute(services),
  shareRoute(services),
  unshareRoute(services),
]

const recordsOf = ({ read }: DomainRouteServices, { account_id, id }: Domain) =>
  reading(listDomainRecords(read, account_id, id))

const recordsRoute = (services: DomainRouteServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/domains/:domain/records',
    schema: {
      tags,
      summary: 'List the DNS records of a domain',
      description:
        'All records to publish, with the results of their last check; the list has one page. The record that claims the domain from another account comes first.',
      params,
      response: { 200: DomainRecordList },
    },
    refusals: ['not_found'],
    scope: 'domains:read',
    async handler(request) {
      const domain = domainOf(request)
      return { data: recordViews({ domain, records: await recordsOf(services, domain) }), next_cursor: null }
    },
  })

const zoneRoute = (services: DomainRouteServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/domains/:domain/zone',
    schema: {
      tags,
      summary: 'Retrieve the DNS records as a zone file',
      description: 'The records as text that a name server can load (RFC 1035 §5.1).',
      params,
      produces: ['text/plain'],
    },
    refusals: ['not_found'],
    scope: 'domains:read',
    async handler(request, reply) {
      const domain = domainOf(request)
      const records = inOrder(await recordsOf(services, domain))
      return reply.type('text/plain; charset=utf-8').send(zoneText(domain, records))
    },
  })

const hostingRoute = ({ domains }: DomainRouteServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/domains/:domain/dns-hosting',
    schema: {
      tags,
      summary: 'Find the DNS provider of a domain',
      description:
        'Asks the DNS for the zone of the domain and its name servers; at most 30 times a minute for a domain.',
      params,
      response: { 200: DnsHostingView },
    },
    refusals: ['not_found', 'rate_limit_exceeded'],
    scope: 'domains:read',
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

const shareRoute = ({ recordLinks, publicUrl }: DomainRouteServices) =>
  defineRoute({
    method: 'POST',
    url: '/v1/domains/:domain/record-links',
    // A link to the records gives away no secrets, because the records become public when they are published.
    consequence: 'none',
    effect: 'reads',
    schema: {
      tags,
      summary: 'Share the DNS records of a domain',
      description: 'Makes a link to a page with the records for a person without a login. The link expires.',
      params,
      response: { 201: RecordLinkView },
    },
    refusals: ['not_found'],
    scope: 'domains:read',
    async handler(request, reply): Promise<RecordLinkView> {
      const { account_id: accountId, id } = domainOf(request)
      const { token, expiresAt } = await reading(recordLinks.make(id, RECORD_LINK_HOURS))
      reply.code(201)
      const url = `${publicUrl.value}/dns-records?token=${accountId}.${id}.${token}`
      return { url, expires_at: new Date(expiresAt).toISOString() }
    },
  })

const unshareRoute = ({ recordLinks }: DomainRouteServices) =>
  defineRoute({
    method: 'DELETE',
    url: '/v1/domains/:domain/record-links',
    consequence: 'withdrawal',
    schema: {
      tags,
      summary: 'Revoke the links to the DNS records of a domain',
      description: 'All links so far stop working.',
      params,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found'],
    scope: 'domains:verify',
    audit: 'record-links.revoke',
    async handler(request, reply) {
      await recordLinks.revoke(domainOf(request).id)
      return reply.code(204).send()
    },
  })
