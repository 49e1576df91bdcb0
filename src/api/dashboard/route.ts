// Declares an endpoint of the dashboard: its shapes, its callers and its name in the audit log.

import type { FastifyRequest, FastifySchema } from 'fastify'
import type { AccessChange } from '../../access/login-notices.ts'
import type { LiveSession } from '../../access/sessions.ts'
import type { BodyRule } from '../../http/body-rule.ts'
import type { Role } from '../../model/role.ts'
import type { Decided, Route, Typed } from '../route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Session of the request; null without a login or outside the dashboard API. */
    session: LiveSession | null
  }
}

/** Endpoint of the dashboard under `/api`. */
export interface DashboardRoute
  extends Pick<
    Route,
    | 'method'
    | 'url'
    | 'effect'
    | 'readsLong'
    | 'body'
    | 'audit'
    | 'consequence'
    | 'once'
    | 'versioned'
    | 'versionOf'
    | 'check'
    | 'handler'
  > {
  readonly schema: FastifySchema
  /** True for an endpoint whose bodies may contain a NUL character; see `noteNul`. */
  readonly takesNul?: boolean
  /** True for an endpoint that refuses a query or a body if it takes none. */
  readonly refusesUntaken?: boolean
  /**
   * Throws the problem of a request that is refused before its body is read; only for an endpoint that requires no
   * login.
   */
  readonly admit?: (request: FastifyRequest) => void
  /** Lowest role of a caller; `nobody` requires no login, and `operator` means an owner of the operating account. */
  readonly role: Role | 'operator' | 'nobody'
}

/** Declares an endpoint of the dashboard, whose handler gets requests with the types of the schema. */
export const defineDashboardRoute = <Url extends string, Schema extends FastifySchema, Body extends BodyRule>(
  route: Typed<DashboardRoute, Url, Schema, Body> & Decided,
): DashboardRoute => route

/** Returns the session of a request whose route requires a role. */
export function sessionOf(request: FastifyRequest): LiveSession {
  if (request.session === null) throw new Error('this route has no session')
  return request.session
}

/** Returns the account, the login and the client address of a change, for the notice to the owners. */
export function changedBy(request: FastifyRequest): Pick<AccessChange, 'accountId' | 'by' | 'address'> {
  const { account_id: accountId, email: by } = sessionOf(request)
  return { accountId, by, address: request.ip }
}
