// Keys for tests of many endpoints: management keys, and the key that may call an endpoint.

import { createKey, type NewKey } from '../../src/access/keys.ts'
import { ALL_SCOPES, isOfOperator, kindMayHave } from '../../src/access/scopes.ts'
import { placeOf, type Route } from '../../src/api/route.ts'
import { routes } from '../../src/api/routes.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { listAccounts } from '../../src/store/access/accounts.ts'
import type { TestApp } from './app.ts'

/** All scopes that a key of any account may have. */
export const USUAL_MANAGEMENT_SCOPES = ALL_SCOPES.filter((scope) => !isOfOperator(scope))

/** Rate of the management keys of tests, which make more requests than 20 in a second. */
const RATE = '100000/s'

/**
 * Creates a management key; by default of every domain of the first account, with all scopes but those of the operator.
 */
export async function managementKey(
  { store }: Pick<TestApp, 'store'>,
  wanted: Partial<Omit<NewKey, 'kind' | 'domainId'>> = {},
): Promise<string> {
  const [first] = await listAccounts(store.read)
  const resources = { store, clock: systemClock }
  const { secret } = await createKey(resources, {
    ...{ accountId: first?.id ?? '', name: 'Management', scopes: USUAL_MANAGEMENT_SCOPES, rate: RATE },
    ...wanted,
    ...{ kind: 'management', domainId: null },
  })
  return secret
}

/** Kind of the key that calls an endpoint in tests: a Sending or a Verification key if it may have the scope. */
export function kindOfRoute({ scope }: Pick<Route, 'scope'>): 'sending' | 'verification' | 'management' {
  if (scope === 'any-credential' || kindMayHave('sending', scope)) return 'sending'
  return kindMayHave('verification', scope) ? 'verification' : 'management'
}

/** Management keys by app: a key with the scopes of the operator, and a key without these scopes. */
const managing = new WeakMap<TestApp, Map<boolean, Promise<string>>>()

/** Returns the secret of a key of the playground that may call an endpoint. */
export async function keyFor(app: TestApp, route: Pick<Route, 'scope'>): Promise<string> {
  const kind = kindOfRoute(route)
  if (kind !== 'management') {
    return kind === 'sending' ? app.playground.sending_key : app.playground.verification_key
  }
  const keys = managing.get(app) ?? new Map<boolean, Promise<string>>()
  managing.set(app, keys)
  const isOperator = route.scope !== 'any-credential' && isOfOperator(route.scope)
  const key = keys.get(isOperator) ?? managementKey(app, isOperator ? { scopes: ALL_SCOPES } : {})
  keys.set(isOperator, key)
  return key
}

const PLACES = {
  domain: '/api/domains/:domain_id',
  verification: '/api/verification',
  account: '/api',
} as const

/** Returns the name under `/api` of an endpoint for keys, such as `POST /api/keys` for `POST /v1/keys`. */
export function mountedName(name: string): string {
  const [method, url = ''] = name.split(' ')
  const route = routes({} as never).find((one) => one.method === method && one.url === url)
  if (route === undefined) throw new Error(`there is no endpoint ${name}`)
  return name.replace('/v1', PLACES[placeOf(route)])
}

/** Returns the scope of the endpoint for keys that a method and a path address. */
export const scopeOf = (name: string): Route['scope'] => {
  const [method, path = ''] = name.split(' ')
  const isOf = (url: string) =>
    new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`).test(path.replace(/\?.*$/, ''))
  const route = routes({} as never).find((one) => one.method === method && isOf(one.url))
  if (route === undefined) throw new Error(`there is no endpoint ${name}`)
  return route.scope
}
