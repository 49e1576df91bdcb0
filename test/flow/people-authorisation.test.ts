// Rights of the roles, derived from the routes: sessions and origins at every endpoint of the dashboard, and objects of
// another account in queries and bodies. No response reveals data, and no request changes data. The matrix of rights
// (`rights-matrix.test.ts`) covers the roles, and objects in paths.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DashboardRoute } from '../../src/api/dashboard/route.ts'
import { dashboardRoutes, mountedOperatorRoutes, mountedRoutes } from '../../src/api/dashboard/routes.ts'
import { ROLES, type Role, roleCovers } from '../../src/model/role.ts'
import type { Tables } from '../../src/store/database/schema.ts'
import { type Answer, TestApp } from '../support/app.ts'
import {
  type Everything,
  LAYOUT,
  namedIn,
  OWNERS_PASSWORD,
  oneOfEverything,
  TEMPLATE,
} from '../support/one-of-everything.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'
import { sleep } from '../support/test-clock.ts'
import { addUser } from '../support/users.ts'

const PASSWORD = OWNERS_PASSWORD
/** Text that occurs in all data of the victim; no response to another account may contain this text. */
const MARK = 'victim'

/** Endpoints without their services, which are not needed to read the declarations. */
const ALL: readonly DashboardRoute[] = [
  ...dashboardRoutes({} as never),
  ...mountedRoutes({} as never),
  ...mountedOperatorRoutes({} as never),
]
const nameOf = ({ method, url }: DashboardRoute): string => `${method} ${url}`

/** Valid bodies for requests that must reach an existing object. */
const BODIES: Readonly<Record<string, object>> = {
  'PATCH /api/people/:user_id': { role: 'viewer' },
  'PUT /api/domains/:domain_id/templates/:id_or_alias': TEMPLATE,
  'PUT /api/domains/:domain_id/layouts/:id_or_alias': LAYOUT,
  'PATCH /api/domains/:domain_id/streams/:alias': { name: 'Mine' },
  'PATCH /api/domains/:domain_id/messages/:message_id': { send_at: null },
  'POST /api/domains/:domain_id/messages/:message_id/share': { hours: 1 },
  'POST /api/inboxes/:inbox_id/messages/:mail_id/share': { hours: 1 },
  'POST /api/verification/verifications': ['nonsense'],
  'POST /api/domains/:domain_id/messages/batch': [{}],
  'POST /api/domains/:domain_id/webhooks/:webhook_id/replay': { from: '2026-01-01T00:00:00Z' },
  'POST /api/account-webhooks/:webhook_id/replay': { from: '2026-01-01T00:00:00Z' },
}

/**
 * Endpoints that end the session of the caller; the test therefore calls these endpoints last, each with a new session.
 */
const ENDS_OWN_SESSION = new Set(['DELETE /api/session', 'DELETE /api/sessions'])

interface Actor {
  readonly name: string
  readonly person: Person
  readonly may: (wanted: Role | 'operator') => boolean
  readonly user: { readonly email: string; readonly password: string }
}

describe('rights of roles', () => {
  let app: TestApp
  let victim: Tenant
  let own: Tenant
  let actors: Actor[]
  /** Objects of the victim by path parameter. */
  let foreign: Everything
  let kept: string

  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '100000/m' },
    })
    victim = await createTenant(app.store, { domain: `${MARK}.test` })
    own = await createTenant(app.store, { domain: 'own.test' })
    const userOf = async (account_id: string, role: Role, email: string) =>
      addUser(app.store, { account_id, email, name: null, role, password: PASSWORD })
    const operator = app.playground.dashboard_login
    actors = [
      { name: 'operator', person: await Person.loggedIn(app), may: () => true, user: operator },
      ...(await Promise.all(
        ROLES.map(async (role): Promise<Actor> => {
          const user = { email: `${role}@own.test`, password: PASSWORD }
          await userOf(own.account.id, role, user.email)
          const person = await Person.loggedIn(app, user)
          return {
            name: role,
            person,
            user,
            may: (wanted) => wanted !== 'operator' && roleCovers(role, wanted),
          }
        }),
      )),
    ]
    foreign = await oneOfEverything(app, victim, MARK)
    await settled(app.store)
    kept = await snapshot()
  })
  after(() => app.stop())

  /** Returns all rows of the victim, without columns that a read request may change. */
  async function snapshot(): Promise<string> {
    const tables: (keyof Tables)[] = [
      'keys',
      'domains',
      'messages',
      'recipients',
      'templates',
      'layouts',
      'streams',
    ]
    tables.push(
      'suppressions',
      'users',
      'invitations',
      'verifications',
      'accounts',
      'sessions',
      'passkeys',
      'dkim_keys',
    )
    const rows: unknown[] = []
    for (const table of tables) {
      const owner = table === 'accounts' ? 'id' : 'account_id'
      const query = app.store.read.selectFrom(table).selectAll() as never as AnyQuery
      rows.push(table, await query.where(owner, '=', victim.account.id).execute())
    }
    return JSON.stringify(rows, (key, value) =>
      key === 'last_used_at' || key === 'last_seen_at' ? undefined : value,
    )
  }
  interface AnyQuery {
    where(column: string, operator: '=', value: string): { execute(): Promise<unknown[]> }
  }

  const pathOf = (url: string, more: Readonly<Record<string, string>> = {}): string =>
    url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(more[name] ?? namedIn(url, name, foreign)))
  function call(person: Person, route: DashboardRoute, path: string): Promise<Answer> {
    const body = route.schema.body === undefined ? undefined : (BODIES[nameOf(route)] ?? {})
    return paced(() => person.call(route.method, path, body))
  }
  /**
   * Repeats a request until the rate limit allows it, because there are more endpoints and roles than one network may
   * call at once.
   */
  async function paced(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask()
      if (answer.status !== 429 || !answer.body['violated-policies']?.includes('network')) return answer
      await sleep(1_000, 'the limit of a network gets a token')
    }
  }
  function leaksNothing({ body, headers }: Answer, what: string): void {
    const told = JSON.stringify(body) + JSON.stringify([...headers])
    const names = [MARK, victim.domain.id, victim.account.id, ...Object.values(foreign)]
    for (const name of names) {
      if (name.length > 3 && !what.includes(name))
        assert.ok(!told.includes(name), `${what} tells ${name}: ${told}`)
    }
  }

  test('the list of endpoints is the real one', async () => {
    assert.ok(ALL.length > 70)
    for (const route of ALL) {
      const { status, body } = await call(new Person(app), route, pathOf(route.url))
      const known = status !== 404 || route.role === 'nobody'
      assert.ok(known, `${nameOf(route)} is not served: ${JSON.stringify(body)}`)
    }
  })

  test('every endpoint refuses requests without a session or with an invalid one', async () => {
    for (const route of ALL) {
      if (route.role === 'nobody') continue
      for (const cookie of ['', 'postrider_session=x', `postrider_session=${'x'.repeat(43)}`]) {
        const person = new Person(app)
        person.cookie = cookie
        const { status, body } = await call(person, route, pathOf(route.url))
        assert.deepEqual([status, body.code], [401, 'authentication_failed'], nameOf(route))
      }
    }
  })

  test('every change from another page is refused, whoever is logged in', async () => {
    const [{ person }] = actors as [Actor]
    for (const route of ALL) {
      if (route.method === 'GET') continue
      for (const origin of ['', 'https://evil.example', 'null']) {
        const ask = () => person.call(route.method, pathOf(route.url), {}, { origin })
        const { status, body } = await paced(ask)
        assert.deepEqual([status, body.code], [403, 'origin_not_permitted'], nameOf(route))
      }
    }
  })

  test('endpoints that name no object show nothing of another account', async () => {
    const open = ALL.filter(
      (route) => !/:(?!domain_id)\w+/.test(route.url) && !ENDS_OWN_SESSION.has(nameOf(route)),
    )
    for (const route of open) {
      for (const { name, person, may } of actors) {
        // The operator may see all accounts.
        if (name === 'operator' || (route.role !== 'nobody' && !may(route.role))) continue
        if (route.url === '/api/session' && route.method !== 'GET') continue
        const answer = await call(person, route, pathOf(route.url, { domain_id: own.domain.id }))
        leaksNothing(answer, `${nameOf(route)} as ${name}`)
        assert.ok(answer.status < 500, `${nameOf(route)} as ${name}: ${answer.status}`)
        // The role must suffice for the request.
        assert.notEqual(answer.body?.code, 'role_not_permitted', `${nameOf(route)} as ${name}`)
      }
    }
    for (const { person, may } of actors.slice(1)) {
      if (!may('viewer')) continue
      for (const query of [`domain_id=${victim.domain.id}`, `domain_id=${victim.domain.id}&by=day`]) {
        const answer = await person.call('GET', `/api/stats?${query}`)
        leaksNothing(answer, `/api/stats?${query}`)
        assert.ok(answer.status === 404 || answer.status === 200, JSON.stringify(answer.body))
      }
    }
  })

  test('objects of another account in a body are treated as missing', async () => {
    const [, ...people] = actors
    const { person } = people.find(({ name }) => name === 'owner') as Actor
    const workspace = `/api/domains/${own.domain.id}`
    const { body: mine } = await person.call('POST', `${workspace}/templates`, { ...TEMPLATE, alias: 'mine' })
    const mail = { from: 'a@own.test', to: [{ email: 'to@own.example' }] }
    const { template_id, layout_id, id_or_alias: alias, message_id, alias: stream } = foreign
    const whole = { ...mail, subject: 'S', text: 'T' }
    for (const [path, body] of [
      ['messages', { ...mail, template_id }],
      ['messages', { ...mail, template_alias: alias }],
      ['messages', { ...mail, template_id: mine.template_id, layout: layout_id }],
      ['messages', { ...mail, template_id: mine.template_id, layout: alias }],
      ['messages', { ...whole, stream }],
      ['messages', { ...whole, from: `a@${MARK}.test` }],
      ['templates', { ...TEMPLATE, layout: layout_id }],
      ['templates', { ...TEMPLATE, layout: alias }],
      ['templates/mine/render', { layout: layout_id }],
      ['templates/mine/render', { layout: alias }],
      [`messages/${message_id}/resend`, { recipients: [`to@${MARK}.example`] }],
    ] as const) {
      const answer = await person.call('POST', `${workspace}/${path}`, body)
      const what = `${path} ${JSON.stringify(body)}`
      assert.ok([403, 404, 422].includes(answer.status), `${what}: ${answer.status}`)
      // The response may contain the requested name, but no other data.
      leaksNothing(answer, `${what} ${MARK}`)
    }
  })

  test('logging out ends no other session', async () => {
    for (const { user, may } of actors.slice(1)) {
      if (!may('viewer')) continue
      for (const name of ENDS_OWN_SESSION) {
        const [method = '', path = ''] = name.split(' ')
        const person = await Person.loggedIn(app, user)
        assert.equal((await person.call(method, path)).status, 204)
      }
    }
  })

  test("the victim's data are unchanged", async () => {
    assert.ok((await snapshot()) === kept, 'something of the victim has changed')
    const person = await Person.loggedIn(app, { email: `${MARK}@${MARK}.test`, password: PASSWORD })
    assert.equal((await person.call('GET', `/api/domains/${victim.domain.id}/messages`)).body.data.length, 2)
  })
})
