// The public endpoints a second time, for people: those of a domain under /api/domains/:domain_id, those of
// verification under /api/verification.

import type { FastifyRequest } from 'fastify'
import type { Domain } from '../../store/domains.ts'
import type { Credential } from '../../store/keys.ts'
import { requireSendingKey } from '../authenticate.ts'
import { actionOf } from '../deed.ts'
import type { Route } from '../route.ts'
import { operatorRoutes, routes, type Services } from '../routes.ts'
import { type DashboardRoute, domainOf, sessionOf } from './route.ts'

/** They see a credential of the domain, or of the account, whose ID is the user's: so a version says who saved it. */
export const mountedRoutes = (services: Services): readonly DashboardRoute[] =>
  routes(services).flatMap((route) => {
    if (route.preValidation === undefined) return []
    return [route.preValidation === requireSendingKey ? ofDomain(route) : ofVerification(route)]
  })

/** The operator's endpoints under /api/operator, for a login instead of the token. */
export const mountedOperatorRoutes = (services: Services): readonly DashboardRoute[] =>
  operatorRoutes(services).map((route) => ({
    ...mounted(route),
    role: 'operator',
    url: `/api${pathOf(route)}`,
  }))

const pathOf = (route: Pick<Route, 'url'>): string => route.url.replace(/^\/v1/, '')

const ofDomain = (route: Route): DashboardRoute => ({
  ...mounted(route),
  url: `/api/domains/:domain_id${pathOf(route)}`,
  handler(request, reply) {
    request.credential = credentialOf(request, domainOf(request))
    return route.handler(request, reply)
  },
})

const ofVerification = (route: Route): DashboardRoute => ({
  ...mounted(route),
  // Verifying takes a credit, by whatever method.
  ...(route.takesCredit ? { role: 'developer' } : {}),
  url: `/api/verification${pathOf(route)}`,
  handler(request, reply) {
    request.credential = credentialOf(request, null)
    return route.handler(request, reply)
  },
})

/** The endpoint without its own check of the kind of key: a person has none. */
function mounted({ preValidation: _, refusals: __, ...route }: Route): DashboardRoute {
  const reads = route.method === 'GET' || route.changesNothing === true
  return { ...route, role: reads ? 'viewer' : 'developer', audit: reads ? false : actionOf(route) }
}

export function credentialOf(request: FastifyRequest, domain: Domain | null): Credential {
  const session = sessionOf(request)
  return {
    id: session.user_id,
    account_id: session.account_id,
    domain_id: domain?.id ?? null,
    kind: domain === null ? 'verification' : 'sending',
    name: session.email,
    hash: '',
    last4: '',
    rate: null,
    created_at: session.created_at,
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
    account_status: session.account_status,
    sending_allowance: session.sending_allowance,
    domain_name: domain?.name ?? null,
    domain_status: domain?.status ?? null,
  }
}
