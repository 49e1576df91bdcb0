// The matrix of rights, generated from the declarations of the routes: every route of both doors with every condition of
// a credential or a role, on the caller's own objects, on objects of others, and on objects that do not exist. Each
// refusal has the status and the code of the contract, tells nothing, and changes nothing.

import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { createKey, type NewKey, rotateKey } from '../../src/access/keys.ts'
import { ALL_SCOPES, isOfOperator, kindMayHave, type Scope, USUAL_SCOPES } from '../../src/access/scopes.ts'
import type { DashboardRoute } from '../../src/api/dashboard/route.ts'
import { dashboardRoutes, mountedOperatorRoutes, mountedRoutes } from '../../src/api/dashboard/routes.ts'
import type { DashboardServices } from '../../src/api/dashboard/services.ts'
import type { Schema } from '../../src/api/reference/document.ts'
import { exampleOf, SAMPLE_DOMAIN } from '../../src/api/reference/example.ts'
import type { Route } from '../../src/api/route.ts'
import { operatorRoutes, routes, type Services } from '../../src/api/routes.ts'
import { addDomain } from '../../src/domains/domains.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { KeyKind } from '../../src/model/key-kind.ts'
import { ROLES, type Role, roleCovers } from '../../src/model/role.ts'
import { setAccountStatus } from '../../src/store/access/accounts.ts'
import { changeKey, revokeKey } from '../../src/store/access/keys.ts'
import { tellsDomain } from '../../src/store/search/domain-of-object.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { USUAL_MANAGEMENT_SCOPES } from '../support/keys.ts'
import {
  type Everything,
  everyRowOf,
  namedIn,
  OWNERS_PASSWORD,
  oneOfEverything,
} from '../support/one-of-everything.ts'
import { Person } from '../support/person.ts'
import { RawSmtpClient } from '../support/raw-smtp-client.ts'
import { settled } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'
import { sleep } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'
import { addUser } from '../support/users.ts'

const nothing = {} as Services & DashboardServices
/** Endpoints for keys, also those of the admin listener. */
const OF_KEYS: readonly Route[] = [...routes(nothing), ...operatorRoutes(nothing)]
const OF_PEOPLE: readonly DashboardRoute[] = [
  ...dashboardRoutes(nothing),
  ...mountedRoutes(nothing),
  ...mountedOperatorRoutes(nothing),
]
const nameOf = ({ method, url }: Pick<Route, 'method' | 'url'>): string => `${method} ${url}`

/** Networks without the address of the tests. */
const ELSEWHERE = ['192.0.2.0/24']
/** Rate of the keys of the matrix. */
const RATE = '100000/s'

/** Status and code of a refusal. */
type Refusal = `${number} ${string}`
const UNKNOWN: Refusal = '401 authentication_failed'
const WRONG_NETWORK: Refusal = '403 network_not_permitted'
const NOT_FOUND: Refusal = '404 not_found'
const SUSPENDED: Refusal = '403 account_suspended'
const OTHER_DOMAIN: Refusal = '403 domain_not_permitted'

/** A domain with one object of every kind. */
interface Home {
  readonly accountId: string
  readonly domainId: string
  readonly domain: string
  readonly names: Everything
}

/** A credential in one condition. */
interface Caller {
  readonly name: string
  readonly kind: KeyKind
  readonly headers: Readonly<Record<string, string>>
  readonly scopes: readonly Scope[]
  readonly home: Home
  /** Refusal of every request; undefined if the scopes of the credential decide. */
  readonly refused?: Refusal
  /** True for an SMTP password as Basic authentication, which only endpoints for any credential accept. */
  readonly basic?: boolean
  /** Only scope whose endpoints are called; undefined for all endpoints. */
  readonly only?: Scope
  /** Names of objects in another domain of the account, for a credential that works on `home` only. */
  readonly elsewhere?: Everything
  /** True for a key of several domains, which names the domain of a change. */
  readonly several?: boolean
}

/** Returns the refusal of all requests of a caller to a route; undefined if the caller may call the route. */
function refusalOf({ kind, scopes, refused, basic }: Caller, { scope }: Route): Refusal | undefined {
  if (basic && scope !== 'any-credential') return UNKNOWN
  if (refused !== undefined || scope === 'any-credential') return refused
  if (!kindMayHave(kind, scope)) return '403 key_kind_not_permitted'
  return scopes.includes(scope) && !isOfOperator(scope) ? undefined : '403 scope_not_permitted'
}

/** Returns the name of an object that does not exist, next to the name of an object of the victim. */
function absentName(value: string): string {
  if (/_[0-9A-Z]{26}$/.test(value)) return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0')
  return value.replaceAll('victim', 'victum')
}
const absentOf = (names: Everything): Everything =>
  Object.fromEntries(Object.entries(names).map(([key, value]) => [key, absentName(value)]))

const pathOf = (url: string, names: Everything): string =>
  url.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(namedIn(url, name, names)))

/** True if the path names an object; the domain in the path of a user's request is tested as well. */
const namesObject = ({ url }: Pick<Route, 'url'>): boolean => url.includes('/:')

/** True if the objects of a route belong to a domain. */
const isOfDomain = ({ url, domains }: Route): boolean =>
  domains !== undefined || /\/(?::domain|keys\/:key_id|smtp-credentials\/:username)\b/.test(url)

/** Returns the example of the body from its schema, at the given domain. */
function bodyOf({ schema }: Pick<Route, 'schema'>, { domain }: Home): object | undefined {
  if (schema.body === undefined) return undefined
  return JSON.parse(
    JSON.stringify(exampleOf(schema.body as Schema)).replaceAll(SAMPLE_DOMAIN, domain),
  ) as object
}

/** Returns a response without the ID of the request and the requested names. */
function told({ status, headers, body }: Answer, names: Everything): string {
  const { request_id: _, instance: __, ...rest } = typeof body === 'object' ? body : { body }
  let text = JSON.stringify([status, rest])
  for (const name of Object.values(names)) if (name.length > 3) text = text.replaceAll(name, '*')
  return `${text} ${[...headers.keys()].sort()}`
}

const codeOf = ({ status, body }: Answer): string => `${status} ${body?.code ?? ''}`.trim()

describe('the matrix of rights', () => {
  let app: TestApp
  let own: Home
  let sibling: Home
  let victim: Home
  let idle: Home
  let absent: Everything
  let callers: readonly Caller[]

  before(async () => {
    app = await TestApp.start({
      env: {
        ...{ POSTRIDER_ROLES: 'api,dashboard,smtp', POSTRIDER_AUTH_FAILURE_RATE: '1000000/s' },
        ...{ POSTRIDER_SENDING_RATE: '1000000/s', POSTRIDER_VERIFICATION_RATE: '1000000/s' },
        // Each request of a user comes from another network, so that the limit of a network is not reached.
        POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8',
        ...{ POSTRIDER_OPERATOR_TOKEN: 'x'.repeat(40), POSTRIDER_ADMIN_PORT: '0' },
      },
    })
    victim = await homeOf('victim')
    own = await homeOf('own')
    idle = await homeOf('idle')
    sibling = await siblingOf(own)
    absent = absentOf(victim.names)
    callers = [
      ...(await usualCallers()),
      ...(await singleScopes()),
      ...(await allButOne()),
      ...(await invalid()),
      ...(await suspended()),
    ]
    await app.store.write(setAccountStatus, { id: idle.accountId, status: 'suspended', now: Date.now() })
    await settled(app.store)
  })
  after(() => app.stop())

  async function homeOf(mark: string): Promise<Home> {
    const tenant = await createTenant(app.store, { domain: `${mark}.test` })
    const names = await oneOfEverything(app, tenant, mark)
    const { account, domain } = tenant
    return { accountId: account.id, domainId: domain.id, domain: domain.name, names }
  }

  /** Adds a second domain to the account, with an object of every kind. */
  async function siblingOf({ accountId }: Home): Promise<Home> {
    const resources = { store: app.store, clock: systemClock }
    const hosts = { returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' }
    const added = await addDomain({ ...resources, ...hosts, accountId, name: 'sibling.test', verified: true })
    const tenant = { account: { id: accountId }, domain: added.domain } as never
    const names = await oneOfEverything(app, tenant, 'sibling')
    return { accountId, domainId: added.domain.id, domain: added.domain.name, names }
  }

  /** Creates a key of a kind, in the domain of `home`. */
  function newKey(kind: KeyKind, home: Home, wanted: Partial<NewKey> = {}) {
    const domainId = kind === 'sending' || kind === 'smtp' ? home.domainId : null
    const fields = { accountId: home.accountId, name: kind, rate: RATE, kind, domainId }
    return createKey({ store: app.store, clock: systemClock }, { ...fields, grants: [], ...wanted })
  }
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const basic = (username: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  })

  const usualScopes = (kind: KeyKind): readonly Scope[] =>
    kind === 'management' ? USUAL_MANAGEMENT_SCOPES : USUAL_SCOPES[kind]

  async function callerOf(
    name: string,
    kind: KeyKind,
    wanted: Partial<NewKey> = {},
    home = own,
  ): Promise<Caller> {
    const scopes = wanted.scopes ?? usualScopes(kind)
    const { secret } = await newKey(kind, home, kind === 'management' ? { scopes, ...wanted } : wanted)
    return { name, kind, scopes, home, headers: bearer(secret) }
  }

  /** Returns callers without a key, with a key of each kind, and with keys of another domain. */
  async function usualCallers(): Promise<Caller[]> {
    const none = { kind: 'management', scopes: [], home: own, refused: UNKNOWN } as const
    const smtp = await newKey('smtp', own)
    const narrow = { domainIds: [own.domainId] }
    const other = { domainIds: [sibling.domainId] }
    return [
      { ...none, name: 'no key', headers: {} },
      { ...none, name: 'an unknown key', headers: bearer(`manage_${'x'.repeat(43)}`) },
      { ...none, name: 'the ID of a key', headers: bearer(own.names.key_id ?? '') },
      { ...none, name: 'an SMTP password', headers: bearer(smtp.secret) },
      {
        ...{ name: 'an SMTP credential', kind: 'smtp', scopes: [], home: own, basic: true },
        headers: basic(smtp.key.id, smtp.secret),
      },
      { ...(await callerOf('a Sending key', 'sending')), elsewhere: sibling.names },
      await callerOf('a Verification key', 'verification'),
      { ...(await callerOf('a management key', 'management')), several: true },
      { ...(await callerOf('a key of one domain', 'management', narrow)), elsewhere: sibling.names },
      { ...(await callerOf('another Sending key', 'sending', {}, sibling)), elsewhere: own.names },
      { ...(await callerOf('a key of another domain', 'management', other, sibling)), elsewhere: own.names },
    ]
  }

  /** Returns a key for each scope that a kind may have. */
  async function singleScopes(): Promise<Caller[]> {
    const found: Caller[] = []
    for (const kind of ['sending', 'verification', 'management'] as const) {
      for (const scope of ALL_SCOPES.filter((one) => kindMayHave(kind, one))) {
        const caller = await callerOf(`a ${kind} key with ${scope}`, kind, { scopes: [scope] })
        found.push({ ...caller, several: kind === 'management' })
      }
    }
    return found
  }

  /** Returns a key for each scope that has all other scopes. */
  async function allButOne(): Promise<Caller[]> {
    const found: Caller[] = []
    for (const kind of ['sending', 'verification', 'management'] as const) {
      for (const only of ALL_SCOPES.filter((one) => kindMayHave(kind, one))) {
        const scopes = usualScopes(kind).filter((scope) => scope !== only)
        found.push({ ...(await callerOf(`a ${kind} key without ${only}`, kind, { scopes })), only })
      }
    }
    return found
  }

  /** Returns keys that are expired, revoked, rotated, or used from another network. */
  async function invalid(): Promise<Caller[]> {
    const found: Caller[] = []
    const resources = { store: app.store, clock: systemClock }
    for (const kind of ['sending', 'verification', 'management', 'smtp'] as const) {
      const scopes = usualScopes(kind)
      const wanted = kind === 'management' ? { scopes } : {}
      const [networks, expired, revoked, rotated] = await Promise.all([
        newKey(kind, own, { ...wanted, networks: ELSEWHERE }),
        ...[1, 2, 3].map(() => newKey(kind, own, wanted)),
      ] as const)
      const now = Date.now()
      const of = ({ id }: { readonly id: string }) => ({ accountId: own.accountId, id, now })
      await app.store.write(changeKey, { ...of(expired!.key), changes: { expires_at: now } })
      await app.store.write(revokeKey, of(revoked!.key))
      await rotateKey(resources, rotated!.key, 1)
      for (const [name, { key, secret }, refused] of [
        ['of another network', networks!, WRONG_NETWORK],
        ['that is expired', expired!, UNKNOWN],
        ['that is revoked', revoked!, UNKNOWN],
        ['that was rotated', rotated!, UNKNOWN],
      ] as const) {
        const isSmtp = kind === 'smtp'
        const headers = isSmtp ? basic(key.id, secret) : bearer(secret)
        found.push({
          name: `a ${kind} key ${name}`,
          kind,
          scopes,
          home: own,
          headers,
          refused,
          basic: isSmtp,
        })
      }
    }
    return found
  }

  /** Returns keys of an account that is suspended. */
  const suspended = (): Promise<Caller[]> =>
    Promise.all(
      (['sending', 'verification', 'management'] as const).map((kind) =>
        callerOf(`a ${kind} key of a suspended account`, kind, {}, idle),
      ),
    )

  const ask = (
    { headers, home }: Pick<Caller, 'headers' | 'home'>,
    route: Route,
    names: Everything,
    domain?: string,
  ): Promise<Answer> => {
    const query = domain === undefined ? '' : `?domain=${encodeURIComponent(domain)}`
    return app.callWith(route.method, addressOf(route, names) + query, bodyOf(route, home), headers)
  }
  const addressOf = ({ url }: Route, names: Everything): string =>
    new URL(pathOf(url, names), url.startsWith('/v1/operator') ? app.app.adminUrl : app.app.url).href

  /** Cells with a wrong response, and the number of all cells. */
  interface Result {
    cells: number
    readonly wrong: string[]
  }
  const nothingYet = (): Result => ({ cells: 0, wrong: [] })
  function report(t: TestContext, { cells, wrong }: Result, least: number): void {
    t.diagnostic(`${cells} cells`)
    assert.deepEqual(wrong, [])
    assert.ok(cells >= least, `${cells} cells`)
  }

  /** Compares the responses of one caller to requests that differ in their objects. */
  function judge(
    result: Result,
    what: string,
    expected: string,
    answers: readonly (readonly [label: string, answer: Answer, names: Everything])[],
  ): void {
    const [first] = answers
    for (const [label, answer, names] of answers) {
      result.cells++
      const cell = `${what}, ${label} object`
      if (codeOf(answer) !== expected)
        result.wrong.push(`${cell}: ${codeOf(answer)} instead of ${expected}: ${answer.body?.detail}`)
      else if (first && told(answer, names) !== told(first[1], first[2]))
        result.wrong.push(`${cell}: ${told(answer, names)} differs from ${told(first[1], first[2])}`)
    }
  }

  /** Calls a route with a credential that may not call the route, on the given objects. */
  async function tryRefused(
    result: Result,
    caller: Caller,
    route: Route,
    expected: Refusal,
    onlyOwn: boolean,
  ) {
    const objects = [
      ['own', caller.home.names],
      ...(onlyOwn || !namesObject(route)
        ? []
        : ([
            ['foreign', victim.names],
            ['absent', absent],
          ] as const)),
    ] as const
    const answers = await Promise.all(
      objects.map(async ([label, names]) => [label, await ask(caller, route, names), names] as const),
    )
    judge(result, `${nameOf(route)} with ${caller.name}`, expected, answers)
  }

  /** Calls a route with a credential that may call the route, on foreign and absent objects and domains. */
  async function tryForeign(result: Result, caller: Caller, route: Route): Promise<void> {
    const { home, elsewhere, several } = caller
    const what = `${nameOf(route)} with ${caller.name}`
    if (namesObject(route)) {
      const [, parameter = ''] = /:(\w+)/.exec(route.url) ?? []
      const isTold = route.method === 'GET' && tellsDomain(namedIn(route.url, parameter, victim.names))
      const domain = several && route.domains && !isTold ? home.domainId : undefined
      const tried = async (label: string, names: Everything) =>
        [label, await ask(caller, route, names, domain), names] as const
      const theirs = await tried('foreign', victim.names)
      const isSuspended = home === idle && route.scope.startsWith('verifications:')
      const expected = isSuspended ? SUSPENDED : NOT_FOUND
      judge(result, what, expected, [theirs, await tried('absent', absent)])
      if (elsewhere === undefined || !isOfDomain(route)) return
      const ofOther = await tried('of another domain', elsewhere)
      if (route.url.includes('/:domain')) judge(result, what, OTHER_DOMAIN, [ofOther])
      else judge(result, what, NOT_FOUND, [theirs, ofOther])
    } else if (route.domains !== undefined) {
      const tried = async (label: string, names: Everything) =>
        [label, await ask(caller, route, {}, names.domain_id), names] as const
      judge(result, `${what} ?domain`, NOT_FOUND, [
        await tried('foreign', victim.names),
        await tried('absent', absent),
      ])
      if (elsewhere !== undefined)
        judge(result, `${what} ?domain`, OTHER_DOMAIN, [await tried('of another domain', elsewhere)])
    }
  }

  /** Returns all rows of the four domains, without the log of requests. */
  async function everyRow(): Promise<object> {
    await settled(app.store)
    const rows: Record<string, unknown> = {}
    for (const { accountId } of [own, victim, idle]) {
      const found = new Map(await everyRowOf(app.store, accountId))
      found.delete('request_log')
      rows[accountId] = Object.fromEntries(found)
    }
    return rows
  }

  /** Runs requests that must be refused, and checks that they change nothing. */
  async function changingNothing(work: () => Promise<void>): Promise<void> {
    const kept = await everyRow()
    await work()
    assert.deepEqual(await everyRow(), kept)
  }

  test('refuses each condition of a key at each route, on existing objects', async (t) => {
    const result = nothingYet()
    const some = callers.filter(({ name }) => !name.includes(' with '))
    await changingNothing(async () => {
      for (const caller of some) {
        for (const route of OF_KEYS) {
          if (caller.only !== undefined && caller.only !== route.scope) continue
          const expected = refusalOf(caller, route)
          if (expected !== undefined) await tryRefused(result, caller, route, expected, true)
        }
      }
    })
    report(t, result, 500)
  })

  test(
    'refuses every key at every route and every object',
    thorough('20 CPU s: 15,000 requests; the test above covers existing objects'),
    async (t) => {
      const result = nothingYet()
      await changingNothing(async () => {
        for (const caller of callers) {
          for (const route of OF_KEYS) {
            if (caller.only !== undefined && caller.only !== route.scope) continue
            const expected = refusalOf(caller, route)
            if (expected !== undefined) await tryRefused(result, caller, route, expected, false)
            else await tryForeign(result, caller, route)
          }
        }
      })
      report(t, result, 5_000)
    },
  )

  test(
    'permits each endpoint to a key with only its scope',
    thorough('1 CPU s: changes and removes objects of every kind; the tests of the endpoints use wider keys'),
    async (t) => {
      const result = nothingYet()
      const last = (method: Route['method']): number =>
        ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method)
      const all = [...routes(nothing)].sort((a, b) => last(a.method) - last(b.method))
      for (const route of all) {
        const { scope, method, domains } = route
        if (scope === 'any-credential' || isOfOperator(scope)) continue
        const caller = callers.find(({ name }) => name === `a management key with ${scope}`)
        assert.ok(caller)
        const answer = await ask(caller, route, own.names, domains && own.domainId)
        const { required } = (route.schema.querystring ?? {}) as { readonly required?: readonly string[] }
        result.cells++
        const isWrong =
          method === 'GET' && required === undefined
            ? answer.status >= 300
            : answer.status === 401 || answer.status >= 500 || /permitted/.test(answer.body?.code)
        if (isWrong) result.wrong.push(`${nameOf(route)}: ${codeOf(answer)} ${answer.body?.detail}`)
      }
      report(t, result, 60)
    },
  )
})
