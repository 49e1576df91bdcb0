// Both doors of the service, generated from the routes: the response of each endpoint to a key and to a user is the same
// but for IDs, times and secrets, and the entries of the audit log differ in the actor alone. One node gets every request
// from a key, and another node with the same data gets the same requests from a user.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ALL_SCOPES, isOfOperator } from '../../src/access/scopes.ts'
import type { Schema } from '../../src/api/reference/document.ts'
import { exampleOf, SAMPLE_DOMAIN } from '../../src/api/reference/example.ts'
import type { Route } from '../../src/api/route.ts'
import { routes } from '../../src/api/routes.ts'
import { findOperatingAccount } from '../../src/store/access/accounts.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey, mountedName, USUAL_MANAGEMENT_SCOPES } from '../support/keys.ts'
import { type Everything, namedIn, OWNERS_PASSWORD, oneOfEverything } from '../support/one-of-everything.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'
import { addUser } from '../support/users.ts'

const DOMAIN = 'own.test'

/** Endpoints whose responses differ, each with the reason; their entries of the audit log are compared. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['GET /v1/requests', 'the log contains the requests of keys, and users make none'],
  ['GET /v1/audit', 'the log contains the login of the user; the entries are compared one by one'],
  ['GET /v1/events/stream', 'the response does not end'],
])

/** Endpoints that users call as well; a user has no key that GET /v1/key could show. */
const SHARED: readonly Route[] = routes({} as never).filter(({ scope }) => scope !== 'any-credential')

const nameOf = ({ method, url }: Pick<Route, 'method' | 'url'>): string => `${method} ${url}`

/** A caller of one of the doors, and the names of the objects of the caller. */
interface Caller {
  readonly app: TestApp
  readonly names: Everything
  call(route: Route, path: string, body: object | undefined): Promise<Answer>
}

describe('both doors', () => {
  const apps: TestApp[] = []
  let key: Caller
  let user: Caller
  before(async () => {
    key = await byKey()
    user = await byUser()
  })
  after(() => Promise.all(apps.map((app) => app.stop())))

  /** Starts a node with an account that has an object of every kind, and keys and users with all rights. */
  async function world() {
    const app = await TestApp.start({
      env: {
        ...{ POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_SENDING_RATE: '100000/s' },
        ...{ POSTRIDER_VERIFICATION_RATE: '100000/s', POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8' },
      },
    })
    apps.push(app)
    const tenant = await createTenant(app.store, { domain: DOMAIN })
    const names = await oneOfEverything(app, tenant, 'own')
    const { id: accountId } = tenant.account
    const colleague = { email: 'colleague@own.test', password: OWNERS_PASSWORD, name: 'Colleague' }
    const { id: user_id } = await addUser(app.store, {
      ...colleague,
      account_id: accountId,
      role: 'developer',
    })
    const wide = await managementKey(app, { accountId, scopes: USUAL_MANAGEMENT_SCOPES })
    // A key gives its rate to the keys of other accounts, and a user has none.
    const operating = await managementKey(app, { scopes: ALL_SCOPES, rate: null })
    // Both nodes have processed the same events, in the same order.
    await settled(app.store)
    const all: Everything = { ...names, user_id }
    return { app, names: all, wide, operating }
  }

  let asked = 0
  /** Each request comes from another network, so that the limit of a network is not reached. */
  const network = () => ({ 'x-forwarded-for': `10.0.${(++asked >> 8) & 255}.${asked & 255}` })

  async function byKey(): Promise<Caller> {
    const { app, names, wide, operating } = await world()
    return {
      ...{ app, names },
      call({ method, scope, domains }, path, body) {
        const query = domains === undefined ? '' : `${path.includes('?') ? '&' : '?'}domain=${DOMAIN}`
        const isOperator = scope !== 'any-credential' && isOfOperator(scope)
        const authorization = `Bearer ${isOperator ? operating : wide}`
        return app.callWith(method, path + query, body, { authorization, ...network() })
      },
    }
  }

  async function byUser(): Promise<Caller> {
    const { app, names } = await world()
    const owner = await Person.loggedIn(app, { email: `own@${DOMAIN}`, password: OWNERS_PASSWORD })
    const operator = await Person.loggedIn(app)
    return {
      ...{ app, names },
      async call(route, path, body) {
        const { method, scope } = route
        const place = mountedName(nameOf(route)).split(' ')[1] ?? ''
        const [, begin = ''] = /^([^:]*)/.exec(route.url) ?? []
        const prefix = place.slice(0, place.length - route.url.length + '/v1'.length)
        const mounted = path.replace('/v1', prefix.replace(':domain_id', names.domain_id ?? ''))
        assert.ok(path.startsWith(begin))
        const person = scope !== 'any-credential' && isOfOperator(scope) ? operator : owner
        for (;;) {
          const answer = await person.call(method, mounted, body, network())
          if (answer.status !== 429) return answer
          await new Promise(setImmediate)
        }
      },
    }
  }

  /** Returns the path of a request with the names of objects, and with examples of the required query parameters. */
  function pathOf({ url, schema }: Route, names: Everything): string {
    const path = url.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(namedIn(url, name, names)))
    const { properties = {}, required = [] } = (schema.querystring ?? {}) as {
      readonly properties?: Readonly<Record<string, Schema>>
      readonly required?: readonly string[]
    }
    const query = new URLSearchParams(
      required.map((name) => [name, String(exampleOf(properties[name] ?? {}, name))]),
    )
    return query.size === 0 ? path : `${path}?${query}`
  }

  function bodyOf({ schema }: Route): object | undefined {
    if (schema.body === undefined) return undefined
    return JSON.parse(JSON.stringify(exampleOf(schema.body as Schema)).replaceAll(SAMPLE_DOMAIN, DOMAIN))
  }

  test('answer each endpoint alike', async (t) => {
    const last = (method: Route['method']): number =>
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method)
    const differing: string[] = []
    let accepted = 0
    for (const route of SHARED.toSorted((a, b) => last(a.method) - last(b.method))) {
      const name = nameOf(route)
      const [first, second] = await Promise.all(
        [key, user].map((caller) => caller.call(route, pathOf(route, caller.names), bodyOf(route))),
      )
      if (first === undefined || second === undefined) continue
      if (first.status < 300) accepted++
      if (EXCEPTIONS.has(name)) continue
      differing.push(...differences(name, told(route, first), told(route, second)))
    }
    t.diagnostic(`${SHARED.length} endpoints, ${accepted} with success`)
    assert.deepEqual(differing, [])
    for (const name of EXCEPTIONS.keys())
      assert.ok(
        SHARED.some((route) => nameOf(route) === name),
        name,
      )
    assert.ok(accepted > 0.7 * SHARED.length, `${accepted} of ${SHARED.length}`)
  })

  test('write the same entries of the audit log, by another actor', async () => {
    const entries = async ({ app }: Caller) => {
      const operating = await findOperatingAccount(app.store.read)
      const rows = await app.store.read.selectFrom('audit_log').selectAll().orderBy('id').execute()
      return rows.map(({ account_id, actor, user_id, action, target, detail }) => ({
        account: account_id === operating?.id ? 'operating' : 'own',
        action,
        by: user_id === null ? (/^key /.test(actor) ? 'key' : actor) : 'user',
        entry: plain({ action, target, detail: JSON.parse(detail) }),
      }))
    }
    const ofPeople = new Set(SHARED.flatMap(({ auditOf, audit }) => (auditOf === 'people' ? [audit] : [])))
    const made = async (caller: Caller, by: string) =>
      (await entries(caller))
        .filter((one) => one.by === by && !ofPeople.has(one.action) && one.action !== 'session.open')
        .map(({ account, entry }) => [account, entry])
    const byKey = await made(key, 'key')
    // The users of both nodes have prepared the objects before.
    const prepared = (await made(key, 'user')).length
    const byUser = (await made(user, 'user')).slice(prepared)
    assert.ok(byKey.length > 30, `${byKey.length} entries`)
    assert.deepEqual(byKey, byUser)
  })
})

/** Returns the lines in which two values differ; none for equal values. */
function differences(name: string, one: unknown, other: unknown): string[] {
  const [first, second] = [one, other].map((value) => JSON.stringify(value, null, 1).split('\n'))
  const lines = (first ?? []).flatMap((line, index) =>
    line === second?.[index] ? [] : [`${name}: key ${line.trim()} user ${second?.[index]?.trim()}`],
  )
  return first?.length === second?.length ? lines : [...lines.slice(0, 3), `${name}: other number of lines`]
}

/**
 * Returns the parts of a response that both doors share, without the values that differ between two requests. Every
 * response to a user that may be kept has an ETag, by which the page asks for it again.
 */
function told({ versioned }: Route, { status, headers, body }: Answer): unknown {
  const shared = ['content-type', 'content-disposition', 'location'].map((name) => headers.get(name))
  return plain({ status, shared, hasVersion: versioned !== undefined && headers.has('etag'), body })
}

/**
 * Fields whose values differ, because they name the caller, the request, a secret, the last use of the calling key, or
 * work that continues after the response.
 */
const OF_CALLER: ReadonlySet<string> = new Set([
  ...[
    'last4',
    'current',
    'request_id',
    'created_by',
    'saved_by',
    'actor',
    'user_id',
    'by',
    'key_id',
    'address',
    'name_of_key',
  ],
  ...['last_used_at', 'last_used_from', 'last_seen_at', 'replaying'],
])
/** Fields with which a management key sees the domain of an object. */
const OF_DOMAIN: ReadonlySet<string> = new Set(['domain', 'domain_id'])

/** Shapes of the values that differ between two requests, and what replaces them. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z]{2,4})_[0-9A-Z]{26}\b/g, '$1_*'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/\b\w{3}, \d\d? \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME'],
  [/^DKIM-Signature:.*?\r\n(?=\S)/gims, 'DKIM'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  // Keys, signatures and hashes in base62, base64 or base64url.
  [/[\w+/-]{20,}={0,2}/g, 'SECRET'],
]

/** Returns a value without the values that differ between two requests: IDs, times, secrets, and the caller. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'string')
    return SHAPES.reduce((text, [shape, mark]) => text.replaceAll(shape, mark), value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      OF_CALLER.has(name) || OF_DOMAIN.has(name) || /(_m|M)s$/.test(name) ? [] : [[name, plain(one)]],
    ),
  )
}
