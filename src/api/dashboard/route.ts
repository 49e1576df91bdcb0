// What an endpoint of the dashboard says of itself: beside its shapes, who may call it and how it is logged.

import type { FastifyRequest, FastifySchema } from 'fastify'
import type { LiveSession } from '../../access/sessions.ts'
import type { Role } from '../../model/role.ts'
import type { Domain } from '../../store/domains.ts'
import type { Route } from '../route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is logged in; null for nobody, and outside of the dashboard. */
    session: LiveSession | null
    /** The domain that the path names, which is one of the account's. */
    domain: Domain | null
  }
}

/** One endpoint under `/api`. */
export interface DashboardRoute
  extends Pick<
    Route,
    | 'method'
    | 'url'
    | 'preValidation'
    | 'attachValidation'
    | 'takesCsv'
    | 'takesForm'
    | 'takesCredit'
    | 'maxBodyBytes'
  > {
  readonly schema: FastifySchema
  /** The least that who calls it has to be: `nobody` needs no login, `operator` is an owner of the first account. */
  readonly role: Role | 'operator' | 'nobody'
  /** It changes how somebody gets in: the login must not be older than ten minutes. */
  readonly recentLogin?: true
  /**
   * What the audit log calls it, such as `key.create`; `false` for what changes nothing worth telling. Every endpoint
   * but a GET has to say it.
   */
  readonly audit?: string | false
  readonly handler: Route['handler']
}

/** Names the type of an endpoint of the dashboard. */
export const defineDashboardRoute = (route: DashboardRoute): DashboardRoute => route

/** Who is logged in, behind a route that wants a role. */
export function sessionOf(request: FastifyRequest): LiveSession {
  if (request.session === null) throw new Error('this route has no session')
  return request.session
}

/** The domain in the path of a route under `/api/domains/:domain_id`; it belongs to the account. */
export function domainOf(request: FastifyRequest): Domain {
  if (request.domain === null) throw new Error('this route has no domain')
  return request.domain
}
