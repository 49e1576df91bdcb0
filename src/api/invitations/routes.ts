// GET and POST /v1/invitations, DELETE /v1/invitations/{invitation_id}: invitations of users to an account.

import { Type } from 'typebox'
import { formProblems } from '../../access/accounts.ts'
import { describeAuditAction } from '../../access/audit.ts'
import type { Invitations } from '../../access/invitations.ts'
import type { LoginNotices } from '../../access/login-notices.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { Problem } from '../../model/problem.ts'
import { callerOf, inviterOf } from '../caller.ts'
import { InvitationBody, InvitationList, InvitationMade, InvitationParams } from '../contract/person.ts'
import { defineRoute, type Route } from '../route.ts'
import { invitationView, invitedView } from './view.ts'

const tags = ['People']

/** Services of invitations. */
export interface InvitationServices {
  readonly invitations: Invitations
  /** Notices to the owners about invitations. */
  readonly notices?: Pick<LoginNotices, 'tellOwners'> | undefined
}

export const invitationRoutes = (services: InvitationServices): readonly Route[] => [
  listInvitations(services),
  invite(services),
  withdraw(services),
]

const listInvitations = ({ invitations }: InvitationServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/invitations',
    schema: {
      tags,
      summary: 'List invitations',
      description: 'Invitations that nobody has accepted, newest first. All invitations are on one page.',
      response: { 200: InvitationList },
    },
    refusals: [],
    scope: 'people:read',
    async handler(request) {
      const all = await invitations.list(callerOf(request).accountId)
      return { data: all.map(invitationView), next_cursor: null }
    },
  })

const invite = ({ invitations, notices }: InvitationServices) =>
  defineRoute({
    method: 'POST',
    url: '/v1/invitations',
    consequence: 'access',
    schema: {
      tags,
      summary: 'Invite a user',
      description:
        'Mails a link that is valid for seven days, and replaces an earlier invitation of the same address. Only an owner who is logged in can invite an owner.',
      body: InvitationBody,
      response: { 201: InvitationMade },
    },
    refusals: [
      'malformed_request',
      'session_required',
      'account_suspended',
      'conflict',
      'body_too_large',
      'validation_failed',
    ],
    scope: 'people:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'invitation.create',
    check: (_, { email }) => formProblems(email === undefined ? {} : { email }),
    async handler(request, reply): Promise<InvitationMade> {
      const { email, role } = request.body
      describeAuditAction({ detail: { email, role } })
      const caller = callerOf(request)
      const invited = await invitations.invite(inviterOf(caller), request.body)
      const { invitation } = invited
      notices?.tellOwners({
        accountId: caller.accountId,
        by: caller.name,
        address: request.ip,
        change: 'invited',
        subject: `${invitation.email} as ${invitation.role}`,
      })
      reply.code(201).header('location', `/v1/invitations/${invitation.id}`)
      return invitedView(invited)
    },
  })

const withdraw = ({ invitations }: InvitationServices) =>
  defineRoute({
    method: 'DELETE',
    url: '/v1/invitations/:invitation_id',
    consequence: 'withdrawal',
    schema: {
      tags,
      summary: 'Withdraw an invitation',
      description: 'Only an owner who is logged in can withdraw the invitation of an owner.',
      params: InvitationParams,
      response: { 204: Type.Null() },
    },
    refusals: ['session_required', 'not_found'],
    scope: 'people:write',
    audit: 'invitation.delete',
    async handler(request, reply) {
      const { invitation_id: id } = request.params
      if (!(await invitations.withdraw(inviterOf(callerOf(request)), id))) {
        throw new Problem('not_found', 'There is no such invitation; it may have been accepted.')
      }
      return reply.code(204).send()
    },
  })
