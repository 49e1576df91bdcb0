// Opens a session for an authenticated user, and returns the view of the logged-in user.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeAuditAction } from '../../../access/audit.ts'
import type { LiveSession, LoggedIn } from '../../../access/sessions.ts'
import { Problem } from '../../../model/problem.ts'
import { isOperator } from '../../../model/role.ts'
import type { User } from '../../../store/access/accounts.ts'
import { countFactors } from '../../../store/access/second-factors.ts'
import { reading } from '../../../store/database/store.ts'
import type { SessionView } from '../../contract/dashboard-session.ts'
import { setDeviceCookie, setSessionCookie } from '../cookie.ts'
import type { DashboardServices } from '../services.ts'

/** Opens a session with a new token for a user, and ends the browser's earlier session. */
export async function openSession(
  services: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
  user: LoggedIn & Pick<User, 'email'>,
): Promise<SessionView> {
  const { sessions, devices, publicUrl } = services
  // The audit action belongs to the user who logs in now, not to the user of the browser's earlier session.
  describeAuditAction({ accountId: user.account_id, userId: user.id, actor: user.email })
  const from = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' }
  const token = await sessions.open(user, from)
  if (token === undefined)
    throw new Problem('authentication_failed', 'The login has just changed; log in again.')
  await sessions.end(request.session ?? undefined)
  const session = await sessions.find(token)
  if (session === undefined) throw new Error('the new session is not there')
  setSessionCookie(reply, token, publicUrl.value)
  setDeviceCookie(reply, devices.tokenFor(user.email), publicUrl.value)
  return sessionView(services, session)
}

export async function sessionView(services: DashboardServices, session: LiveSession): Promise<SessionView> {
  const { mode, store } = services
  const factors = await reading(countFactors(store.read, session.user_id))
  return {
    user: {
      user_id: session.user_id,
      email: session.email,
      name: session.user_name,
      role: session.role,
      operator: isOperator(session),
      totp: factors.totp,
      passkeys: factors.passkeys,
      recovery_codes_left: factors.recoveryCodes,
    },
    account: {
      account_id: session.account_id,
      name: session.account_name,
      status: session.account_status,
    },
    mode,
  }
}
