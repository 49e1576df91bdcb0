// GET, POST and DELETE /api/invitations: invitations of users to an account.

import { Type } from 'typebox'
import { formProblems } from '../../../access/accounts.ts'
import { describeAuditAction } from '../../../access/audit.ts'
import { isOperator } from '../../../access/sessions.ts'
import { formatTime } from '../../../lib/rfc3339.ts'
import { Problem } from '../../../model/problem.ts'
import type { Invitation } from '../../../store/access/invitations.ts'
import { InvitationBody, InvitationMade, InvitationView, wholeList } from '../../contract/dashboard-people.ts'
import { changedBy, type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const invitationView = (invitation: Invitation): InvitationView => ({
  invitation_id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  created_at: formatTime(invitation.created_at),
  expires_at: formatTime(invitation.expires_at),
})

export const invitationRoutes = ({ invitations, notices }: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: '/api/invitations',
    role: 'admin',
    schema: { response: { 200: Type.Object({ data: Type.Array(InvitationView) }) } },
    async handler(request) {
      const all = await invitations.list(sessionOf(request).account_id)
      return wholeList(all.map(invitationView))
    },
  }),
  defineDashboardRoute({
    method: 'POST',
    url: '/api/invitations',
    consequence: 'access',
    role: 'admin',
    audit: 'invitation.create',
    schema: { body: InvitationBody, response: { 201: InvitationMade } },
    check: (_, { email }) => formProblems(email === undefined ? {} : { email }),
    async handler(request, reply): Promise<InvitationMade> {
      const given = request.body
      describeAuditAction({ detail: { email: given.email, role: given.role } })
      const session = sessionOf(request)
      const by = { ...session, isOperator: isOperator(session) }
      const { invitation, url, mailed } = await invitations.invite(by, given)
      notices.tellOwners({
        ...changedBy(request),
        change: 'invited',
        subject: `${invitation.email} as ${invitation.role}`,
      })
      reply.code(201)
      return { ...invitationView(invitation), ...(url === undefined ? {} : { url }), mailed }
    },
  }),
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/invitations/:invitation_id',
    consequence: 'withdrawal',
    role: 'admin',
    audit: 'invitation.delete',
    schema: {},
    async handler(request, reply) {
      const { invitation_id: id } = request.params
      if (!(await invitations.withdraw(sessionOf(request), id))) {
        throw new Problem('not_found', 'There is no such invitation; it may have been accepted.')
      }
      reply.code(204)
    },
  }),
]
