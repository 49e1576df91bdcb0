// The public endpoints a second time, for people: those of a domain under /api/domains/:domain_id, those of
// verification under /api/verification.

import { effectOf, type Route } from '../route.ts'
import { operatorRoutes, routes, type Services } from '../routes.ts'
import type { DashboardRoute } from './route.ts'

/** The endpoints of keys as a person calls them: the door has set the caller, whose ID a saved version gets. */
export const mountedRoutes = (services: Services): readonly DashboardRoute[] =>
  routes(services).flatMap((route) => {
    if (route.key === undefined) return []
    return [route.key === 'sending' ? ofDomain(route) : ofVerification(route)]
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
})

const ofVerification = (route: Route): DashboardRoute => ({
  ...mounted(route),
  url: `/api/verification${pathOf(route)}`,
})

const ROLES = { reads: 'viewer', changes: 'developer', charges: 'developer' } as const

/** The endpoint without its own check of the kind of key: a person has none. */
const mounted = ({ key: _, refusals: __, ...route }: Route): DashboardRoute => ({
  ...route,
  role: ROLES[effectOf(route)],
})
