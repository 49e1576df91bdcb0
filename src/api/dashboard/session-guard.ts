// Checks access to the dashboard API: the session, the origin of the request and the role.

import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LoginNotices } from '../../access/login-notices.ts'
import { sessionMay } from '../../access/sessions.ts'
import { MAX_SMALL_BODY, MAX_STRANGERS_BODY } from '../../http/body-rule.ts'
import { answerConditionally } from '../../http/conditional-get.ts'
import type { RequestRates } from '../../http/request-rates.ts'
import { Problem } from '../../model/problem.ts'
import { AnswerOnce } from '../answer-once.ts'
import { auditedHandler, callerAsActor } from '../audit-action.ts'
import { type CallerCheck, callerOf, callerOfPerson } from '../caller.ts'
import { permittedDomain } from '../domain-of-request.ts'
import { addEndpoint, noteNul } from '../endpoint.ts'
import { paramsOf, RECENT_LOGIN, type Route } from '../route.ts'
import { sessionCookie } from './cookie.ts'
import { requireOwnOrigin } from './origin.ts'
import { changedBy, type DashboardRoute } from './route.ts'
import { dashboardRoutes, mountedOperatorRoutes, mountedRoutes } from './routes.ts'
import type { BaseServices, DashboardOptions, DashboardServices } from './services.ts'

/**
 * Adds every endpoint under `/api`. The endpoints under `/api` are not part of the public API or its OpenAPI document.
 */
export async function addDashboard(
  server: FastifyInstance,
  services: BaseServices,
  options: DashboardOptions,
  rates: RequestRates,
): Promise<void> {
  const all: DashboardServices = { ...services, ...options }
  const { publicUrl } = services
  const answers = new AnswerOnce(services)
  const tokenOf = ({ cookies }: FastifyRequest) => cookies[sessionCookie(publicUrl.value)]
  await server.register(async (api) => {
    await api.register(cookie)
    answerConditionally(api)
    api.addHook('onRequest', async (request, reply) => {
      // Responses to logged-in users are never cached, and no browser shows such a response as a page.
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      requireOwnOrigin(request, publicUrl)
    })
    for (const route of [
      ...dashboardRoutes(all),
      ...mountedOperatorRoutes(services),
      ...mountedRoutes(all),
    ]) {
      const guard = guardOf(route, all, tokenOf, rates)
      addEndpoint(
        api,
        {
          body: { maxBytes: bodyLimitOf(route) },
          ...route,
          // Owners are notified after the change and its audit entry are committed.
          handler: notifyingOwners(
            { ...route, handler: auditedHandler(route, callerAsActor, all) },
            all.notices,
          ),
        },
        {
          schema: { ...route.schema, hide: true },
          onRequest: guard,
          authorization: route.role,
          refusesUntaken: route.refusesUntaken ?? false,
          preValidation: route.takesNul ? [] : [noteNul],
          // Responses of logins set cookies and are therefore not stored for repeated requests.
          once: route.role === 'nobody' ? undefined : (work) => answers.handler(work, tokenOf),
        },
      )
    }
  })
}

/** Returns the maximum size of a request body, which is small for clients without a login. */
const bodyLimitOf = ({ role }: DashboardRoute): number =>
  role === 'nobody' ? MAX_STRANGERS_BODY : MAX_SMALL_BODY

/**
 * Returns a hook that throws, in this order: 401 without a session, 403 for an insufficient role or a login that is too
 * old, 404 for the domain of another account.
 */
function guardOf(
  route: DashboardRoute,
  { sessions, read }: DashboardServices,
  tokenOf: (request: FastifyRequest) => string | undefined,
  rates: RequestRates,
) {
  const { role, admit } = route
  const find = (request: FastifyRequest) => sessions.find(tokenOf(request))
  const callerCheck: CallerCheck = {
    async isStillAdmitted(request) {
      const session = await find(request)
      return (
        session !== undefined &&
        session.id === request.session?.id &&
        role !== 'nobody' &&
        sessionMay(session, role)
      )
    },
  }
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    admit?.(request)
    request.session = (await find(request)) ?? null
    request.caller = request.session && callerOfPerson(request.session, null)
    if (role === 'nobody') return
    request.callerCheck = callerCheck
    if (request.session === null) {
      throw new Problem(
        'authentication_failed',
        'Nobody is logged in, or the session has ended; log in again.',
      )
    }
    rates.byUser(request.session.user_id)
    if (!sessionMay(request.session, role)) {
      const detail = `This is for ${role === 'operator' ? 'operators of the installation' : `the role ${role} and above`}; your role is ${request.session.role}.`
      throw new Problem('role_not_permitted', detail)
    }
    if (RECENT_LOGIN[route.consequence ?? 'none']) sessions.requireRecent(request.session)
    const { domain_id: id, domain: named = id } = paramsOf(request)
    if (named === undefined) return
    request.domain = await permittedDomain(read, callerOf(request), named)
    request.caller = callerOfPerson(request.session, request.domain)
  }
}

/**
 * Returns the handler of a route, followed by a notice if the consequence of the change concerns the owners. Handlers
 * of access changes send their own notices, because such a handler knows the affected user.
 */
function notifyingOwners(
  { handler, consequence, audit }: Pick<DashboardRoute, 'handler' | 'consequence' | 'audit'>,
  notices: Pick<LoginNotices, 'tellOwners'>,
): Route['handler'] {
  if (consequence !== 'data' && consequence !== 'destruction') return handler
  return async (request, reply) => {
    // The subject is read before the handler runs, because the handler may delete the domain.
    const { domain_id: _, domain: __, ...names } = paramsOf(request)
    const where = request.domain === null ? 'the account' : request.domain.name
    const subject = [audit || request.url, ...Object.values(names), `of ${where}`].join(' ')
    const answer = await handler(request, reply)
    if (reply.statusCode < 400) notices.tellOwners({ ...changedBy(request), change: consequence, subject })
    return answer
  }
}
