// Endpoints for users who have no password yet or forgot their password: first run, invitation and reset.

import { formProblems } from '../../../access/accounts.ts'
import { describeAuditAction } from '../../../access/audit.ts'
import { checkFirstRunLink, makeFirstUser } from '../../../access/first-run.ts'
import {
  FirstRunBody,
  FirstRunView,
  InvitationAcceptBody,
  InvitationLookup,
  LinkQuery,
  PasswordResetBody,
  PasswordResetConfirmBody,
} from '../../contract/dashboard-people.ts'
import { SessionView } from '../../contract/dashboard-session.ts'
import { type DashboardRoute, defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { openSession } from '../session/open.ts'

export const comingInRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  checkFirstRun(services),
  firstRun(services),
  lookUpInvitation(services),
  acceptInvitation(services),
  requestReset(services),
  checkReset(services),
  confirmReset(services),
]

/** Endpoint that checks a link for the first user before the user fills in the form. */
const checkFirstRun = ({ read, clock }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/first-run',
    role: 'nobody',
    schema: { querystring: LinkQuery, response: { 200: FirstRunView } },
    async handler(request): Promise<FirstRunView> {
      const joined = await checkFirstRunLink(read, clock, request.query.token)
      return { account_name: joined?.name ?? null }
    },
  })

const firstRun = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/first-run',
    consequence: 'login',
    role: 'nobody',
    audit: 'account.create',
    schema: { body: FirstRunBody, response: { 200: SessionView } },
    check: (_, fields) => formProblems(fields),
    async handler(request, reply) {
      const { store, clock, login } = services
      const given = request.body
      // Attempts are limited, because hashing a password costs CPU time.
      const user = await login.try({ address: request.ip }, undefined, () =>
        makeFirstUser(store, clock, given),
      )
      describeAuditAction({ target: user.account_id, detail: { email: user.email } })
      return openSession(services, request, reply, user)
    },
  })

const lookUpInvitation = ({ invitations }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/invitations/lookup',
    role: 'nobody',
    schema: { querystring: LinkQuery, response: { 200: InvitationLookup } },
    async handler(request): Promise<InvitationLookup> {
      const { token } = request.query
      const { email, account_name, role } = await invitations.find(token)
      return { email, account_name, role }
    },
  })

const acceptInvitation = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/invitations/accept',
    consequence: 'login',
    role: 'nobody',
    audit: 'invitation.accept',
    schema: { body: InvitationAcceptBody, response: { 200: SessionView } },
    check: (_, fields) => formProblems(fields),
    async handler(request, reply) {
      const { login, invitations, notices } = services
      const given = request.body
      const user = await login.try({ address: request.ip }, undefined, () => invitations.accept(given))
      describeAuditAction({ target: user.id, detail: { email: user.email, role: user.role } })
      notices.tellOwners({
        accountId: user.account_id,
        change: 'joined',
        subject: `${user.email} as ${user.role}`,
        by: user.email,
        address: request.ip,
      })
      return openSession(services, request, reply, user)
    },
  })

const requestReset = ({ passwordReset }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/password-reset',
    consequence: 'login',
    role: 'nobody',
    audit: false,
    schema: { body: PasswordResetBody },
    async handler(request, reply) {
      passwordReset.request(request.body.email, request.ip)
      reply.code(202)
      return { status: 'accepted' }
    },
  })

const checkReset = ({ passwordReset }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/password-reset/confirm',
    role: 'nobody',
    schema: { querystring: LinkQuery },
    async handler(request, reply) {
      await passwordReset.check(request.query.token)
      reply.code(204)
    },
  })

const confirmReset = ({ passwordReset, login, notices }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/password-reset/confirm',
    consequence: 'login',
    role: 'nobody',
    audit: 'password.reset',
    schema: { body: PasswordResetConfirmBody },
    check: (_, fields) => formProblems(fields),
    async handler(request, reply) {
      const given = request.body
      const user = await login.try({ address: request.ip }, undefined, () => passwordReset.confirm(given))
      describeAuditAction({ accountId: user.account_id, userId: user.id, actor: user.email, target: user.id })
      notices.tell(user, 'password', request.ip)
      reply.code(204)
    },
  })
