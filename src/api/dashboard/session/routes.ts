// GET, POST and DELETE /api/session: the logged-in user, logging in and logging out.

import type { FastifyRequest } from 'fastify'
import { describeAuditAction } from '../../../access/audit.ts'
import type { Arrival } from '../../../access/login.ts'
import { PROBLEM_JSON, problemDocument } from '../../../http/problem-document.ts'
import { clientNetwork } from '../../../lib/client-network.ts'
import { RateLimiter } from '../../../lib/rate-limiter.ts'
import { Problem } from '../../../model/problem.ts'
import { hasUsers } from '../../../store/access/accounts.ts'
import { reading } from '../../../store/database/store.ts'
import { PasskeyLoginBody } from '../../contract/dashboard-me.ts'
import { LoginBody, SessionView } from '../../contract/dashboard-session.ts'
import { clearSessionCookie, clientOf } from '../cookie.ts'
import { originOf } from '../origin.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { openSession, sessionView } from './open.ts'
import { playgroundLoginFor } from './playground-login.ts'

export const sessionRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  showSession(services),
  logIn(services),
  logOut(services),
  passkeyOptions(services),
  logInWithPasskey(services),
]

const showSession = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/session',
    role: 'nobody',
    schema: { response: { 200: SessionView } },
    async handler(request, reply) {
      if (request.session !== null) return sessionView(services, request.session)
      const problem = new Problem('authentication_failed', 'Nobody is logged in.')
      const first_run = !(await reading(hasUsers(services.read)))
      reply.code(problem.status).type(PROBLEM_JSON)
      const playground_login = playgroundLoginFor(request, services)
      return { ...problemDocument(problem, request.id), first_run, playground_login }
    },
  })

const logIn = (services: DashboardServices) => {
  const { login, publicUrl } = services
  const arrivals = new WeakMap<FastifyRequest, Arrival>()
  return defineDashboardRoute({
    method: 'POST',
    url: '/api/session',
    consequence: 'login',
    role: 'nobody',
    audit: 'session.open',
    schema: { body: LoginBody, response: { 200: SessionView } },
    admit(request) {
      const arrival = login.arrive(clientOf(request, publicUrl.value))
      if (arrival !== undefined) arrivals.set(request, arrival)
    },
    async handler(request, reply) {
      const { user, byRecoveryCode } = await login.withPassword(
        request.body,
        clientOf(request, publicUrl.value),
        arrivals.get(request),
      )
      describeAuditAction({ detail: { method: byRecoveryCode ? 'password and recovery code' : 'password' } })
      const session = await openSession(services, request, reply, user)
      if (byRecoveryCode) services.notices.tell(user, 'recovery_code_used', request.ip)
      return session
    },
  })
}

const logOut = ({ sessions, publicUrl }: DashboardServices) =>
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/session',
    consequence: 'withdrawal',
    role: 'viewer',
    audit: 'session.end',
    schema: {},
    async handler(request, reply) {
      await sessions.end(sessionOf(request))
      clearSessionCookie(reply, publicUrl.value)
      reply.code(204)
    },
  })

/** Rate limit of login challenges per network; a challenge costs a signature but no row in the store. */
const OPTIONS_RATE = { count: 120, perMs: 60_000 }

const passkeyOptions = ({ passkeys, clock }: DashboardServices) => {
  const limiter = new RateLimiter()
  return defineDashboardRoute({
    method: 'POST',
    url: '/api/session/passkey/options',
    consequence: 'login',
    role: 'nobody',
    audit: false,
    schema: {},
    async handler(request) {
      const taken = limiter.take(clientNetwork(request.ip), OPTIONS_RATE, clock.now())
      if (taken.allowed) return passkeys.optionsForLogin(originOf(request))
      throw new Problem('rate_limit_exceeded', 'Too many logins from this network; try again in a moment.', {
        retryAfter: Math.max(1, taken.resetSeconds),
      })
    },
  })
}

const logInWithPasskey = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/session/passkey',
    consequence: 'login',
    role: 'nobody',
    audit: 'session.open',
    schema: { body: PasskeyLoginBody, response: { 200: SessionView } },
    async handler(request, reply) {
      const { response } = request.body
      const { login, passkeys } = services
      const client = clientOf(request, services.publicUrl.value)
      const user = await login.try(client, undefined, () => passkeys.userOf(originOf(request), response))
      describeAuditAction({ detail: { method: 'passkey' } })
      return openSession(services, request, reply, user)
    },
  })
