// GET and POST /v1/domains, GET, PATCH and DELETE /v1/domains/{domain}: the sending domains of an account.

import { domainToASCII, domainToUnicode } from 'node:url'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { page } from '../../http/page.ts'
import { requireConfirmed } from '../../model/confirmation.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { reading } from '../../store/database/store.ts'
import { type Domain, listDomainPage, listDomainRecords } from '../../store/domains/domain-rows.ts'
import { callerOf } from '../caller.ts'
import { ConfirmQuery } from '../contract/common.ts'
import {
  DomainListQuery,
  DomainListView,
  DomainParams,
  DomainPatch,
  DomainView,
  NewDomainBody,
} from '../contract/domain.ts'
import { domainOf } from '../domain-of-request.ts'
import { seenBy } from '../if-match.ts'
import { defineRoute, type Route } from '../route.ts'
import { dnsRoutes } from './dns-routes.ts'
import { type DomainRouteServices, shownWithRecords } from './shown.ts'
import { stepRoutes } from './step-routes.ts'
import { domainSummary } from './view.ts'

const tags = ['Domains']
const params = DomainParams
const one = '/v1/domains/:domain'
const body = { maxBytes: MAX_SMALL_BODY } as const

export const domainRoutes = (services: DomainRouteServices): readonly Route[] => [
  listRoute(services),
  addRoute(services),
  showRoute(services),
  changeRoute(services),
  deleteRoute(services),
  ...stepRoutes(services),
  ...dnsRoutes(services),
]

const listRoute = ({ read }: DomainRouteServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/domains',
    schema: {
      tags,
      summary: 'List domains',
      description: 'Sorted by name. A key of some domains lists these domains.',
      querystring: DomainListQuery,
      response: { 200: DomainListView },
    },
    refusals: ['malformed_request'],
    scope: 'domains:read',
    handler(request) {
      const { name, status, ...paging } = request.query
      const { accountId, domains: within } = callerOf(request)
      const filter = { name: name === undefined ? undefined : asciiName(name), status, within }
      return page(
        paging,
        (cursor) => asciiName(cursor) === cursor,
        (limit, cursor) => reading(listDomainPage(read, accountId, filter, limit, cursor)),
        (domain) => domain.name,
        domainSummary,
      )
    },
  })

/** Returns a name in A-labels and lower case; an empty text, which is the name of no domain, for any other text. */
const asciiName = (text: string): string => domainToASCII(text.trim().replace(/\.$/, ''))

const addRoute = (services: DomainRouteServices) =>
  defineRoute({
    method: 'POST',
    url: '/v1/domains',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Add a domain',
      description:
        'Answers with all DNS records to publish, which stay the same until a step of the key rotation. If another account has the domain, `claim` is one more record, which proves that the domain is yours. If this account has it, `existing.domain_id` of the refusal names it. A key of listed domains adds no domain.',
      body: NewDomainBody,
      response: { 201: DomainView },
    },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'domains:write',
    body,
    audit: 'domain.add',
    check: async (request, fields) => [
      ...limitProblems(request),
      ...(await services.domains.problemsOfNew(trimmed(fields))),
    ],
    async handler(request, reply) {
      const wanted = trimmed(request.body)
      const limits = limitProblems(request)
      if (limits.length > 0) {
        throw invalidFields([...limits, ...(await services.domains.problemsOfNew(wanted))])
      }
      describeAuditAction({ detail: { domain: wanted.domain } })
      const added = await services.domains.add(callerOf(request).accountId, wanted)
      reply.code(201).header('location', `/v1/domains/${added.domain.id}`)
      return shownWithRecords(services, request, added)
    },
  })

const trimmed = <Fields extends Partial<NewDomainBody>>(fields: Fields): Fields =>
  fields.domain === undefined ? fields : { ...fields, domain: fields.domain.trim() }

/** Returns the problem of a key of listed domains, which would work on the domains of its list and on a new one. */
function limitProblems(request: FastifyRequest): FieldProblem[] {
  if (callerOf(request).domains === null) return []
  const message = 'Your key works on listed domains only; add the domain with a key of every domain.'
  return [{ path: 'domain', code: 'beyond_own_rights', message }]
}

const showRoute = (services: DomainRouteServices) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: {
      tags,
      summary: 'Retrieve a domain',
      description: 'With all of its DNS records and the results of their last check.',
      params,
      response: { 200: DomainView },
    },
    refusals: ['not_found'],
    scope: 'domains:read',
    versioned: true,
    handler: presentDomain(services),
  })

/** Returns a function that returns the domain in the path as GET shows it. */
const presentDomain =
  (services: DomainRouteServices) =>
  async (request: FastifyRequest): Promise<DomainView> => {
    const domain = domainOf(request)
    const records = await reading(listDomainRecords(services.read, domain.account_id, domain.id))
    return shownWithRecords(services, request, { domain, records })
  }

/** Returns a function that returns the domain in the path with its version for `If-Match`. */
const versionedDomain = (services: DomainRouteServices) => async (request: FastifyRequest) => ({
  shown: await presentDomain(services)(request),
  seen: domainOf(request),
})

const changeRoute = (services: DomainRouteServices) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    // A change can destroy data, because a shorter retention removes older data.
    consequence: 'destruction',
    schema: {
      tags,
      summary: 'Change a domain',
      description: 'Omitted fields stay unchanged, and null resets a field to its default.',
      params,
      body: DomainPatch,
      response: { 200: DomainView },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'domains:write',
    versioned: versionedDomain(services),
    body,
    audit: 'domain.change',
    check: (request, fields) => services.domains.changeProblems(domainOf(request), fields),
    async handler(request) {
      const changes = { ...request.body, seen: seenBy<Domain>(request) }
      return shownWithRecords(services, request, await services.domains.change(domainOf(request), changes))
    },
  })

const deleteRoute = (services: DomainRouteServices) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'destruction',
    schema: {
      tags,
      summary: 'Delete a domain',
      description:
        'The keys of the domain stop working at once, and its queued messages are cancelled. `confirm` repeats the name of the domain.',
      params,
      querystring: ConfirmQuery,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found'],
    scope: 'domains:write',
    versioned: versionedDomain(services),
    audit: 'domain.delete',
    async handler(request, reply) {
      const domain = domainOf(request)
      requireConfirmed(request.query.confirm, 'domain', [domain.name, domainToUnicode(domain.name)])
      await services.domains.delete(domain, { seen: seenBy<Domain>(request) })
      return reply.code(204).send()
    },
  })
