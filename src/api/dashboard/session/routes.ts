// GET, POST and DELETE /api/session: who is logged in, logging in, logging out.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOperator, type LiveSession } from '../../../access/sessions.ts'
import { Problem } from '../../../model/problem.ts'
import { hasUsers, type User } from '../../../store/accounts.ts'
import { reading } from '../../../store/store.ts'
import { LoginBody, SessionView } from '../../contract/dashboard-session.ts'
import { PROBLEM_JSON, problemDocument } from '../../problem-document.ts'
import { clearSessionCookie, setSessionCookie } from '../cookie.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const sessionRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  showSession(services),
  logIn(services),
  logOut(services),
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
      return { ...problemDocument(problem, request.id, services.docsUrl()), first_run }
    },
  })

const logIn = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/session',
    role: 'nobody',
    audit: false,
    schema: { body: LoginBody, response: { 200: SessionView } },
    async handler(request, reply) {
      const user = await services.login.withPassword(request.body as LoginBody)
      return openSession(services, request, reply, user)
    },
  })

const logOut = ({ sessions, publicUrl }: DashboardServices) =>
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/session',
    role: 'viewer',
    audit: false,
    schema: {},
    async handler(request, reply) {
      await sessions.end(sessionOf(request))
      clearSessionCookie(reply, publicUrl())
      reply.code(204)
    },
  })

/** Logs a user in: always with a new token, and the session that the browser had is over. */
export async function openSession(
  services: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
  user: Pick<User, 'id' | 'account_id'>,
): Promise<SessionView> {
  const { sessions, publicUrl } = services
  await sessions.end(request.session ?? undefined)
  const from = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' }
  const token = await sessions.open(user, from)
  const session = await sessions.find(token)
  if (session === undefined) throw new Error('the new session is not there')
  setSessionCookie(reply, token, publicUrl())
  return sessionView(services, session)
}

async function sessionView(services: DashboardServices, session: LiveSession): Promise<SessionView> {
  const { mode, publicUrl } = services
  return {
    user: {
      user_id: session.user_id,
      email: session.email,
      name: session.user_name,
      role: session.role,
      operator: isOperator(session),
      totp: false,
      passkeys: 0,
      recovery_codes_left: 0,
    },
    account: {
      account_id: session.account_id,
      name: session.account_name,
      status: session.account_status,
    },
    mode,
    ...(mode === 'playground' ? { mailbox_url: `${publicUrl()}/playground/mailbox` } : {}),
  }
}
