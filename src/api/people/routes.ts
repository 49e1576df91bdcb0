// GET /v1/people, PATCH and DELETE /v1/people/{user_id}: the users of an account and their roles.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import type { LoginNotices } from '../../access/login-notices.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { Problem } from '../../model/problem.ts'
import type { Role } from '../../model/role.ts'
import { changeUser, listPeople, type PersonListed } from '../../store/access/people.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { callerOf, highestRole } from '../caller.ts'
import { UserList, UserParams, UserPatch, UserView } from '../contract/person.ts'
import { defineRoute, type Route } from '../route.ts'

const tags = ['People']
const params = UserParams
const one = '/v1/people/:user_id'

/** Services of the users of an account. */
export interface PeopleOfAccount {
  readonly store: Store
  /** Notices to the owners about changes of users. */
  readonly notices?: Pick<LoginNotices, 'tellOwners'> | undefined
}

export const peopleRoutes = (services: PeopleOfAccount): readonly Route[] => [
  listUsers(services),
  changeRole(services),
  removeUser(services),
]

const userView = (user: PersonListed, request: FastifyRequest): UserView => ({
  user_id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  totp: user.totp_at !== null,
  created_at: formatTime(user.created_at),
  last_seen_at: formatTime(user.last_seen_at),
  current: user.id === callerOf(request).userId,
})

const listUsers = ({ store }: PeopleOfAccount) =>
  defineRoute({
    method: 'GET',
    url: '/v1/people',
    schema: {
      tags,
      summary: 'List users',
      description: 'The users of the account, oldest first. All users are on one page.',
      response: { 200: UserList },
    },
    refusals: [],
    scope: 'people:read',
    async handler(request) {
      const users = await reading(listPeople(store.read, callerOf(request).accountId))
      return { data: users.map((user) => userView(user, request)), next_cursor: null }
    },
  })

const changeRole = (services: PeopleOfAccount) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Change the role of a user',
      description:
        'The role applies at once, also to open sessions. Only an owner who is logged in can change an owner or appoint one.',
      params,
      body: UserPatch,
      response: { 200: UserView },
    },
    refusals: [
      'malformed_request',
      'session_required',
      'not_found',
      'conflict',
      'body_too_large',
      'validation_failed',
    ],
    scope: 'people:write',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'user.change',
    async handler(request) {
      const { role } = request.body
      const before = await change(services, request, request.params.user_id, role)
      return userView({ ...before, role }, request)
    },
  })

const removeUser = (services: PeopleOfAccount) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Remove a user',
      description:
        'The sessions of the user end at once. Only an owner who is logged in can remove an owner, and an account keeps its last owner.',
      params,
      response: { 204: Type.Null() },
    },
    refusals: ['session_required', 'not_found', 'conflict'],
    scope: 'people:write',
    audit: 'user.delete',
    async handler(request, reply) {
      await change(services, request, request.params.user_id, undefined)
      return reply.code(204).send()
    },
  })

/**
 * Changes the role of a user, or removes the user if no role is given; returns the user as before the change. Throws
 * `not_found`, `conflict` for the last owner, and the refusal of a caller who may not change owners.
 */
async function change(
  { store, notices }: PeopleOfAccount,
  request: FastifyRequest,
  id: string,
  role: Role | undefined,
): Promise<PersonListed> {
  const caller = callerOf(request)
  const { accountId } = caller
  const user = (await reading(listPeople(store.read, accountId))).find((listed) => listed.id === id)
  if (user === undefined) throw notFound()
  const { email, role: before } = user
  describeAuditAction({ detail: { email, ...(role === undefined ? {} : { from: before, to: role }) } })
  const result = await store.write(changeUser, { accountId, id, role, by: highestRole(caller) })
  if (result === 'not_found') throw notFound()
  if (result === 'owners_only') throw ownersOnly(caller.role)
  if (result === 'last_owner') {
    throw new Problem('conflict', 'This is the last owner of the account; make another user an owner first.')
  }
  notices?.tellOwners({
    ...{ accountId, by: caller.name, address: request.ip, affected: email },
    ...(role === undefined
      ? { change: 'removed', subject: email }
      : { change: 'role', subject: `${email} from ${before} to ${role}` }),
  })
  return user
}

const notFound = (): Problem => new Problem('not_found', 'There is no such user in this account.')

const ownersOnly = (role: Role | null): Problem =>
  role === null
    ? new Problem(
        'session_required',
        'No key changes, appoints or removes an owner: log in to the dashboard.',
      )
    : new Problem('role_not_permitted', 'Only an owner can change an owner or grant that role.')
