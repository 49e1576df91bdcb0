// API calls about the account, its users, and the login of the current user.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AccountView, UsageView } from '../../../src/api/contract/account.ts'
import type { AccountEventView } from '../../../src/api/contract/account-event.ts'
import type { AuditView } from '../../../src/api/contract/audit.ts'
import type { PasskeyView, RecoveryCodes, TotpBegun } from '../../../src/api/contract/dashboard-me.ts'
import type { SessionListed } from '../../../src/api/contract/dashboard-people.ts'
import type { InvitationMade, InvitationView, UserView } from '../../../src/api/contract/person.ts'
import { call, get, type Page, patch, path, post, type Query, withQuery } from '../../client.ts'
import { instantOf } from '../../parts/instant.ts'
import type { Role } from '../../session.ts'

export type Account = AccountView
export type Usage = UsageView
export type Person = UserView
export type AuditEntry = AuditView
export type AccountEvent = AccountEventView
export type Passkey = PasskeyView

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get<AccountView>('/api/account', undefined, signal),
})

/** Usage of this month and of the twelve months before. */
export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => get<UsageView>('/api/account/usage', { by: 'month' }, signal),
})

export const renameAccount = (name: string): Promise<AccountView> => patch('/api/account', { name })

export const peopleQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => get<Page<UserView>>('/api/people', undefined, signal),
  // An invited user may accept the invitation at any time.
  refetchInterval: 10_000,
})

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => get<Page<InvitationView>>('/api/invitations', undefined, signal),
  refetchInterval: 10_000,
})

export const invite = (body: { email: string; role: Role }): Promise<InvitationMade> =>
  post('/api/invitations', body)

export const removeInvitation = (id: string): Promise<void> => call('DELETE', path`/api/invitations/${id}`)

export const changeRole = (id: string, role: Role): Promise<UserView> =>
  patch(path`/api/people/${id}`, { role })

export const removePerson = (id: string): Promise<void> => call('DELETE', path`/api/people/${id}`)

/** Filters of the events of the account, as they appear in the URL of the page; times are local. */
export const EVENT_FILTERS = ['object_id', 'type', 'after', 'before'] as const
export type EventFilter = Partial<Record<(typeof EVENT_FILTERS)[number], string>>

export const accountEventsQuery = ({ after, before, ...same }: EventFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['account-events', same, after, before, cursor],
    queryFn: ({ signal }) =>
      get<Page<AccountEventView>>(
        '/api/account-events',
        { ...same, after: instantOf(after), before: instantOf(before), cursor },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })

/** Filters of the audit log, as they appear in the URL of the page; times are local. */
export const AUDIT_FILTERS = ['actor', 'action', 'after', 'before'] as const
export type AuditFilter = Partial<Record<(typeof AUDIT_FILTERS)[number], string>>

const auditWish = ({ after, before, ...same }: AuditFilter): Query => ({
  ...same,
  after: instantOf(after),
  before: instantOf(before),
})

export const auditQuery = (filter: AuditFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['audit', filter, cursor],
    queryFn: ({ signal }) => get<Page<AuditView>>('/api/audit', { ...auditWish(filter), cursor }, signal),
    placeholderData: keepPreviousData,
  })

/** Returns the URL of a CSV file with all entries that match the filter. */
export const auditFileAddress = (filter: AuditFilter): string =>
  withQuery('/api/audit', { ...auditWish(filter), format: 'csv' })

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<Page<SessionListed>>('/api/sessions', undefined, signal),
})

export const endSession = (id: string): Promise<void> => call('DELETE', path`/api/sessions/${id}`)

export const endOtherSessions = (): Promise<void> => call('DELETE', '/api/sessions')

export const renameMe = (name: string): Promise<unknown> => patch('/api/me', { name })

export const changePassword = (body: { current: string; password: string }): Promise<unknown> =>
  post('/api/me/password', body)

export const beginTotp = (): Promise<TotpBegun> => post('/api/me/totp', {})

export const confirmTotp = (code: string): Promise<RecoveryCodes> => post('/api/me/totp/confirm', { code })

export const endTotp = (): Promise<void> => call('DELETE', '/api/me/totp')

export const newRecoveryCodes = (): Promise<RecoveryCodes> => post('/api/me/recovery-codes')

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => get<Page<PasskeyView>>('/api/me/passkeys', undefined, signal),
})

export const removePasskey = (id: string): Promise<void> => call('DELETE', path`/api/me/passkeys/${id}`)
