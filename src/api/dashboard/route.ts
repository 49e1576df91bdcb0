// Declaration of an endpoint of the dashboard: its shapes, its callers and its name in the audit log.

import type { FastifyRequest, FastifySchema, preValidationHookHandler } from 'fastify'
import type { AccessChange } from '../../access/login-notices.ts'
import type { LiveSession } from '../../access/sessions.ts'
import type { BodyRule } from '../../http/body-rule.ts'
import type { Role } from '../../model/role.ts'
import type { Domain } from '../../store/domains/domains.ts'
import type { Decided, Route, Typed } from '../route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Session of the request; null without a login, and outside the dashboard. */
    session: LiveSession | null
    /** Domain in the path, which belongs to the account. */
    domain: Domain | null
  }
}

/** One endpoint under `/api`. */
export interface DashboardRoute
  extends Pick<
    Route,
    'method' | 'url' | 'effect' | 'body' | 'audit' | 'consequence' | 'once' | 'check' | 'handler'
  > {
  readonly schema: FastifySchema
  /** Runs before the shape of the request is validated. */
  readonly preValidation?: preValidationHookHandler
  /** Lowest role of a caller: `nobody` needs no login, `operator` is an owner of the operating account. */
  readonly role: Role | 'operator' | 'nobody'
}

/** Declares an endpoint of the dashboard; its handler gets requests with the types of the schema. */
export const defineDashboardRoute = <Url extends string, Schema extends FastifySchema, Body extends BodyRule>(
  route: Typed<DashboardRoute, Url, Schema, Body> & Decided,
): DashboardRoute => route

/** Returns the session of a request, for a route that needs a role. */
export function sessionOf(request: FastifyRequest): LiveSession {
  if (request.session === null) throw new Error('this route has no session')
  return request.session
}

/** Returns the domain in the path of a route under `/api/domains/:domain_id`, which belongs to the account. */
export function domainOf(request: FastifyRequest): Domain {
  if (request.domain === null) throw new Error('this route has no domain')
  return request.domain
}

/** Returns the account, the login and the address of a change, for the notice to the owners. */
export function changedBy(request: FastifyRequest): Pick<AccessChange, 'accountId' | 'by' | 'address'> {
  const { account_id: accountId, email: by } = sessionOf(request)
  return { accountId, by, address: request.ip }
}
