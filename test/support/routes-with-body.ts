// Every route with a body, and a service in which each of their addresses exists.

import { dashboardRoutes } from '../../src/api/dashboard/routes.ts'
import type { DashboardServices } from '../../src/api/dashboard/services.ts'
import { operatorRoutes, routes, type Services } from '../../src/api/routes.ts'
import { TestApp } from './app.ts'
import { Person } from './person.ts'

const nothing = {} as Services & DashboardServices

/** Routes of keys, of operators and of the dashboard. */
export const ROUTES_WITH_BODY = [
  ...routes(nothing),
  ...operatorRoutes(nothing),
  ...dashboardRoutes(nothing),
].filter(({ schema }) => schema.body !== undefined)

/** A service with a logged-in owner, to be stopped by the caller, and the names for its addresses. */
export interface AddressedApp {
  readonly app: TestApp
  readonly owner: Person
  /** Returns the path of an address such as `/v1/templates/:id_or_alias`. */
  pathOf(url: string): string
}

/** @param stream stream in addresses of streams */
export async function startAddressedApp(stream: string): Promise<AddressedApp> {
  const app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
  const owner = await Person.loggedIn(app)
  const { body } = await owner.call('GET', '/api/domains')
  const make = async (path: string, fields: object) => (await app.call('POST', path, fields)).body
  await make('/v1/templates', { alias: 'made', name: 'Made', text: 't' })
  await make('/v1/layouts', { alias: 'made', name: 'Made', text: '{{{ @content }}}' })
  const { webhook_id } = await make('/v1/webhooks', { url: 'https://hook.example/' })
  const ids = new Map<string, string>([
    ['domain_id', body.data[0].domain_id],
    ['id_or_alias', 'made'],
    ['alias', stream],
    ['webhook_id', webhook_id],
  ])
  return { app, owner, pathOf: (url) => url.replaceAll(/:(\w+)/g, (_, name) => ids.get(name) ?? 'x') }
}
