// All routes that take a body, and a service in which the objects in their paths exist.

import { dashboardRoutes } from '../../src/api/dashboard/routes.ts'
import type { DashboardServices } from '../../src/api/dashboard/services.ts'
import { operatorRoutes, routes, type Services } from '../../src/api/routes.ts'
import { TestApp } from './app.ts'
import { objectOf } from './one-of-everything.ts'
import { Person } from './person.ts'

const nothing = {} as Services & DashboardServices

/** Routes for API keys, for operators and for the dashboard. */
export const ROUTES_WITH_BODY = [
  ...routes(nothing),
  ...operatorRoutes(nothing),
  ...dashboardRoutes(nothing),
].filter(({ schema }) => schema.body !== undefined)

/** A service with a logged-in owner, which the caller stops. */
export interface AddressedApp {
  readonly app: TestApp
  readonly owner: Person
  /** Returns the path for a route such as `/v1/templates/:id_or_alias`. */
  pathOf(url: string): string
}

/**
 * Starts the service and creates the objects.
 * @param stream alias of the stream in paths of streams
 */
export async function startAddressedApp(stream: string): Promise<AddressedApp> {
  const app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
  const owner = await Person.loggedIn(app)
  const { body } = await owner.call('GET', '/api/domains')
  const make = async (path: string, fields: object) => (await app.call('POST', path, fields)).body
  await make('/v1/templates', { alias: 'made', name: 'Made', text: 't' })
  await make('/v1/layouts', { alias: 'made', name: 'Made', text: '{{{ @content }}}' })
  const { webhook_id } = await make('/v1/webhooks', { url: 'https://hook.example/' })
  const hook = { url: 'https://hook.example/' }
  const ofAccount = await owner.call('POST', '/api/account-webhooks', hook)
  const { key_id } = (await owner.call('POST', '/api/keys', { kind: 'verification', name: 'Made' })).body
  // The records of this domain are not published.
  const { domain_id } = (await owner.call('POST', '/api/domains', { domain: 'made.example' })).body
  const credential = { name: 'Made', domain: domain_id }
  const { username } = (await owner.call('POST', '/api/smtp-credentials', credential)).body
  const ids = new Map<string, string>([
    ['domain_id', body.data[0].domain_id],
    ['domain', domain_id],
    ['username', username],
    ['id_or_alias', 'made'],
    ['alias', stream],
    ['webhook_id', webhook_id],
    ['account_webhook_id', ofAccount.body.webhook_id],
    ['key_id', key_id],
    ['account_id', (await owner.call('GET', '/api/account')).body.account_id],
  ])
  return {
    app,
    owner,
    pathOf: (url) => url.replaceAll(/:(\w+)/g, (_, name) => ids.get(objectOf(url, name)) ?? 'x'),
  }
}
