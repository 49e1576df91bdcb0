// Every parameter of every route that names an object, in path, query or body, gets the name of an object in another
// account, or in another domain of the same account. The response equals the response for an object that does not
// exist; the response reveals no data, and the request changes no data.

// thorough: takes 6 CPU seconds to call every route twice per parameter; people-authorisation.test.ts covers the rights
// of users

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createKey } from '../../src/access/keys.ts'
import { isOfOperator } from '../../src/access/scopes.ts'
import { dashboardRoutes, mountedRoutes } from '../../src/api/dashboard/routes.ts'
import type { DashboardServices } from '../../src/api/dashboard/services.ts'
import type { Route } from '../../src/api/route.ts'
import { routes, type Services } from '../../src/api/routes.ts'
import { addDomain } from '../../src/domains/domains.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { revokeKey } from '../../src/store/access/keys.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { StreamClient } from '../support/event-stream.ts'
import { kindOfRoute, managementKey } from '../support/keys.ts'
import {
  type Everything,
  everyRowOf,
  LAYOUT,
  namedIn,
  OWNERS_PASSWORD,
  oneOfEverything,
  type Rows,
  TEMPLATE,
  UNCOMPARED,
} from '../support/one-of-everything.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'
import { sleep } from '../support/test-clock.ts'

/** Text that occurs in all data of the victim, and in no other data. */
const MARK = 'victim'
const OWN = 'robber'

interface Tried {
  readonly method: string
  readonly url: string
  readonly scope?: Route['scope']
  readonly role?: string
  readonly schema: { readonly body?: unknown; readonly querystring?: unknown }
}
const nothing = {} as Services & DashboardServices
/** Operators see the objects of all accounts. */
const OF_KEYS = routes(nothing).filter(({ scope }) => scope === 'any-credential' || !isOfOperator(scope))
/** Endpoints that Sending keys or Verification keys may call; management keys may call the others. */
const ofKind = (kind: ReturnType<typeof kindOfRoute>): readonly Tried[] =>
  OF_KEYS.filter((route) => kindOfRoute(route) === kind)
const OF_PEOPLE: readonly Tried[] = [...dashboardRoutes(nothing), ...mountedRoutes(nothing)].filter(
  ({ role }) => role !== 'operator',
)
const nameOf = ({ method, url }: Tried): string => `${method} ${url}`

/** Fields in a body that name an object; a token of a link is a secret, not a name. */
const NAMING: Readonly<Record<string, keyof typeof VALUES | undefined>> = {
  ...{ template_id: 'template_id', template_alias: 'alias', layout: 'layout_id', stream: 'alias' },
  ...{ streams: 'alias', email: 'email', recipients: 'recipient', domains: 'domain_id' },
  domain: 'domain_id',
}
/** Names of objects for query parameters; undefined for a parameter that names no object. */
const VALUES = {
  ...{
    template_id: 'template_id',
    layout_id: 'layout_id',
    alias: 'alias',
    email: 'email',
    recipient: 'recipient',
  },
  ...{ message_id: 'message_id', domain_id: 'domain_id', key_id: 'key_id', token: 'token' },
} as const
const QUERIES: Readonly<Record<string, keyof typeof VALUES>> = {
  ...{ message_id: 'message_id', domain_id: 'domain_id', key_id: 'key_id', token: 'token', stream: 'alias' },
  ...{ recipient: 'email', email: 'email', from: 'email', q: 'email', search: 'email', subject: 'alias' },
  ...{
    object_id: 'domain_id',
    tag: 'alias',
    name: 'alias',
    actor: 'email',
    path: 'message_id',
    domain: 'domain_id',
  },
}
const NAME_NO_OBJECT = new Set([
  ...['limit', 'cursor', 'format', 'include', 'order', 'type', 'after', 'before', 'status', 'kind', 'reason'],
  ...[
    'recipient_status',
    'to',
    'by',
    'utc_offset',
    'provider',
    'group_by',
    'previous',
    'origin',
    'column',
    'state',
  ],
  ...['group', 'force', 'failures', 'result', 'category', 'counted', 'method', 'outcome', 'code', 'action'],
  // Query parameters of a bulk that is uploaded as a table.
  ...['from_name', 'html', 'text', 'template_id', 'template_alias', 'layout', 'send_at', 'require_tls'],
  ...['track_opens', 'track_links', 'wait', 'confirm', 'tags', 'since', 'timeout', 'submitter'],
])

const mail = { from: `a@${OWN}.test`, to: [{ email: `to@${OWN}.example` }], subject: 'S', text: 'T' }
/** Bodies that refer to no object except the tested object or the object in the path. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /messages': mail,
  'POST /messages/batch': [mail],
  'POST /bulk': { ...mail, to: undefined },
  'POST /templates': TEMPLATE,
  'PUT /templates/:id_or_alias': { ...TEMPLATE, alias: `${OWN}-one` },
  'POST /layouts': LAYOUT,
  'PUT /layouts/:id_or_alias': { ...LAYOUT, alias: `${OWN}-one` },
  'POST /render': { text: 'T' },
  'POST /check': mail,
  'POST /streams': { alias: 'new', name: 'New', kind: 'transactional' },
  'PATCH /streams/:alias': { name: 'Mine' },
  'POST /suppressions': { email: `other@${OWN}.example` },
  'POST /account-suppressions': { email: `other@${OWN}.example` },
  'POST /incidents/:incident_id/mute': { until: null },
  'POST /inboxes': { name: 'New' },
  'PATCH /inboxes/:inbox_id': { name: 'Mine' },
  'POST /inboxes/:inbox_id/messages/:mail_id/share': { hours: 1 },
  'PUT /authentication/sources/:source_id': { kind: 'known', name: 'Mine' },
  'POST /webhooks': { url: 'https://hook.example/' },
  'POST /webhooks/:webhook_id/replay': { from: '2026-01-01T00:00:00Z' },
  'POST /account-webhooks': { url: 'https://hook.example/' },
  'POST /account-webhooks/:webhook_id/replay': { from: '2026-01-01T00:00:00Z' },
  'POST /verifications': ['nonsense'],
  'POST /keys': { kind: 'sending', domains: [`${OWN}.test`], name: 'New' },
  'PATCH /keys/:key_id': { name: 'Mine' },
  'POST /keys/:key_id/rotate': { overlap: '1h' },
  'PATCH /people/:user_id': { role: 'viewer' },
  'PATCH /messages/:message_id': { send_at: null },
  'POST /smtp-credentials': { domain: `${OWN}.test`, name: 'New' },
  'PATCH /smtp-credentials/:username': { name: 'Mine' },
  'POST /smtp-credentials/:username/rotate': { overlap: '1h' },
  'PATCH /domains/:domain': { content_retention_days: 7 },
  'POST /messages/:message_id/share': { hours: 1 },
  'POST /messages/:message_id/resend': { recipients: [`to@${OWN}.example`] },
}
const bodyOf = (route: Tried): object | undefined => {
  if (route.schema.body === undefined) return undefined
  const short = nameOf(route).replace(
    /\/(?:v1|api\/domains\/:domain_id|api\/verification(?=\/verif)|api(?=\/(?:keys|inboxes|incidents|people|accounts?|smtp-credentials|domains(?:\/:domain)?(?:\/|$))))/,
    '',
  )
  return BODIES[nameOf(route)] ?? BODIES[short] ?? {}
}

/** True for the route whose body consists of lines: the shared message of a bulk, and its rows. */
const isLines = ({ method, url }: Tried): boolean => method === 'POST' && url.endsWith('/bulk')
const linesOf = (fields: object | undefined): string =>
  [fields, { to: `row@${OWN}.example` }].map((line) => JSON.stringify(line)).join('\n')
const typeOf = (body: object | string | undefined): Record<string, string> =>
  typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {}

/** Routes that the test does not call, with the reason. */
const LEFT_OUT = new Map([
  ['DELETE /api/session', 'it ends the session that asks'],
  ['DELETE /api/sessions', 'it ends the other sessions of the one who asks'],
  ['GET /v1/verifyEmail', 'an address is nobody’s object; verify-email.test.ts has what an account is told'],
  ['GET /v1/verifyEmailDetailed', 'the same'],
  ['GET /api/verification/verifyEmail', 'the same'],
  ['GET /api/verification/verifyEmailDetailed', 'the same'],
  ['GET /v1/events/stream', 'it does not end; it has a test of its own'],
  ['GET /api/domains/:domain_id/events/stream', 'the same'],
  ['GET /v1/account-events/stream', 'the same'],
  ['GET /api/account-events/stream', 'the same'],
  ['GET /api/events/stream', 'the same'],
  ['POST /api/session', 'login.test.ts'],
  ['POST /api/password-reset', 'enumeration.test.ts: the answer is the same for every address'],
  ['POST /v1/invitations', 'enumeration.test.ts'],
  ['POST /api/invitations', 'the same'],
])

/** A parameter of a request that names an object. */
interface Place {
  readonly where: 'path' | 'query' | 'body'
  readonly name: string
}

/** Returns all parameters of a route that name an object; fails for a query parameter that the test does not know. */
function placesOf({ url, schema, method, role }: Tried): Place[] {
  const path = [...url.matchAll(/:(\w+)/g)]
    .map(([, name = '']) => name)
    // A version or a number is a part of an object. The domain in the path of a user's request is checked before any other
    // parameter.
    .filter((name) => name !== 'version' && name !== 'number')
  const { properties = {} } = (schema.querystring ?? {}) as { properties?: object }
  const query = Object.keys(properties).filter((name) => {
    const known = QUERIES[name] !== undefined || NAME_NO_OBJECT.has(name)
    assert.ok(known, `${method} ${url}: does ?${name} name an object? See QUERIES and NAME_NO_OBJECT`)
    return QUERIES[name] !== undefined && method === 'GET' && !(url.endsWith('stats') && name === 'from')
  })
  const shape = (schema.body ?? {}) as { properties?: object }
  const body = Object.keys(shape.properties ?? {}).filter(
    (name) =>
      NAMING[name] !== undefined &&
      role !== 'nobody' &&
      // The permitted recipients of a key are patterns, which name no object.
      !(name === 'recipients' && /\/(?:keys|smtp-credentials)\b/.test(url)) &&
      // A new domain is the object of nobody; `domains.test.ts` covers a domain of another account.
      !(name === 'domain' && /\/domains$/.test(url)),
  )
  return [
    ...path.map((name): Place => ({ where: 'path', name })),
    ...query.map((name): Place => ({ where: 'query', name })),
    ...body.map((name): Place => ({ where: 'body', name })),
  ]
}

/** Returns the name of an object that does not exist; the name sorts next to the existing name. */
function missing(value: string): string {
  if (/_[0-9A-Z]{26}$/.test(value)) return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0')
  if (value.includes(MARK)) return value.replace(MARK, MARK.replaceAll('i', 'u'))
  return `x${value.slice(1)}`
}

/** Returns the body with a field that names an object, and without the content that a template replaces. */
function withField(
  body: object | undefined,
  name: string,
  value: string,
  template: string | undefined,
): object {
  const { subject, text, ...rest } = { subject: undefined, text: undefined, ...body }
  const isMail = 'from' in rest
  const written = isMail && (name.startsWith('template_') || name === 'layout') ? {} : { subject, text }
  const needed = isMail && name === 'layout' ? { template_alias: template } : {}
  const field = ['streams', 'recipients', 'domains'].includes(name) ? [value] : value
  return { ...written, ...needed, ...rest, [name]: field }
}

/** Returns a response without the values that always differ: requested names, new IDs and times. */
function bare({ status, body }: Answer, ...asked: readonly string[]): string {
  let text = JSON.stringify([status, body])
  for (const one of asked) text = text.replaceAll(one, '*').replaceAll(one.toLowerCase(), '*')
  return text
    .replaceAll(/\b[a-z]{3,4}_[0-9A-Z]{26}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(?:latency|duration|took)_?[mM]s":\d+/g, '<took>')
    .replaceAll(/(?:send|verify|manage|whsec)_[\w+/=]+/g, '<secret>')
    .replaceAll(/"last4":"\w{4}"/g, '<last4>')
}

describe('objects of others', () => {
  let app: TestApp
  let victim: Tenant
  let robber: Tenant
  /** API key and domain ID of the second domain of the victim's account. */
  let sibling: { readonly sendingKey: string; readonly domainId: string }
  let foreign: Everything
  let own: Everything
  let kept: Rows
  /** Keys of the two accounts by kind. */
  type Keys = Readonly<Record<ReturnType<typeof kindOfRoute>, string>>
  let keys: { readonly victim: Keys; readonly robber: Keys }
  /** The dashboard users who own the two accounts. */
  let owners: { readonly victim: Person; readonly robber: Person }

  before(async () => {
    app = await TestApp.start({
      env: {
        ...{ POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '1000000/s' },
        ...{ POSTRIDER_SENDING_RATE: '1000000/s', POSTRIDER_VERIFICATION_RATE: '1000000/s' },
      },
    })
    victim = await createTenant(app.store, { domain: `${MARK}.test` })
    robber = await createTenant(app.store, { domain: `${OWN}.test` })
    foreign = await oneOfEverything(app, victim, MARK)
    own = await oneOfEverything(app, robber, OWN)
    const resources = { store: app.store, clock: systemClock }
    const { domain } = await addDomain({
      ...{ ...resources, accountId: victim.account.id, name: 'sibling.test', verified: true },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' },
    })
    const wanted = { accountId: victim.account.id, name: 'Sibling', kind: 'sending' as const }
    const key = await createKey(resources, { ...wanted, domainId: domain.id })
    sibling = { sendingKey: key.secret, domainId: domain.id }
    keys = { victim: await keysOf(victim), robber: await keysOf(robber) }
    owners = { victim: await loggedIn(MARK), robber: await loggedIn(OWN) }
    foreign = { ...foreign, token: await tokenOf(owners.victim, victim, foreign) }
    own = { ...own, token: await tokenOf(owners.robber, robber, own) }
    await settled(app.store)
    kept = await everyRowOf(app.store, victim.account.id)
  })
  after(() => app.stop())

  const keysOf = async ({ account, sendingKey, verificationKey }: Tenant): Promise<Keys> => ({
    sending: sendingKey,
    verification: verificationKey,
    management: await managementKey(app, { accountId: account.id }),
  })

  const loggedIn = (mark: string): Promise<Person> =>
    Person.loggedIn(app, { email: `${mark}@${mark}.test`, password: OWNERS_PASSWORD })

  /** Returns the token of a shared link to the message of the account. */
  async function tokenOf(person: Person, { domain }: Tenant, { message_id }: Everything): Promise<string> {
    const path = `/api/domains/${domain.id}/messages/${message_id}/share`
    const { body } = await person.call('POST', path, { hours: 1 })
    return new URL(body.url).searchParams.get('token') ?? assert.fail(JSON.stringify(body))
  }

  /**
   * Repeats a request until the rate limit allows it, because there are more endpoints than one network or user may
   * call at once.
   */
  async function paced(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask()
      if (answer.status !== 429) return answer
      await sleep(200, 'the limit of a user gets tokens')
    }
  }

  type Call = (method: string, path: string, body: object | string | undefined) => Promise<Answer>

  const withKey =
    (secret: string): Call =>
    (method, path, body) =>
      app.callWith(method, path, body, { authorization: `Bearer ${secret}`, ...typeOf(body) })

  /** Calls a route with the caller's own objects for all parameters except one. */
  function ask(call: Call, route: Tried, place: Place, value: string, domainId: string): Promise<Answer> {
    const path = route.url.replace(/:(\w+)/g, (_all, name: string) => {
      if (place.where === 'path' && place.name === name) return encodeURIComponent(value)
      // All objects in a path are foreign if a parameter of the path is tested, for example a delivery of a foreign
      // webhook.
      if (name === 'domain_id') return domainId
      return encodeURIComponent(namedIn(route.url, name, place.where === 'path' ? foreign : own))
    })
    const { required = [] } = (route.schema.querystring ?? {}) as { readonly required?: readonly string[] }
    const query = new URLSearchParams(required.map((name) => [name, own[name] ?? OWN]))
    if (place.where === 'query') query.set(place.name, value)
    const body = bodyOf(route)
    const fields = place.where === 'body' ? withField(body, place.name, value, own.alias) : body
    return paced(() => call(route.method, `${path}?${query}`, isLines(route) ? linesOf(fields) : fields))
  }

  const valueAt = (route: Tried, { where, name }: Place): string => {
    if (where === 'path') return namedIn(route.url, name, foreign)
    const kind = where === 'query' ? QUERIES[name] : NAMING[name]
    return foreign[kind ?? ''] ?? assert.fail(`nothing for ${where} ${name} of ${nameOf(route)}`)
  }

  /** Checks that a response contains no data of the victim except the requested name. */
  function tellsNothing({ body, headers }: Answer, asked: string, what: string): void {
    const told = (JSON.stringify(body) + JSON.stringify([...headers])).replaceAll(asked, '*')
    for (const name of [MARK, ...Object.values(foreign)])
      if (name.length > 3 && !asked.includes(name))
        assert.ok(!told.includes(name), `${what} tells ${name}: ${told}`)
  }

  /**
   * Checks that the same request with an object of the caller is accepted, so that only the foreign object is wrong.
   */
  async function assertTaken(call: Call, route: Tried, place: Place, domainId: string): Promise<void> {
    const kind = NAMING[place.name] ?? ''
    const answer = await ask(call, route, place, own[kind] ?? '', domainId)
    assert.ok(answer.status < 300, `${nameOf(route)} with ${place.name}: ${JSON.stringify(answer.body)}`)
  }

  /** Returns the statuses of the responses for each parameter; `domainId` is the domain in requests of users. */
  async function tryAll(
    call: Call,
    all: readonly Tried[],
    domainId: string,
    only = /./,
  ): Promise<Map<string, number>> {
    const statuses = new Map<string, number>()
    const ownsAll = domainId === robber.domain.id
    const tried = all
      .filter((route) => !LEFT_OUT.has(nameOf(route)))
      .flatMap((route) => placesOf(route).map((place) => ({ route, place })))
      .filter(({ place }) => only.test(`${place.where} ${place.name}`))
      // Requests with tested body fields come last, because they create objects of the caller.
      .sort((a, b) => Number(a.place.where === 'body') - Number(b.place.where === 'body'))
    for (const { route, place } of tried) {
      const what = `${nameOf(route)} with a foreign ${place.name} in its ${place.where}`
      const value = valueAt(route, place)
      const none = missing(value)
      if (place.where === 'body' && ownsAll) await assertTaken(call, route, place, domainId)
      const found = await ask(call, route, place, value, domainId)
      const absent = await ask(call, route, place, none, domainId)
      assert.equal(bare(found, value), bare(absent, none), what)
      tellsNothing(found, value, what)
      statuses.set(`${nameOf(route)} ${place.where} ${place.name}`, found.status)
    }
    return statuses
  }

  /** Checks that the data of the victim are unchanged, except for changes by the key of the victim's second domain. */
  async function assertKept(): Promise<void> {
    await settled(app.store)
    const now = await everyRowOf(app.store, victim.account.id)
    const others = (rows: readonly string[] = []) =>
      rows
        .filter(
          (row) => !/"action":"(?:erasure|session)|sibling/i.test(row) && !row.includes(sibling.domainId),
        )
        // The tests use the keys of the victim at endpoints for keys of another kind, and owners are told of incidents.
        .map((row) =>
          row.replaceAll(/"(?:last_used_\w+|used_networks|told_at)":(?:"(?:\\.|[^"\\])*"|[^,}]+)/g, ''),
        )
    for (const [table, rows] of now)
      if (!UNCOMPARED.has(table)) assert.deepEqual(others(rows), others(kept.get(table)), table)
  }

  /**
   * Checks that a foreign object in a path gives 404, except for an address, which may also be in the lists of the
   * caller.
   */
  function assertNotFound(statuses: ReadonlyMap<string, number>): void {
    const others = [...statuses].filter(([what, status]) => / path (?!email$)/.test(what) && status !== 404)
    assert.deepEqual(others, [])
    const failed = [...statuses].filter(([, status]) => status >= 500)
    assert.deepEqual(failed, [])
  }

  test('do not exist for keys of another account', async () => {
    for (const [kind, key] of Object.entries(keys.robber)) {
      assertNotFound(await tryAll(withKey(key), ofKind(kind as keyof Keys), robber.domain.id))
    }
    await assertKept()
  })

  test('do not exist for keys that are revoked or of another kind, nor without a key', async () => {
    const resources = { store: app.store, clock: systemClock }
    const wanted = { accountId: victim.account.id, domainId: victim.domain.id, name: 'Sibling' }
    const made = await createKey(resources, { ...wanted, kind: 'sending' })
    assert.ok(
      await app.store.write(revokeKey, { accountId: wanted.accountId, id: made.key.id, now: Date.now() }),
    )
    const secrets = [made.secret, victim.smtp.password, foreign.key_id, `${victim.sendingKey}x`, '']
    for (const route of OF_KEYS) {
      const path = route.url.replace(/:(\w+)/g, (_all, name: string) => namedIn(route.url, name, foreign))
      const otherKind = kindOfRoute(route) === 'sending' ? victim.verificationKey : victim.sendingKey
      for (const [secret, status] of [
        ...secrets.map((one) => [one, 401] as const),
        [otherKind, route.scope === 'any-credential' ? 200 : 403] as const,
      ]) {
        const answer = await withKey(secret ?? '')(route.method, path, bodyOf(route))
        assert.equal(answer.status, status, `${nameOf(route)}: ${JSON.stringify(answer.body)}`)
      }
    }
    await assertKept()
  })

  test('do not exist for users of another account', async () => {
    const call: Call = (method, path, body) => owners.robber.call(method, path, body, typeOf(body))
    assertNotFound(await tryAll(call, OF_PEOPLE, robber.domain.id))
    await assertKept()
  })

  test('do not exist for a key of another domain of the same account', async () => {
    // A key that names another domain of its account is refused with `domain_not_permitted`.
    const others = /^(?!query domain$)/
    assertNotFound(await tryAll(withKey(sibling.sendingKey), ofKind('sending'), sibling.domainId, others))
    await assertKept()
  })

  test('do not exist for the owner of the account at another domain', async () => {
    const call: Call = (method, path, body) => owners.victim.call(method, path, body, typeOf(body))
    const of = OF_PEOPLE.filter(({ url }) => /^\/api\/domains\/:domain_id\/.*:/.test(url))
    const statuses = await tryAll(call, of, sibling.domainId, /path (?!domain_id)/)
    assertNotFound(statuses)
    await assertKept()
  })

  test('cannot be reached by cursors of a list', async () => {
    // The logs and the events of the account contain the names that the caller has asked for.
    const lists = OF_KEYS.filter(
      ({ scope, url }) => !/^(audit|requests):/.test(scope) && url !== '/v1/account-events',
    ).filter(({ schema }) => 'cursor' in ((schema.querystring as { properties?: object })?.properties ?? {}))
    assert.ok(lists.length >= 10)
    const led = new Set<string>()
    for (const route of lists.filter((one) => !LEFT_OUT.has(nameOf(one)))) {
      const pathOf = (names: Everything) =>
        route.url.replace(/:(\w+)/g, (_all, name: string) => namedIn(route.url, name, names))
      const [theirs, mine] = [keys.victim, keys.robber].map((one) => withKey(one[kindOfRoute(route)])) as [
        Call,
        Call,
      ]
      const page = await theirs('GET', `${pathOf(foreign)}?limit=1`, undefined)
      const ids = Object.values(foreign).filter((one) => /_[0-9A-Z]{26}$/.test(one))
      for (const cursor of [page.body.next_cursor, ...ids]) {
        if (cursor === null) continue
        const answer = await mine('GET', `${pathOf(own)}?cursor=${encodeURIComponent(cursor)}`, undefined)
        assert.ok(answer.status === 200 || answer.status === 400, `${answer.status} ${nameOf(route)}`)
        if (answer.status === 200) led.add(nameOf(route))
        tellsNothing(answer, cursor, `${nameOf(route)} with the cursor ${cursor}`)
      }
    }
    assert.ok(led.size >= 6, [...led].join())
  })

  test('cannot be reached by a position in a stream of events', async () => {
    const streams = [
      ['/v1/events/stream', { authorization: `Bearer ${robber.sendingKey}` }],
      [`/api/domains/${robber.domain.id}/events/stream`, { cookie: owners.robber.cookie }],
      ['/api/events/stream', { cookie: owners.robber.cookie }],
    ] as const
    for (const [path, headers] of streams) {
      const client = await StreamClient.open(new URL(path, app.app.url), { ...headers, 'last-event-id': '0' })
      // The events of the robber's own two messages come before the events of its attempts on foreign objects.
      const told = JSON.stringify(await client.has(2))
      await client.close()
      assert.ok(told.includes(own.message_id ?? ''), told)
      assert.ok(!told.includes(MARK) && !told.includes(victim.domain.id), told)
    }
    for (const query of [`domain_id=${victim.domain.id}`, `message_id=${foreign.message_id}`]) {
      const answer = await owners.robber.call('GET', `/api/events/stream?${query}`)
      assert.equal(answer.status, query.startsWith('domain_id') ? 404 : 200)
    }
  })

  test('give no answer under an Idempotency-Key of another account', async () => {
    for (const [path, body] of [
      ['/v1/messages', mail],
      ['/v1/templates', { ...TEMPLATE, alias: 'once' }],
      ['/v1/webhooks', { url: 'https://once.example/' }],
    ] as const) {
      const ask = (secret: string, from: string) =>
        app.callWith('POST', path, 'from' in body ? { ...body, from } : body, {
          ...{ 'idempotency-key': `once ${path}`, authorization: `Bearer ${secret}` },
        })
      const theirs = await ask(victim.sendingKey, `a@${MARK}.test`)
      const mine = await ask(robber.sendingKey, `a@${OWN}.test`)
      assert.ok(
        theirs.status < 300 && mine.status === theirs.status,
        `${path} ${JSON.stringify([theirs.body, mine.body])}`,
      )
      assert.notDeepEqual(mine.body, theirs.body)
      tellsNothing(mine, OWN, path)
      const again = await ask(robber.sendingKey, `a@${OWN}.test`)
      assert.deepEqual(again.body, mine.body)
    }
  })
})
