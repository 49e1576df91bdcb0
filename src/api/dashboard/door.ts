// The door of the dashboard: who is logged in, from where the request comes, and whether their role allows it.

import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Sessions, sessionMay } from '../../access/sessions.ts'
import { isId } from '../../lib/ids.ts'
import { invalidFields, Problem } from '../../model/problem.ts'
import { findDomainById } from '../../store/domains.ts'
import { type Read, reading } from '../../store/store.ts'
import { loggedHandler, personOf } from '../deed.ts'
import { addEndpoint } from '../endpoint.ts'
import { nulProblems } from '../filters.ts'
import { SESSION_COOKIE } from './cookie.ts'
import { mountedOperatorRoutes, mountedRoutes } from './mounted.ts'
import { requireOwnOrigin } from './origin.ts'
import type { DashboardRoute } from './route.ts'
import { dashboardRoutes } from './routes.ts'
import type { BaseServices, DashboardOptions, DashboardServices } from './services.ts'

/** Adds every endpoint under `/api`. They are no part of the public API and not in its document. */
export async function addDashboard(
  server: FastifyInstance,
  services: BaseServices,
  options: DashboardOptions,
  publicUrl: () => string,
): Promise<void> {
  const all: DashboardServices = { ...services, ...options, publicUrl, docsUrl: () => server.docsUrl() }
  await server.register(async (api) => {
    await api.register(cookie)
    api.addHook('onRequest', async (request, reply) => {
      // What is behind a login is for nobody's cache, and no browser takes it for a page.
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      requireOwnOrigin(request, publicUrl())
    })
    for (const route of [
      ...dashboardRoutes(all).map((route) => ({ preValidation: refuseNul, ...route })),
      ...mountedRoutes(services),
      ...mountedOperatorRoutes(services),
    ]) {
      const guard = guardOf(route, options.sessions, services.read)
      const { audit } = route
      const handler = audit ? loggedHandler(route.handler, audit, personOf, all) : route.handler
      addEndpoint(api, { ...route, handler }, { ...route.schema, hide: true } as object, guard)
    }
  })
}

/** Not every database keeps a NUL; what is only shown may have one. */
function refuseNul({ body, routeOptions }: FastifyRequest, _reply: FastifyReply, done: (e?: Error) => void) {
  const kept = typeof body === 'object' && body !== null && routeOptions.config.takesForm !== true
  const problems = kept ? nulProblems(body) : []
  done(problems.length === 0 ? undefined : invalidFields(problems))
}

/** 401 without a session, 403 where its role or its age does not suffice, 404 for the domain of another account: in this order. */
function guardOf(route: DashboardRoute, sessions: Sessions, read: Read) {
  if (route.method !== 'GET' && route.audit === undefined) {
    throw new Error(`${route.method} ${route.url} does not say how it is logged`)
  }
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    request.session = (await sessions.find(request.cookies[SESSION_COOKIE])) ?? null
    if (route.role === 'nobody') return
    if (request.session === null) {
      throw new Problem(
        'authentication_failed',
        'Nobody is logged in, or the session has ended; log in again.',
      )
    }
    if (!sessionMay(request.session, route.role)) {
      const detail = `This is for ${route.role === 'operator' ? 'operators of the installation' : `the role ${route.role} and above`}; you are ${request.session.role}.`
      throw new Problem('role_not_permitted', detail)
    }
    if (route.recentLogin) sessions.requireRecent(request.session)
    const { domain_id: id } = request.params as { domain_id?: string }
    if (id === undefined) return
    const domain = isId('dom', id)
      ? await reading(findDomainById(read, request.session.account_id, id))
      : undefined
    if (domain === undefined) throw new Problem('not_found', 'The account has no such domain.')
    request.domain = domain
  }
}
