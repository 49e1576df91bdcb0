// GET and DELETE /api/sessions: lists and ends the sessions of a user.

import { Type } from 'typebox'
import { describeAuditAction } from '../../../access/audit.ts'
import { formatTime } from '../../../lib/rfc3339.ts'
import { Problem } from '../../../model/problem.ts'
import { endSessions } from '../../../store/access/sessions.ts'
import { SessionListed, wholeList } from '../../contract/dashboard-people.ts'
import { clearSessionCookie } from '../cookie.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const ownSessionRoutes = ({
  sessions,
  store,
  publicUrl,
}: DashboardServices): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'GET',
    url: '/api/sessions',
    role: 'viewer',
    schema: { response: { 200: Type.Object({ data: Type.Array(SessionListed) }) } },
    async handler(request) {
      const { id: current, user_id } = sessionOf(request)
      const all = await sessions.list(user_id)
      return wholeList(
        all.map(
          (one): SessionListed => ({
            session_id: one.id,
            created_at: formatTime(one.created_at),
            last_seen_at: formatTime(one.last_seen_at),
            address: one.address,
            user_agent: one.user_agent,
            current: one.id === current,
          }),
        ),
      )
    },
  }),
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/sessions/:session_id',
    consequence: 'access',
    role: 'viewer',
    audit: 'session.end',
    schema: {},
    async handler(request, reply) {
      const { id: current, user_id: userId } = sessionOf(request)
      const { session_id: id } = request.params
      const ended = await store.write(endSessions, { userId, id })
      if (ended === 0) throw new Problem('not_found', 'You have no such session; it may have ended already.')
      if (id === current) clearSessionCookie(reply, publicUrl.value)
      reply.code(204)
    },
  }),
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/sessions',
    consequence: 'access',
    role: 'viewer',
    audit: 'session.end',
    schema: {},
    async handler(request, reply) {
      const { id, user_id: userId } = sessionOf(request)
      describeAuditAction({ target: 'all others' })
      await store.write(endSessions, { userId, except: id })
      reply.code(204)
    },
  }),
]
