// Tests the status codes of the dashboard's access checks: sessions, origins of requests and owners of domains.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { Person } from '../../../test/support/person.ts'
import { exchangeRaw } from '../../../test/support/raw-http.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { findDomain } from '../../store/domains/domain-rows.ts'

const DAY_MS = 86_400_000

describe('access to the dashboard', () => {
  const clock = new TestClock()
  let app: TestApp
  let owner: Person
  let domain: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' }, clock })
    owner = await Person.loggedIn(app)
    const { body } = await owner.call('GET', '/api/session')
    const found = await findDomain(app.store.read, body.account.account_id, app.playground.domain)
    domain = found?.id as string
  })
  after(() => app.stop())

  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer> {
    const got = await answer
    assert.deepEqual([got.status, got.body.code], [status, code], JSON.stringify(got.body))
    assert.match(got.headers.get('content-type') ?? '', /^application\/problem\+json/)
    return got
  }

  test('a login opens a session that no other client can read', async () => {
    const person = new Person(app)
    const { headers, body } = await person.call('POST', '/api/session', app.playground.dashboard_login)
    const [cookie] = headers.getSetCookie()
    assert.match(
      cookie ?? '',
      /^postrider_session=[A-Za-z0-9]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(body.user.email, app.playground.dashboard_login.email)
    assert.equal(body.user.operator, true)
    assert.equal(body.mode, 'playground')
    assert.ok(!JSON.stringify(body).includes(person.cookie.split('=')[1] as string))
    const stored = JSON.stringify(await app.store.read.selectFrom('sessions').selectAll().execute())
    assert.ok(!stored.includes(person.cookie.split('=')[1] as string))
    assert.deepEqual((await person.call('GET', '/api/session')).body, body)
  })

  test('without a login, the answer says that there is none', async () => {
    const { body, headers } = await refused(
      new Person(app).call('GET', '/api/session'),
      401,
      'authentication_failed',
    )
    assert.equal(body.first_run, false)
    assert.deepEqual(body.playground_login, app.playground.dashboard_login)
    assert.equal(headers.get('www-authenticate'), null)
    await refused(
      new Person(app).call('GET', `/api/domains/${domain}/messages`),
      401,
      'authentication_failed',
    )
    // An API key does not replace a session.
    const bearer = { authorization: `Bearer ${app.playground.sending_key}` }
    await refused(
      new Person(app).call('GET', `/api/domains/${domain}/messages`, undefined, bearer),
      401,
      'authentication_failed',
    )
    // A session does not replace an API key.
    await refused(owner.call('GET', '/v1/messages'), 401, 'authentication_failed')
  })

  test("every login has a new token, and ends the browser's earlier session", async () => {
    const person = await Person.loggedIn(app)
    const first = person.cookie
    await person.call('POST', '/api/session', app.playground.dashboard_login)
    assert.notEqual(person.cookie, first)
    await refused(
      new Person(app).call('GET', '/api/session', undefined, { cookie: first }),
      401,
      'authentication_failed',
    )
    // An invented or planted token never becomes a session.
    const planted = `postrider_session=${'x'.repeat(43)}`
    const victim = new Person(app)
    victim.cookie = planted
    await victim.call('POST', '/api/session', app.playground.dashboard_login)
    assert.notEqual(victim.cookie, planted)
    await refused(
      new Person(app).call('GET', '/api/session', undefined, { cookie: planted }),
      401,
      'authentication_failed',
    )
  })

  test('logging out ends the session on the server as well', async () => {
    const person = await Person.loggedIn(app)
    const cookie = person.cookie
    assert.equal((await person.call('DELETE', '/api/session')).status, 204)
    assert.equal(person.cookie, '')
    await refused(
      new Person(app).call('GET', '/api/session', undefined, { cookie }),
      401,
      'authentication_failed',
    )
  })

  test('a session ends after seven days without use, and after thirty in any case', async () => {
    const person = await Person.loggedIn(app)
    clock.advance(7 * DAY_MS)
    await refused(person.call('GET', '/api/session'), 401, 'authentication_failed')
    const other = await Person.loggedIn(app)
    for (let day = 0; day < 29; day += 5) {
      assert.equal((await other.call('GET', '/api/session')).status, 200, `day ${day}`)
      clock.advance(5 * DAY_MS)
    }
    await refused(other.call('GET', '/api/session'), 401, 'authentication_failed')
    owner = await Person.loggedIn(app)
  })

  test("changes are accepted from the dashboard's own pages only", async () => {
    const login = (headers: Record<string, string>) =>
      new Person(app).call('POST', '/api/session', app.playground.dashboard_login, headers)
    const { host } = new URL(app.app.url)
    for (const origin of [
      '',
      'null',
      'https://evil.example',
      `http://${host}.evil.example`,
      `http://evil@${host}`,
      `${app.app.url}/`,
      'http://127.0.0.1',
      'nonsense',
    ]) {
      const { headers } = await refused(login({ origin }), 403, 'origin_not_permitted')
      assert.equal(headers.getSetCookie().length, 0, origin)
    }
    await refused(login({ 'sec-fetch-site': 'cross-site' }), 403, 'origin_not_permitted')
    await refused(login({ 'sec-fetch-site': 'same-site' }), 403, 'origin_not_permitted')
    assert.equal((await login({ 'sec-fetch-site': 'same-origin' })).status, 200)
    // The requested host differs from the known host if the node runs behind a proxy.
    const body = JSON.stringify(app.playground.dashboard_login)
    const behind = (origin: string) =>
      exchangeRaw(
        app.app.url,
        `POST /api/session HTTP/1.1\r\nHost: mail.example\r\nOrigin: ${origin}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    assert.equal((await behind('https://mail.example')).status, 200)
    assert.equal((await behind('https://mail.example.evil.example')).status, 403)
  })

  test(
    'with a public https address, only pages of that address make changes, and cookies are for that host alone',
    thorough('0.6 CPU s: the whole OpenAPI document'),
    async () => {
      const other = await TestApp.start({
        env: { POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_PUBLIC_URL: 'https://dash.example' },
      })
      try {
        const url = other.app.localUrl
        const login = (origin: string) =>
          fetch(`${url}/api/session`, {
            method: 'POST',
            headers: { origin, 'content-type': 'application/json' },
            body: JSON.stringify(other.playground.dashboard_login),
          })
        // Only the configured public origin is accepted, not even the origin of the requested host.
        for (const origin of [url, 'http://dash.example', 'https://other.example']) {
          const answer = await login(origin)
          assert.deepEqual([answer.status, answer.headers.getSetCookie()], [403, []], origin)
        }
        const answer = await login('https://dash.example')
        assert.equal(answer.status, 200)
        const cookies = answer.headers.getSetCookie()
        assert.deepEqual(cookies.map((cookie) => cookie.split('=')[0]).sort(), [
          '__Host-postrider_device',
          '__Host-postrider_session',
        ])
        // Browsers accept a `__Host-` cookie only with these attributes, and without Domain (RFC 6265bis §4.1.3.2).
        for (const cookie of cookies) {
          assert.match(cookie, /; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
          assert.doesNotMatch(cookie, /domain/i)
        }
      } finally {
        await other.stop()
      }
    },
  )

  test('a page of another site can neither read nor spend anything', async () => {
    const path = '/api/verification/verifyEmail?email=x@y.example'
    await refused(
      owner.call('GET', path, undefined, { 'sec-fetch-site': 'cross-site' }),
      403,
      'origin_not_permitted',
    )
    assert.equal((await owner.call('GET', path)).status, 200)
  })

  test('forms are refused', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      const answer = new Person(app).call('POST', '/api/session', 'email=a&password=b', {
        'content-type': type,
      })
      await refused(answer, 400, 'malformed_request')
    }
    await refused(new Person(app).call('POST', '/api/session'), 400, 'malformed_request')
    await refused(
      new Person(app).call('POST', '/api/session', { email: 'x', pasword: 'y' }),
      422,
      'validation_failed',
    )
  })

  test("the workspace is that of the account's own domain, and of no other", async () => {
    const sent = await owner.call('POST', `/api/domains/${domain}/messages`, {
      from: `hello@${app.playground.domain}`,
      to: [{ email: 'you@receiver.example' }],
      subject: 'Hello',
      text: 'Hello.\n',
    })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    const { body } = await owner.call('GET', `/api/domains/${domain}/messages?limit=1`)
    assert.equal(body.data[0].message_id, sent.body.message_id)
    const saved = await owner.call('POST', `/api/domains/${domain}/templates`, {
      alias: 'welcome',
      name: 'Welcome',
      subject: 'Hi',
      text: 'Hi {{name}}',
    })
    assert.equal(saved.status, 201, JSON.stringify(saved.body))
    const versions = await owner.call('GET', `/api/domains/${domain}/templates/welcome/versions`)
    assert.match(versions.body.data[0].saved_by, /^usr_/)

    const other = await createTenant(app.store)
    for (const id of [other.domain.id, 'dom_x', 'x', '..%2f', `${domain}x`]) {
      await refused(owner.call('GET', `/api/domains/${id}/messages`), 404, 'not_found')
      await refused(owner.call('POST', `/api/domains/${id}/messages`, {}), 404, 'not_found')
    }
  })

  test('behind a trusted proxy, the address is that of the client', async () => {
    const through = async (env: Record<string, string>): Promise<string> => {
      const other = await TestApp.start({ env: { POSTRIDER_ROLES: 'dashboard', ...env } })
      try {
        const person = new Person(other)
        const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' }
        await person.call('POST', '/api/session', other.playground.dashboard_login, forwarded)
        return (await person.call('GET', '/api/sessions')).body.data[0].address
      } finally {
        await other.stop()
      }
    }
    assert.equal(await through({}), '127.0.0.1')
    assert.equal(await through({ POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8' }), '198.51.100.7')
  })

  test(
    'no route of the dashboard is in the public document',
    thorough('0.8 CPU s: the whole OpenAPI document'),
    async () => {
      const { body } = await app.call('GET', '/v1/openapi.json')
      assert.deepEqual(
        Object.keys(body.paths).filter((path) => path.startsWith('/api')),
        [],
      )
    },
  )

  test('a node without the role has none of it', async () => {
    const other = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    try {
      const { status } = await new Person(other).call('GET', '/api/session')
      assert.equal(status, 404)
    } finally {
      await other.stop()
    }
  })

  test('a NUL is refused anywhere, as some databases refuse it', async () => {
    const { body: account } = await owner.call('GET', '/api/account')
    for (const [method, path, body] of [
      ['GET', '/api/invitations/lookup?token=%00'],
      ['GET', '/api/audit?actor=%00'],
      ['GET', `/api/domains/${domain}/suppressions?stream=%00`],
      ['POST', '/api/session', { email: 'a\0@example.com', password: 'x' }],
      ['POST', `/api/accounts/${account.account_id}/credits`, { credits: 1, note: '\0' }],
    ] as const) {
      const { body: problem } = await refused(owner.call(method, path, body), 422, 'validation_failed')
      assert.equal(problem.errors[0].code, 'invalid_characters', path)
    }
    for (const [method, path, body] of [
      ['DELETE', '/api/sessions/%00'],
      ['DELETE', '/api/invitations/%00'],
      ['GET', `/api/domains/${domain}/messages/%00`],
      ['PATCH', `/api/domains/${domain}/streams/%00`, { name: 'x' }],
      ['PATCH', '/api/accounts/%00', { status: 'active' }],
    ] as const) {
      await refused(owner.call(method, path, body), 404, 'not_found')
    }
    const response = { id: '\0', rawId: 'x', type: 'public-key', response: {} }
    await refused(owner.call('POST', '/api/session/passkey', { response }), 401, 'authentication_failed')
  })
})
