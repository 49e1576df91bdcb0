// What the dashboard asks and tells the service about the account, its people, and oneself.

import { queryOptions } from '@tanstack/react-query'
import { call, get, type Page, patch, path, post } from '../../client.ts'
import type { Role } from '../../session.ts'

export interface Account {
  readonly account_id: string
  readonly name: string
  readonly status: string
  /** Recipients that may still be sent to; null for no limit. */
  readonly sending_allowance: number | null
  readonly verification_credits: number
  readonly created_at: string
}

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get<Account>('/api/account', undefined, signal),
})

export const renameAccount = (name: string): Promise<Account> => patch('/api/account', { name })

export interface Person {
  readonly user_id: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly operator?: boolean
  readonly totp?: boolean
  readonly last_seen_at?: string | null
  readonly created_at?: string
}

export interface Invitation {
  readonly invitation_id: string
  readonly email: string
  readonly role: Role
  readonly created_at: string
  readonly expires_at: string
}

export const peopleQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => get<Page<Person>>('/api/users', undefined, signal),
})

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => get<Page<Invitation>>('/api/invitations', undefined, signal),
})

export const invite = (body: { email: string; role: Role }): Promise<Invitation & { url: string }> =>
  post('/api/invitations', body)

export const takeBack = (id: string): Promise<void> => call('DELETE', path`/api/invitations/${id}`)

export const changeRole = (id: string, role: Role): Promise<Person> => patch(path`/api/users/${id}`, { role })

export const removePerson = (id: string): Promise<void> => call('DELETE', path`/api/users/${id}`)

export interface AuditEntry {
  readonly audit_id: string
  readonly at: string
  readonly user_id: string | null
  readonly actor: string
  readonly action: string
  readonly target: string | null
  readonly address: string | null
  readonly detail: unknown
}

export interface AuditFilter {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly cursor?: string | undefined
}

export const auditQuery = ({ actor, action, cursor }: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', actor, action, cursor],
    queryFn: ({ signal }) => get<Page<AuditEntry>>('/api/audit', { actor, action, cursor }, signal),
  })

export interface OwnSession {
  readonly session_id: string
  readonly created_at: string
  readonly last_seen_at: string
  readonly address: string | null
  readonly user_agent: string | null
  readonly current: boolean
}

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<Page<OwnSession>>('/api/sessions', undefined, signal),
})

export const endSession = (id: string): Promise<void> => call('DELETE', path`/api/sessions/${id}`)

export const endOtherSessions = (): Promise<void> => call('DELETE', '/api/sessions')

export const renameMe = (name: string): Promise<unknown> => patch('/api/me', { name })

export const changePassword = (body: { current: string; password: string }): Promise<unknown> =>
  post('/api/me/password', body)

export const beginTotp = (): Promise<{ secret: string; url: string }> => post('/api/me/totp', {})

export const confirmTotp = (code: string): Promise<{ recovery_codes: readonly string[] }> =>
  post('/api/me/totp/confirm', { code })

export const endTotp = (password: string): Promise<void> =>
  call('DELETE', '/api/me/totp', { body: { password } })

export const newRecoveryCodes = (password: string): Promise<{ recovery_codes: readonly string[] }> =>
  post('/api/me/recovery-codes', { password })

export interface Passkey {
  readonly passkey_id: string
  readonly name: string
  readonly created_at: string
  readonly last_used_at: string | null
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => get<Page<Passkey>>('/api/me/passkeys', undefined, signal),
})

export const removePasskey = (id: string): Promise<void> => call('DELETE', path`/api/me/passkeys/${id}`)
