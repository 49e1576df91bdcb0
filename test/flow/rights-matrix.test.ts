// The matrix of rights, generated from the declarations of the routes: every route of both doors with every condition of
// a credential or a role, on the caller's own objects, on objects of others, and on objects that do not exist. Each
// refusal has the status and the code of the contract, tells nothing, and changes nothing.

import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { rotateKey } from '../../src/access/keys.ts'
import { isOfOperator, kindMayHave } from '../../src/access/scopes.ts'
import type { DashboardRoute } from '../../src/api/dashboard/route.ts'
import { dashboardRoutes, mountedOperatorRoutes, mountedRoutes } from '../../src/api/dashboard/routes.ts'
import type { DashboardServices } from '../../src/api/dashboard/services.ts'
import type { Schema } from '../../src/api/reference/document.ts'
import { exampleOf, SAMPLE_DOMAIN } from '../../src/api/reference/example.ts'
import type { Route } from '../../src/api/route.ts'
import { operatorRoutes, routes, type Services } from '../../src/api/routes.ts'
import { addDomain } from '../../src/domains/domains.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { ROLES, type Role, roleCovers } from '../../src/model/role.ts'
import { listAccounts, setAccountStatus } from '../../src/store/access/accounts.ts'
import { changeKey, revokeKey } from '../../src/store/access/keys.ts'
import { tellsDomain } from '../../src/store/search/domain-of-object.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { sampleReport } from '../support/dmarc-reports.ts'
import {
  endedKeys,
  type Home,
  type KeyCaller,
  keyConditions,
  newKeyAt,
  OTHER_NETWORKS,
  type Refusal,
  UNKNOWN,
} from '../support/key-conditions.ts'
import {
  type Everything,
  namedIn,
  OWNERS_PASSWORD,
  oneOfEverything,
  rowsBesidesRefusals,
} from '../support/one-of-everything.ts'
import { Person } from '../support/person.ts'
import { plainToken, RawSmtpClient } from '../support/raw-smtp-client.ts'
import { settled, usualDatabase } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'
import { sleep, until } from '../support/test-clock.ts'
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

const NOT_FOUND: Refusal = '404 not_found'
const SUSPENDED: Refusal = '403 account_suspended'
const OTHER_DOMAIN: Refusal = '403 domain_not_permitted'

/** Endpoints for keys of every domain of the account. */
const OF_EVERY_DOMAIN = /^\/v1\/account-(?:suppressions|webhooks)/

/** Endpoints whose example in the documentation needs a second scope. */
const NEEDS_MORE = new Set(['PATCH /v1/webhooks/:webhook_id'])

/** Endpoints of users where an address is nobody’s object: the response contains the caller’s own data. */
const OF_NOBODY = new Set(['GET /api/addresses/:email', 'GET /api/addresses/:email/messages'])

/** Media type and body of the endpoints that take no JSON, by path, at the domain of the suspended account. */
const CONTENT: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/v1/messages/raw': ['message/rfc822', 'From: a@idle.test\r\nTo: b@example.net\r\nSubject: S\r\n\r\nT\r\n'],
  '/v1/reports': ['application/xml', sampleReport('idle.test', 'idle')],
  '/v1/bulk': [
    'application/x-ndjson',
    '{"from":"a@idle.test","subject":"S","text":"T"}\n{"to":"b@example.net"}\n',
  ],
}

/** Returns the refusal of all requests of a caller to a route; undefined if the caller may call the route. */
function refusalOf(
  { kind, scopes, refused, basic, elsewhere, operates }: KeyCaller,
  { scope, url }: Route,
): Refusal | undefined {
  if (basic && scope !== 'any-credential') return UNKNOWN
  if (refused !== undefined || scope === 'any-credential') return refused
  if (!kindMayHave(kind, scope)) return '403 key_kind_not_permitted'
  if (!scopes.includes(scope) || (isOfOperator(scope) && !operates)) return '403 scope_not_permitted'
  return elsewhere !== undefined && OF_EVERY_DOMAIN.test(url) ? OTHER_DOMAIN : undefined
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

/** Query parameters of a route by name. */
const queryOf = ({ schema }: Route) =>
  (schema.querystring ?? {}) as {
    readonly properties?: Readonly<Record<string, Schema>>
    readonly required?: readonly string[]
  }

/** True if a request may name its domain in `?domain=`; an operator names the domain of recipients. */
const takesDomain = (route: Route): boolean =>
  (!route.url.startsWith('/v1/operator') && queryOf(route).properties?.domain !== undefined) ||
  route.domains !== undefined

/** Returns the example of the body from its schema, at the given domain. */
function bodyOf(
  { schema }: { readonly schema: { readonly body?: unknown } },
  { domain }: Home,
): object | undefined {
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
  let callers: readonly KeyCaller[]

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
    callers = await keyConditions({ app, own, sibling, idle })
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

  const ask = (
    { headers, home }: Pick<KeyCaller, 'headers' | 'home'>,
    route: Route,
    names: Everything,
    domain?: string,
  ): Promise<Answer> =>
    app.callWith(route.method, addressOf(route, names, domain), bodyOf(route, home), headers)

  /** Returns the URL of a request, with examples of the required query parameters. */
  function addressOf(route: Route, names: Everything, domain?: string): string {
    const { properties = {}, required = [] } = queryOf(route)
    const base = route.url.startsWith('/v1/operator') ? app.app.adminUrl : app.app.url
    const url = new URL(pathOf(route.url, names), base)
    for (const name of required) url.searchParams.set(name, String(exampleOf(properties[name] ?? {}, name)))
    if (domain !== undefined) url.searchParams.set('domain', domain)
    return url.href
  }

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
    caller: KeyCaller,
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
    const [[, first] = []] = answers
    if (first?.body.code === 'scope_not_permitted') assert.match(first.body.detail, scopeNamed(route))
  }
  const scopeNamed = ({ scope }: Route): RegExp =>
    new RegExp(`^This needs (?:a key or an owner of the operating account with )?the scope ${scope}\\.`)

  /** Calls a route with a credential that may call the route, on foreign and absent objects and domains. */
  async function tryForeign(result: Result, caller: KeyCaller, route: Route): Promise<void> {
    const { home, elsewhere, several } = caller
    const what = `${nameOf(route)} with ${caller.name}`
    if (namesObject(route)) {
      const [, parameter = ''] = /:(\w+)/.exec(route.url) ?? []
      const isTold = route.method === 'GET' && tellsDomain(namedIn(route.url, parameter, victim.names))
      const domain = several && route.domains && !isTold ? home.domainId : undefined
      const tried = async (label: string, names: Everything) =>
        [label, await ask(caller, route, names, domain), names] as const
      // An operator sees all accounts.
      const theirs = await tried('foreign', caller.operates ? absent : victim.names)
      const isSuspended = home === idle && route.scope.startsWith('verifications:')
      const expected = isSuspended ? SUSPENDED : NOT_FOUND
      judge(result, what, expected, [theirs, await tried('absent', absent)])
      if (elsewhere === undefined || !isOfDomain(route)) return
      const ofOther = await tried('of another domain', elsewhere)
      if (route.url.includes('/:domain')) judge(result, what, OTHER_DOMAIN, [ofOther])
      else judge(result, what, NOT_FOUND, [theirs, ofOther])
    } else if (takesDomain(route)) {
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

  /** Returns all rows of all accounts by table, without the request log and empty tables. */
  async function everyRow(): Promise<object> {
    await settled(app.store)
    const found: [string, readonly string[]][] = []
    for (const { id, name } of await listAccounts(app.store.read))
      for (const [table, rows] of await rowsBesidesRefusals(app.store, id))
        found.push([`${name}: ${table}`, rows])
    return Object.fromEntries(found)
  }

  /** Runs requests that must be refused, and checks that they change nothing. */
  async function changingNothing(work: () => Promise<void>): Promise<void> {
    const kept = await everyRow()
    await work()
    assert.deepEqual(await everyRow(), kept)
  }

  test('refuses a key of each kind, and a key without the scope, at each route', async (t) => {
    const result = nothingYet()
    const conditions =
      /^(?:no key|a (?:Sending|Verification|sending|management) key(?: of another network)?)$/
    const some = callers.filter(({ name, kind, only }) =>
      only === undefined ? conditions.test(name) : kind === 'management',
    )
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
    thorough('12 CPU s: 25,000 requests; the test above covers own objects'),
    async (t) => {
      const result = nothingYet()
      // A refusal precedes every statement about an object, so refusals are the same on both databases.
      const onPostgres = usualDatabase() === 'postgres'
      await changingNothing(async () => {
        for (const caller of callers) {
          for (const route of OF_KEYS) {
            if (caller.only !== undefined && caller.only !== route.scope) continue
            const expected = refusalOf(caller, route)
            if (expected === undefined) await tryForeign(result, caller, route)
            else if (!onPostgres) await tryRefused(result, caller, route, expected, false)
          }
        }
      })
      report(t, result, onPostgres ? 1_000 : 5_000)
    },
  )

  test('refuses to send and to verify for a suspended account', async (t) => {
    const result = nothingYet()
    const costs = OF_KEYS.filter(
      (route) => /^(?:messages:send|verifications:check)$/.test(route.scope) && !namesObject(route),
    )
    await changingNothing(async () => {
      for (const caller of callers.filter(({ home }) => home === idle)) {
        for (const route of costs.filter((one) => refusalOf(caller, one) === undefined)) {
          const [type, body] = CONTENT[route.url] ?? ['application/json', bodyOf(route, idle)]
          const headers = { ...caller.headers, 'content-type': type }
          const answer = await app.callWith(route.method, addressOf(route, idle.names), body, headers)
          // The response of a batch has a problem for each message.
          const { error: problem = answer.body } = answer.body.data?.[0] ?? {}
          const refused = { ...answer, status: problem.status, body: problem }
          judge(result, `${nameOf(route)} with ${caller.name}`, SUSPENDED, [['own', refused, idle.names]])
        }
      }
    })
    report(t, result, 10)
  })

  /** A user who is logged in. */
  interface Actor {
    readonly name: string
    readonly home: Home
    readonly person: Person
    readonly may: (role: DashboardRoute['role']) => boolean
  }

  /** Returns users: nobody, each role of an account, the owner of a suspended account, and an operator. */
  async function actors(): Promise<Actor[]> {
    const login = (email: string) => Person.loggedIn(app, { email, password: OWNERS_PASSWORD })
    const covers = (role: Role) => (wanted: DashboardRoute['role']) =>
      wanted !== 'operator' && wanted !== 'nobody' && roleCovers(role, wanted)
    const ofRoles = ROLES.map(async (role): Promise<Actor> => {
      const user = { email: `${role}@own.test`, password: OWNERS_PASSWORD }
      await addUser(app.store, { ...user, account_id: own.accountId, name: null, role })
      return { name: role, home: own, person: await login(user.email), may: covers(role) }
    })
    const operator = await Person.loggedIn(app)
    const suspended = await login('idle@idle.test')
    return [
      { name: 'nobody', home: own, person: new Person(app), may: () => false },
      { name: 'operator', home: own, person: operator, may: (wanted) => wanted === 'operator' },
      { name: 'the owner of a suspended account', home: idle, person: suspended, may: covers('owner') },
      ...(await Promise.all(ofRoles)),
    ]
  }

  let asked = 0
  /** Calls a route as a user. Repeats the request while the rate limit of the user refuses the request. */
  async function askAs({ person, home }: Actor, route: DashboardRoute, names: Everything): Promise<Answer> {
    for (;;) {
      asked++
      const network = { 'x-forwarded-for': `10.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}` }
      const answer = await person.call(route.method, pathOf(route.url, names), bodyOf(route, home), network)
      if (answer.status !== 429 || !answer.body['violated-policies']?.includes('user')) return answer
      await sleep(200, 'the limit of a user gets tokens')
    }
  }

  /** Calls a route as a user whose role does not permit the route, on each object. */
  async function tryRoleRefused(result: Result, actor: Actor, route: DashboardRoute): Promise<void> {
    const expected = actor.name === 'nobody' ? UNKNOWN : '403 role_not_permitted'
    const objects = {
      own: actor.home.names,
      ...(namesObject(route) ? { foreign: victim.names, absent } : {}),
    }
    const answers: [string, Answer, Everything][] = []
    for (const [label, names] of Object.entries(objects))
      answers.push([label, await askAs(actor, route, names), names])
    judge(result, `${nameOf(route)} as ${actor.name}`, expected, answers)
  }

  /** Calls a route as a user whose role permits the route, on foreign and absent objects. */
  async function tryForeignAs(result: Result, actor: Actor, route: DashboardRoute): Promise<void> {
    const { name, home } = actor
    const what = `${nameOf(route)} as ${name}`
    const tried = async (label: string, names: Everything) =>
      [label, await askAs(actor, route, names), names] as const
    const isSuspended = home === idle && route.url.startsWith('/api/verification/')
    const notFound = isSuspended ? SUSPENDED : NOT_FOUND
    // An operator sees all accounts.
    const theirs = name === 'operator' ? [] : [await tried('foreign', victim.names)]
    judge(result, what, OF_NOBODY.has(nameOf(route)) ? '200' : notFound, [
      await tried('absent', absent),
      ...theirs,
    ])
    if (!/:domain_id\/.*:/.test(route.url)) return
    const mine = { domain_id: home.domainId }
    judge(result, `${what} in the own domain`, NOT_FOUND, [
      await tried('absent', { ...absent, ...mine }),
      await tried('foreign', { ...victim.names, ...mine }),
      await tried('of another domain', { ...sibling.names, ...mine }),
    ])
  }

  test('refuses users below the role of each route, and shows each role no foreign object', async (t) => {
    const result = nothingYet()
    const all = await actors()
    await changingNothing(async () => {
      for (const route of OF_PEOPLE.filter(({ role }) => role !== 'nobody')) {
        for (const actor of all) {
          if (actor.name === 'operator' && route.role !== 'operator') continue
          if (!actor.may(route.role)) await tryRoleRefused(result, actor, route)
          else if (namesObject(route)) await tryForeignAs(result, actor, route)
        }
      }
    })
    report(t, result, 1_000)
  })

  /** Opens a connection to the submission port with TLS. */
  async function connected(): Promise<RawSmtpClient> {
    const client = await RawSmtpClient.connect(app.app.smtpPort ?? 0)
    await client.reply()
    await client.ask('EHLO client.test')
    assert.match(await client.ask('STARTTLS'), /^220 /)
    await client.upgrade()
    await client.ask('EHLO client.test')
    return client
  }
  type Login = Parameters<typeof plainToken>[0]
  async function loginReply(login: Login): Promise<string> {
    const client = await connected()
    const reply = await client.ask(`AUTH PLAIN ${plainToken(login)}`)
    client.vanish()
    return reply
  }
  const loginOf = ({ key, secret }: Awaited<ReturnType<typeof newKeyAt>>): Login => ({
    username: key.id,
    password: secret,
  })

  test('refuses each condition of a credential by SMTP, at AUTH or at MAIL', async (t) => {
    let cells = 0
    const good = await newKeyAt(app, 'smtp', own)
    const theirs = await newKeyAt(app, 'smtp', victim)
    const known = loginOf(good)
    const wrong = [
      { ...known, password: 'x'.repeat(43) },
      { ...known, password: theirs.secret },
      { ...known, username: theirs.key.id },
      { username: absentName(theirs.key.id), password: theirs.secret },
      { username: own.names.username ?? '', password: own.names.username ?? '' },
    ]
    for (const kind of ['sending', 'verification', 'management'] as const)
      wrong.push(loginOf(await newKeyAt(app, kind, own)))
    const { expired, revoked, rotated, present } = await endedKeys(app, 'smtp', own)
    wrong.push(...[expired, revoked, rotated].map(loginOf))
    const replies = new Set<string>()
    for (const login of wrong) replies.add(await loginReply(login))
    cells += wrong.length
    assert.deepEqual(
      [...replies],
      ['535 5.7.8 The user name or the password is wrong, or the credential was revoked'],
    )
    const elsewhere = await newKeyAt(app, 'smtp', own, { networks: OTHER_NETWORKS })
    assert.match(
      await loginReply(loginOf(elsewhere)),
      /^535 5\.7\.8 This credential may not be used from 127/,
    )
    const idler = await newKeyAt(app, 'smtp', idle)
    const senders: [Login | undefined, string, RegExp][] = [
      [undefined, own.domain, /^530 5\.7\.0 /],
      [known, own.domain, /^250 /],
      [{ username: rotated.key.id, password: present }, own.domain, /^250 /],
      ...[victim.domain, sibling.domain, 'absent.test'].map((domain): [Login, string, RegExp] => [
        known,
        domain,
        /^550 5\.7\.1 This credential sends from own\.test/,
      ]),
      [loginOf(idler), idle.domain, /^550 5\.7\.1 This account is suspended/],
    ]
    for (const [login, domain, expected] of senders) {
      const client = await connected()
      if (login) assert.match(await client.ask(`AUTH PLAIN ${plainToken(login)}`), /^235 /)
      assert.match(await client.ask(`MAIL FROM:<a@${domain}>`), expected)
      client.vanish()
    }
    cells += senders.length + 1
    t.diagnostic(`${cells} cells`)
  })

  test('refuses at MAIL an SMTP login whose credential has changed since AUTH', async () => {
    const { accountId } = victim
    type Made = Awaited<ReturnType<typeof newKeyAt>>
    type Changes = Parameters<typeof changeKey>[1][number]['changes']
    const changed =
      (changes: (now: number) => Changes) =>
      ({ key: { id } }: Made, now: number): Promise<unknown> =>
        app.store.write(changeKey, { accountId, id, now, changes: changes(now) })
    const changes: readonly [string, (made: Made, now: number) => Promise<unknown>, RegExp][] = [
      ['revoked', ({ key: { id } }, now) => app.store.write(revokeKey, { accountId, id, now }), /^530 /],
      ['rotated', ({ key }) => rotateKey({ store: app.store, clock: systemClock }, key, 0), /^530 /],
      ['expired', changed((now) => ({ expires_at: now })), /^530 /],
      ['of another network', changed(() => ({ networks: JSON.stringify(OTHER_NETWORKS) })), /^530 /],
      [
        'suspended',
        (_, now) => app.store.write(setAccountStatus, { id: accountId, status: 'suspended', now }),
        /^550 5\.7\.1 /,
      ],
    ]
    for (const [name, change, expected] of changes) {
      const made = await newKeyAt(app, 'smtp', victim)
      const client = await connected()
      assert.match(await client.ask(`AUTH PLAIN ${plainToken(loginOf(made))}`), /^235 /)
      await change(made, Date.now())
      await until(`${name} is noticed`, async () => {
        const reply = await client.ask(`MAIL FROM:<a@${victim.domain}>`)
        if (reply.startsWith('250')) await client.ask('RSET')
        return expected.test(reply)
      })
      client.vanish()
    }
  })

  test(
    'permits each endpoint to a key with only its scope',
    thorough('1 CPU s: changes and removes objects of every kind; the tests of the endpoints use wider keys'),
    async (t) => {
      const result = nothingYet()
      const last = (method: Route['method']): number =>
        ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method)
      const all = OF_KEYS.toSorted((a, b) => last(a.method) - last(b.method))
      for (const route of all) {
        const { scope, method, domains } = route
        if (scope === 'any-credential') continue
        const who = isOfOperator(scope) ? 'an operator’s' : 'a management'
        const caller = callers.find(({ name }) => name === `${who} key with ${scope}`)
        assert.ok(caller)
        const answer = await ask(caller, route, own.names, domains && own.domainId)
        result.cells++
        const isRefused = /permitted/.test(answer.body?.code) && !NEEDS_MORE.has(nameOf(route))
        const isWrong = answer.status === 401 || answer.status >= (method === 'GET' ? 300 : 500) || isRefused
        if (isWrong) result.wrong.push(`${nameOf(route)}: ${codeOf(answer)} ${answer.body?.detail}`)
      }
      report(t, result, 60)
    },
  )
})
