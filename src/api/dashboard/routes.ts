// Lists all endpoints of the dashboard, and mounts the endpoints of /v1 a second time for logged-in users.

import { roleOf } from '../../access/scopes.ts'
import { placeOf, type Route } from '../route.ts'
import { operatorRoutes, routes, type Services } from '../routes.ts'
import { bulkRoutes } from './bulk/routes.ts'
import { sharedRecords } from './domains/shared-records.ts'
import { eventRoutes } from './events/routes.ts'
import { showInboundHtml } from './inbound/routes.ts'
import { inboxRoutes } from './inboxes/routes.ts'
import { passkeyRoutes } from './me/passkeys.ts'
import { meRoutes } from './me/routes.ts'
import { messageRoutes } from './messages/routes.ts'
import { installationRoutes } from './operator/installation.ts'
import { comingInRoutes } from './people/coming-in.ts'
import { previewTable, showPreview } from './preview/show.ts'
import type { DashboardRoute } from './route.ts'
import { searchRoutes } from './search/routes.ts'
import type { DashboardServices } from './services.ts'
import { ownSessionRoutes } from './session/list.ts'
import { sessionRoutes } from './session/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { verificationRoutes } from './verification/routes.ts'

/**
 * Returns the endpoints under `/api`. A new endpoint needs a file in the folder of its noun with
 * `defineDashboardRoute`, its shapes in `src/api/contract/dashboard-….ts`, and an entry in this list. An
 * endpoint that keys may call as well belongs in `api/routes.ts` instead, and is mounted here. The `role` of an
 * endpoint decides who may call the endpoint. A handler gets the user from `sessionOf(request)`, and under
 * `/api/domains/:domain_id` the domain of the account from `domainOf(request)`.
 */
export const dashboardRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  ...sessionRoutes(services),
  ...ownSessionRoutes(services),
  ...comingInRoutes(services),
  ...meRoutes(services),
  ...passkeyRoutes(services),
  ...verificationRoutes(services),
  ...bulkRoutes(services),
  showPreview,
  previewTable(services.maxBatchBytes),
  sharedRecords(services),
  ...messageRoutes(services),
  showInboundHtml(services),
  ...inboxRoutes(services),
  ...searchRoutes(services),
  ...statsRoutes(services),
  ...eventRoutes(services),
  ...installationRoutes(services),
]

/**
 * Returns the endpoints of API keys, mounted for users; the access check sets the caller, whose ID is stored in a saved
 * version.
 */
export const mountedRoutes = (services: Services): readonly DashboardRoute[] =>
  routes(services).flatMap((route) => {
    const { scope } = route
    if (scope === 'any-credential') return []
    const place = placeOf(route)
    const url = `${PLACES[place]}${pathOf(route)}`
    return [
      { ...mounted(route), role: roleOf(scope), url, takesNul: place !== 'account', refusesUntaken: true },
    ]
  })

/** Returns the operator's endpoints under /api/operator, which require a login instead of the operator's token. */
export const mountedOperatorRoutes = (services: Services): readonly DashboardRoute[] =>
  operatorRoutes(services).map((route) => ({
    ...mounted(route),
    role: 'operator',
    url: `/api${pathOf(route)}`,
  }))

/** Paths under which users call the endpoints of API keys. */
const PLACES = {
  domain: '/api/domains/:domain_id',
  verification: '/api/verification',
  account: '/api',
} as const

const pathOf = (route: Pick<Route, 'url'>): string => route.url.replace(/^\/v1/, '')

/** Returns the endpoint without its properties for keys. */
const mounted = ({ scope: _, domains: __, refusals: ___, ...route }: Route): Omit<DashboardRoute, 'role'> =>
  route
