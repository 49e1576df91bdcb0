// GET, PATCH and DELETE /api/users: the users of an account and their roles.

import { Type } from 'typebox'
import { describeAuditAction } from '../../../access/audit.ts'
import { formatTime } from '../../../lib/rfc3339.ts'
import { Problem } from '../../../model/problem.ts'
import type { Role } from '../../../model/role.ts'
import { changeUser, listPeople } from '../../../store/access/people.ts'
import { reading } from '../../../store/database/store.ts'
import { UserPatch, UserView, wholeList } from '../../contract/dashboard-people.ts'
import type { RequestOf } from '../../route.ts'
import { changedBy, type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const ONE = '/api/users/:user_id'

export const userRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  listUsers(services),
  changeRole(services),
  removeUser(services),
]

const listUsers = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/users',
    role: 'viewer',
    schema: { response: { 200: Type.Object({ data: Type.Array(UserView) }) } },
    async handler(request) {
      const { account_id, user_id } = sessionOf(request)
      const people = await reading(listPeople(read, account_id))
      return wholeList(
        people.map(
          (one): UserView => ({
            user_id: one.id,
            email: one.email,
            name: one.name,
            role: one.role,
            totp: one.totp_at !== null,
            created_at: formatTime(one.created_at),
            last_seen_at: formatTime(one.last_seen_at),
            current: one.id === user_id,
          }),
        ),
      )
    },
  })

const changeRole = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'PATCH',
    url: ONE,
    consequence: 'access',
    role: 'admin',
    audit: 'user.change',
    schema: { body: UserPatch },
    async handler(request, reply) {
      const { role } = request.body
      await change(services, request, role)
      reply.code(204)
    },
  })

const removeUser = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'DELETE',
    url: ONE,
    consequence: 'access',
    role: 'admin',
    audit: 'user.delete',
    schema: {},
    async handler(request, reply) {
      await change(services, request, undefined)
      reply.code(204)
    },
  })

async function change(
  { store, notices }: DashboardServices,
  request: RequestOf<typeof ONE, unknown>,
  role: Role | undefined,
): Promise<void> {
  const { account_id: accountId, role: by } = sessionOf(request)
  const { user_id: id } = request.params
  const [person] = (await reading(listPeople(store.read, accountId))).filter((one) => one.id === id)
  describeAuditAction({
    detail: { email: person?.email, ...(role === undefined ? {} : { from: person?.role, to: role }) },
  })
  const result = await store.write(changeUser, { accountId, id, role, by })
  if (result === 'changed') {
    const email = person?.email ?? id
    notices.tellOwners({
      ...changedBy(request),
      ...(role === undefined
        ? { change: 'removed', subject: email }
        : { change: 'role', subject: `${email} from ${person?.role} to ${role}` }),
      affected: email,
    })
    return
  }
  if (result === 'not_found') throw new Problem('not_found', 'There is no such user in this account.')
  if (result === 'owners_only')
    throw new Problem('role_not_permitted', 'Only an owner can change an owner or grant that role.')
  throw new Problem('conflict', 'This is the last owner of the account; make another user an owner first.')
}
