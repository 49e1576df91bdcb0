// /api/domains…: the domains of the account, their DNS records, and actions on the domains.

import type { FastifyRequest } from 'fastify'
import { describeAuditAction } from '../../../access/audit.ts'
import type { DomainWithRecords } from '../../../domains/domains.ts'
import { zoneText } from '../../../domains/zone-text.ts'
import type { Role } from '../../../model/role.ts'
import { reading } from '../../../store/database/store.ts'
import { listDomainEvents, listDomainRecords, listDomains } from '../../../store/domains/domains.ts'
import {
  DeleteDomainBody,
  DomainListView,
  DomainPatch,
  DomainView,
  NewDomainBody,
} from '../../contract/dashboard-domains.ts'
import { domainOf } from '../../domain-of-request.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { dnsRoutes } from './dns-routes.ts'
import { domainSummary, domainView, inOrder } from './view.ts'

const MAX_EVENTS = 20

export const domainRoutes = (services: DashboardServices): readonly DashboardRoute[] => {
  const { domains } = services
  const work = (
    path: string,
    role: Role,
    audit: string,
    act: (request: FastifyRequest) => Promise<DomainWithRecords>,
  ) =>
    defineDashboardRoute({
      method: 'POST',
      url: `/api/domains/:domain_id/${path}`,
      consequence: 'none',
      role,
      audit,
      schema: { response: { 200: DomainView } },
      handler: async (request) => shown(services, await act(request)),
    })
  return [
    list(services),
    add(services),
    show(services),
    change(services),
    remove(services),
    zone(services),
    ...dnsRoutes(services),
    work('verify', 'developer', 'domain.verify', (request) => domains.verify(domainOf(request))),
    work('pause', 'admin', 'domain.pause', (request) => domains.setPaused(domainOf(request), true)),
    work('resume', 'admin', 'domain.resume', (request) => domains.setPaused(domainOf(request), false)),
    ...(['rotate', 'switch', 'discard', 'retire'] as const).map((step) =>
      work(`dkim/${step}`, 'admin', `domain.dkim.${step}`, (request) =>
        domains.dkim(domainOf(request), step),
      ),
    ),
  ]
}

const list = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domains',
    role: 'viewer',
    schema: { response: { 200: DomainListView } },
    async handler(request) {
      const domains = await reading(listDomains(read, sessionOf(request).account_id))
      return { data: domains.map(domainSummary), next_cursor: null }
    },
  })

const add = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/domains',
    consequence: 'none',
    role: 'admin',
    audit: 'domain.add',
    schema: { body: NewDomainBody, response: { 201: DomainView } },
    check(_, { domain }) {
      if (domain !== undefined) services.domains.checkName(domain.trim())
      return []
    },
    async handler(request, reply) {
      const { domain } = request.body
      describeAuditAction({ detail: { domain: domain.trim() } })
      const added = await services.domains.add(sessionOf(request).account_id, domain.trim())
      reply.code(201)
      return shown(services, added)
    },
  })

const show = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domains/:domain_id',
    role: 'viewer',
    schema: { response: { 200: DomainView } },
    async handler(request) {
      const domain = domainOf(request)
      const records = await reading(listDomainRecords(services.read, domain.account_id, domain.id))
      return shown(services, { domain, records })
    },
  })

const change = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'PATCH',
    url: '/api/domains/:domain_id',
    // A change can destroy data, because a shorter retention removes older data.
    consequence: 'destruction',
    role: 'admin',
    audit: 'domain.change',
    schema: { body: DomainPatch, response: { 200: DomainView } },
    check: (request, fields) => services.domains.changeProblems(domainOf(request), fields),
    handler: async (request) =>
      shown(services, await services.domains.change(domainOf(request), request.body)),
  })

const remove = ({ domains }: DashboardServices) =>
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/domains/:domain_id',
    consequence: 'destruction',
    role: 'admin',
    audit: 'domain.delete',
    schema: { body: DeleteDomainBody },
    check(request, { domain }) {
      if (domain !== undefined) domains.checkTypedName(domainOf(request), domain)
      return []
    },
    async handler(request, reply) {
      await domains.delete(domainOf(request), request.body.domain)
      reply.code(204)
    },
  })

const zone = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/domains/:domain_id/zone',
    role: 'viewer',
    schema: {},
    async handler(request, reply) {
      const domain = domainOf(request)
      const records = await reading(listDomainRecords(read, domain.account_id, domain.id))
      return reply.type('text/plain; charset=utf-8').send(zoneText(domain, inOrder(records)))
    },
  })

async function shown(
  { read, domains, verification }: DashboardServices,
  found: DomainWithRecords,
): Promise<DomainView> {
  const { account_id, id, name } = found.domain
  const events = await reading(listDomainEvents(read, account_id, id, MAX_EVENTS))
  return domainView(found, {
    events,
    retention: domains.retention,
    mailboxProvider: verification.isMailboxProvider(name),
  })
}
