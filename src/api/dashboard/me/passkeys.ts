// /api/me/passkeys: passkeys of the logged-in user.

import { Type } from 'typebox'
import { formProblems } from '../../../access/accounts.ts'
import { describeAuditAction } from '../../../access/audit.ts'
import { formatTime } from '../../../lib/rfc3339.ts'
import { Problem } from '../../../model/problem.ts'
import type { Passkey } from '../../../store/access/passkeys.ts'
import { PasskeyBody, PasskeyView } from '../../contract/dashboard-me.ts'
import { wholeList } from '../../contract/dashboard-people.ts'
import { originOf } from '../origin.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { userOf } from './routes.ts'

const view = (passkey: Passkey): PasskeyView => ({
  passkey_id: passkey.id,
  name: passkey.name,
  created_at: formatTime(passkey.created_at),
  last_used_at: formatTime(passkey.last_used_at),
})

export const passkeyRoutes = ({ passkeys, notices }: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: '/api/me/passkeys',
    role: 'viewer',
    schema: { response: { 200: Type.Object({ data: Type.Array(PasskeyView) }) } },
    handler: async (request) => wholeList((await passkeys.list(sessionOf(request).user_id)).map(view)),
  }),
  defineDashboardRoute({
    method: 'POST',
    url: '/api/me/passkeys/options',
    consequence: 'access',
    role: 'viewer',
    audit: false,
    schema: {},
    handler: (request) => passkeys.optionsForMaking(userOf(request), originOf(request)),
  }),
  defineDashboardRoute({
    method: 'POST',
    url: '/api/me/passkeys',
    consequence: 'access',
    role: 'viewer',
    audit: 'passkey.create',
    schema: { body: PasskeyBody, response: { 201: PasskeyView } },
    check: (_, { name }) => formProblems(name === undefined ? {} : { name }),
    async handler(request, reply): Promise<PasskeyView> {
      const { response, name } = request.body
      describeAuditAction({ detail: { name } })
      const made = await passkeys.add(userOf(request), originOf(request), response, name)
      notices.tell(userOf(request), 'passkey_added', request.ip)
      reply.code(201)
      return view(made)
    },
  }),
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/me/passkeys/:passkey_id',
    consequence: 'access',
    role: 'viewer',
    audit: 'passkey.delete',
    schema: {},
    async handler(request, reply) {
      const { passkey_id: id } = request.params
      if (!(await passkeys.remove(sessionOf(request).user_id, id))) {
        throw new Problem('not_found', 'You have no such passkey.')
      }
      notices.tell(userOf(request), 'passkey_removed', request.ip)
      reply.code(204)
    },
  }),
]
