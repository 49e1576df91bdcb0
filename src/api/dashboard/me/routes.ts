// /api/me: changes of users to their own name, password and second factor, and the scopes that they may give to keys.

import { formProblems, requireName } from '../../../access/accounts.ts'
import { describeAuditAction } from '../../../access/audit.ts'
import { changePassword } from '../../../access/passwords.ts'
import { ALL_SCOPES, SCOPE_SETS, type Scope } from '../../../access/scopes.ts'
import { recalled } from '../../../lib/repeatable-run.ts'
import { Problem } from '../../../model/problem.ts'
import { renameUser } from '../../../store/access/people.ts'
import { callerOf } from '../../caller.ts'
import {
  MePatch,
  MyScopes,
  PasswordBody,
  RecoveryCodes,
  TotpBegun,
  TotpCodeBody,
} from '../../contract/dashboard-me.ts'
import { clientOf } from '../cookie.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const meRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  rename(services),
  showScopes,
  newPassword(services),
  beginTotp(services),
  confirmTotp(services),
  removeTotp(services),
  renewRecoveryCodes(services),
]

/** Returns the logged-in user in the form that the access rules take. */
export const userOf = (request: Parameters<typeof sessionOf>[0]) => {
  const { user_id: id, account_id, email, user_name: name } = sessionOf(request)
  return { id, account_id, email, name }
}

const rename = ({ store }: DashboardServices) =>
  defineDashboardRoute({
    method: 'PATCH',
    url: '/api/me',
    consequence: 'none',
    role: 'viewer',
    audit: 'user.rename',
    schema: { body: MePatch },
    check: (_, { name }) => (name?.trim() ? formProblems({ name }) : []),
    async handler(request, reply) {
      const { name } = request.body
      if (name !== undefined) {
        const given = name === null || name.trim() === '' ? null : requireName(name.trim())
        await store.write(renameUser, { id: userOf(request).id, name: given })
      }
      reply.code(204)
    },
  })

/** Endpoint for the forms of new keys, which offer only the scopes that the user has. */
const showScopes = defineDashboardRoute({
  method: 'GET',
  url: '/api/me/scopes',
  role: 'viewer',
  schema: { response: { 200: MyScopes } },
  async handler(request): Promise<MyScopes> {
    const { scopes } = callerOf(request)
    const sets = Object.entries(SCOPE_SETS) as [keyof typeof SCOPE_SETS, readonly Scope[]][]
    return {
      scopes: ALL_SCOPES.filter((scope) => scopes.has(scope)),
      sets: sets.map(([name, ofSet]) => ({ name, scopes: [...ofSet] })),
    }
  },
})

const newPassword = ({ store, login, notices, publicUrl }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/me/password',
    consequence: 'login',
    role: 'viewer',
    audit: 'password.change',
    schema: { body: PasswordBody },
    check: (_, { password }) => formProblems(password === undefined ? {} : { password }),
    async handler(request, reply) {
      const { current, password } = request.body
      // The result of the password check is stored, because a repeated request would compare with the changed password.
      await recalled(() =>
        login.confirmPassword(userOf(request), current, clientOf(request, publicUrl.value)),
      )
      await changePassword(store, userOf(request).id, password, sessionOf(request).id)
      notices.tell(userOf(request), 'password', request.ip)
      reply.code(204)
    },
  })

const beginTotp = ({ secondFactor }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/me/totp',
    consequence: 'access',
    role: 'viewer',
    // The setup is not audited, because a second factor is logged only when the user confirms the first code.
    audit: false,
    schema: { response: { 200: TotpBegun } },
    handler: (request) => secondFactor.begin(userOf(request), userOf(request).email),
  })

const confirmTotp = ({ secondFactor, notices }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/me/totp/confirm',
    consequence: 'access',
    role: 'viewer',
    audit: 'totp.create',
    schema: { body: TotpCodeBody, response: { 200: RecoveryCodes } },
    async handler(request): Promise<RecoveryCodes> {
      const { code } = request.body
      const codes = await secondFactor.confirm(userOf(request), code)
      notices.tell(userOf(request), 'totp_on', request.ip)
      return { recovery_codes: [...codes] }
    },
  })

const removeTotp = ({ secondFactor, notices }: DashboardServices) =>
  defineDashboardRoute({
    method: 'DELETE',
    url: '/api/me/totp',
    consequence: 'access',
    role: 'viewer',
    audit: 'totp.delete',
    schema: {},
    async handler(request, reply) {
      if (!(await secondFactor.remove(userOf(request).id))) {
        throw new Problem('not_found', 'There is no authenticator app to remove.')
      }
      notices.tell(userOf(request), 'totp_off', request.ip)
      reply.code(204)
    },
  })

const renewRecoveryCodes = ({ secondFactor, notices }: DashboardServices) =>
  defineDashboardRoute({
    method: 'POST',
    url: '/api/me/recovery-codes',
    consequence: 'access',
    role: 'viewer',
    audit: 'recovery-code.create',
    schema: { response: { 200: RecoveryCodes } },
    async handler(request): Promise<RecoveryCodes> {
      describeAuditAction({ target: userOf(request).id })
      const codes = await secondFactor.renewRecoveryCodes(userOf(request))
      notices.tell(userOf(request), 'recovery_codes', request.ip)
      return { recovery_codes: [...codes] }
    },
  })
