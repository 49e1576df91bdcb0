// NUL and halves of surrogate pairs, which a database refuses or changes, in every text of every body, query, path and
// cursor: each such request is accepted or refused without an internal error, and a concurrent request is accepted.

// thorough: takes 9 CPU seconds to test every text of every endpoint; src/http/json-body.test.ts covers the rule itself

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dashboardRoutes } from '../../src/api/dashboard/routes.ts'
import type { DashboardServices } from '../../src/api/dashboard/services.ts'
import type { Route } from '../../src/api/route.ts'
import { operatorRoutes, routes, type Services } from '../../src/api/routes.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { sampleReport } from '../support/dmarc-reports.ts'
import { keyFor } from '../support/keys.ts'
import { objectOf, oneInbox, oneIncident } from '../support/one-of-everything.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'

const nothing = {} as Services & DashboardServices

interface Declared {
  readonly method: string
  readonly url: string
  readonly scope?: Route['scope']
  readonly schema: { readonly body?: unknown; readonly querystring?: unknown }
}

const ALL: readonly Declared[] = [...routes(nothing), ...operatorRoutes(nothing), ...dashboardRoutes(nothing)]
const nameOf = ({ method, url }: Declared): string => `${method} ${url}`

/** Returns a valid body; `n` differs for each call, because some names must be unique. */
type Body = (n: number) => unknown

const key: Body = (n) => ({ name: `key ${n}`, expires_at: '2099-01-01T00:00:00Z', rate: '5/s' })
const template: Body = (n) => ({
  ...{ alias: `t-${n}`, name: 'Name', subject: 'Hello {{name}}', html: '<p>{{name}}</p>', text: '{{name}}' },
  ...{ required: ['name'], layout: 'made', sample_model: { name: 'Ann', more: { list: ['text'] } } },
})
const layout: Body = (n) => ({
  ...{ alias: `l-${n}`, name: 'Name', html: '<p>{{{ @content }}}</p>', text: '{{{ @content }}}' },
  sample_model: { name: 'Ann' },
})
const { alias: _, ...savedTemplate } = template(0) as { alias: string }
const { alias: __, ...savedLayout } = layout(0) as { alias: string }
const message: Body = () => ({
  ...{
    from: 'shop@example.test',
    from_name: 'Shop',
    subject: 'Hello',
    html: '<p>Hi <a href="https://a.test/x">x</a></p>',
  },
  ...{
    text: 'Hi',
    tag: 'welcome',
    metadata: { order: '17' },
    headers: { 'X-Order': '17' },
    stream: 'transactional',
  },
  to: [{ email: 'ann@sink.test', name: 'Ann' }],
  cc: [{ email: 'bob@sink.test', name: 'Bob' }],
  reply_to: [{ email: 'help@example.test', name: 'Help' }],
  attachments: [{ filename: 'a.txt', content: 'YQ==', content_type: 'text/plain', content_id: 'a' }],
  ...{ track_links: true, track_opens: true, template_model: { name: 'Ann' } },
})
const webhook: Body = () => ({
  ...{ url: 'https://hook.example/path', name: 'Hook', streams: ['transactional'], tags: ['welcome'] },
  ...{ event_types: ['delivered'], format: 'standard', basic_auth: { username: 'user', password: 'secret' } },
})
const accountWebhook: Body = () => ({
  ...{ url: 'https://hook.example/path', name: 'Hook', event_types: ['key.created'] },
  basic_auth: { username: 'user', password: 'secret' },
})
const stream: Body = (n) => ({
  ...{ alias: `s-${n}`, name: 'Name', kind: 'broadcast', rate: '50/s', headers: { 'X-Team': 'Blue' } },
  brand: { name: 'Brand', logo_url: 'https://a.test/logo.png', color: '#14539a' },
})
const selection: Body = () => ({
  message_id: 'msg_00000000000000000000000000',
  destination: 'sink.test',
  stream: 'transactional',
  domain: 'example.test',
})
const credential: Body = () => ({
  id: 'a',
  rawId: 'a',
  type: 'public-key',
  response: {
    clientDataJSON: 'e30',
    authenticatorData: 'AA',
    attestationObject: 'AA',
    signature: 'AA',
    userHandle: 'AA',
  },
  clientExtensionResults: {},
})

const BODIES: Readonly<Record<string, Body>> = {
  'POST /v1/messages': message,
  'POST /v1/messages/batch': (n) => [message(n)],
  'POST /v1/bulk': (n) => {
    const { to: _to, cc: _cc, ...shared } = message(n) as Record<string, unknown>
    return [
      shared,
      {
        to: { email: 'ann@sink.test', name: 'Ann' },
        template_model: { name: 'Ann' },
        metadata: { row: '1' },
      },
    ]
  },
  'POST /v1/messages/raw': () => ({}),
  'PATCH /v1/messages/:message_id': () => ({ send_at: new Date(Date.now() + 3_600_000).toISOString() }),
  'POST /v1/check': () => ({ html: '<p>Hello.</p>', text: 'Hello.', subject: 'Hi', stream: 'transactional' }),
  'POST /v1/templates': template,
  'PUT /v1/templates/:id_or_alias': () => ({ ...savedTemplate, alias: 'made' }),
  'POST /v1/templates/:id_or_alias/render': () => ({ template_model: { name: 'Ann' }, layout: 'made' }),
  'POST /v1/render': () => ({
    subject: 'a',
    html: '<p>{{name}}</p>',
    text: '{{name}}',
    required: ['name'],
    template_model: { name: 'Ann' },
    layout_html: '{{{ @content }}}',
    layout_text: '{{{ @content }}}',
  }),
  'POST /v1/layouts': layout,
  'PUT /v1/layouts/:id_or_alias': () => ({ ...savedLayout, alias: 'made' }),
  'POST /v1/streams': stream,
  'PATCH /v1/streams/:alias': (n) => {
    const { alias: _alias, kind: _kind, ...changes } = stream(n) as Record<string, unknown>
    return changes
  },
  'POST /v1/suppressions': (n) => ({
    suppressions: [{ email: `p${n}@sink.test`, stream: 'broadcast', reason: 'manual' }],
  }),
  'POST /v1/suppressions/remove': () => ({ suppressions: [{ email: 'p@sink.test', stream: 'broadcast' }] }),
  'POST /v1/account-suppressions': (n) => ({
    suppressions: [{ email: `p${n}@sink.test`, reason: 'manual' }],
  }),
  'POST /v1/account-suppressions/remove': () => ({ suppressions: [{ email: 'p@sink.test' }] }),
  'POST /v1/webhooks': webhook,
  'PATCH /v1/webhooks/:webhook_id': webhook,
  'POST /v1/webhooks/:webhook_id/test': () => ({ event_type: 'delivered' }),
  'POST /v1/webhooks/:webhook_id/rotate-secret': () => ({ previous_valid_for_seconds: 60 }),
  'POST /v1/webhooks/:webhook_id/replay': () => ({
    from: '2026-01-01T00:00:00Z',
    until: '2026-01-02T00:00:00Z',
  }),
  'POST /v1/account-webhooks': accountWebhook,
  'PATCH /v1/account-webhooks/:webhook_id': accountWebhook,
  'POST /v1/account-webhooks/:webhook_id/test': () => ({ event_type: 'key.created' }),
  'POST /v1/account-webhooks/:webhook_id/rotate-secret': () => ({ previous_valid_for_seconds: 60 }),
  'POST /v1/account-webhooks/:webhook_id/replay': () => ({
    from: '2026-01-01T00:00:00Z',
    until: '2026-01-02T00:00:00Z',
  }),
  'POST /v1/erasures': () => ({ email: 'gone@sink.test' }),
  'POST /v1/verifications': () => ['ann@sink.test', 'no address'],
  'POST /v1/operator/queue/retry': selection,
  'POST /v1/operator/queue/cancel': selection,
  'POST /v1/operator/queue/pause': () => ({ destination: 'paused.test' }),
  'POST /v1/operator/queue/resume': () => ({ destination: 'paused.test' }),
  'POST /api/session': () => ({ email: 'a@example.test', password: 'wrong', code: '123456' }),
  'POST /api/session/passkey': () => ({ response: credential(0) }),
  'POST /api/first-run': () => ({
    token: 't',
    account_name: 'A',
    name: 'N',
    email: 'n@example.test',
    password: 'a long password',
  }),
  'POST /api/invitations/accept': () => ({ token: 't', name: 'N', password: 'a long password' }),
  'POST /api/password-reset': () => ({ email: 'n@example.test' }),
  'POST /api/password-reset/confirm': () => ({ token: 't', password: 'a long password' }),
  'PATCH /api/me': () => ({ name: 'Owner' }),
  'POST /api/me/password': () => ({ current: 'wrong', password: 'a long password' }),
  'POST /api/me/totp/confirm': () => ({ code: '123456' }),
  'POST /api/me/passkeys': () => ({ name: 'Key', response: credential(0) }),
  'PATCH /v1/people/:user_id': () => ({ role: 'owner' }),
  'POST /v1/inboxes': (n) => ({ name: `Inbox ${n}`, keep_days: 3, keep_messages: 10 }),
  'POST /v1/incidents/:incident_id/mute': () => ({ until: null }),
  'POST /v1/reports': () => ({}),
  'PUT /v1/authentication/sources/:source_id': () => ({ kind: 'known', name: 'Partner' }),
  'PATCH /v1/inboxes/:inbox_id': (n) => ({ name: `Inbox ${n}`, keep_days: 4 }),
  'POST /v1/invitations': (n) => ({ email: `i${n}@example.test`, role: 'viewer' }),
  'PATCH /v1/account': () => ({ name: 'Account' }),
  'POST /v1/keys': (n) => ({
    ...{ kind: 'sending', domains: ['example.test'], scopes: ['stats:read'], networks: ['192.0.2.0/24'] },
    ...{ recipients: ['*@sink.test'], ...(key(n) as object) },
  }),
  'PATCH /v1/keys/:key_id': () => ({ name: 'Changed', recipients: ['*@sink.test'] }),
  'POST /v1/keys/:key_id/rotate': () => ({ overlap: '1h' }),
  'POST /v1/smtp-credentials': (n) => ({
    ...{ domain: 'example.test', networks: ['192.0.2.0/24'], recipients: ['*@sink.test'] },
    ...(key(n) as object),
  }),
  'PATCH /v1/smtp-credentials/:username': () => ({ name: 'Changed', networks: ['192.0.2.0/24'] }),
  'POST /v1/smtp-credentials/:username/rotate': () => ({ overlap: '1h' }),
  'POST /api/preview': () => ({ html: '<p>a</p>' }),
  'POST /v1/domains': (n) => ({ domain: `d${n}.example.org`, dkim: { selector: 'own' } }),
  'PATCH /v1/domains/:domain': () => ({ content_retention_days: 5 }),
  'POST /api/domains/:domain_id/messages/:message_id/resend': () => ({ recipients: ['ann@sink.test'] }),
  'POST /api/domains/:domain_id/messages/:message_id/share': () => ({ hours: 1 }),
  'POST /api/inboxes/:inbox_id/messages/:mail_id/share': () => ({ hours: 1 }),
  'POST /v1/accounts': (n) => ({
    ...{ name: 'A', owner_email: `o${n}@example.test`, external_id: `account-${n}`, reason: 'Unpaid' },
  }),
  'PATCH /v1/accounts/:account_id': () => ({ name: 'Account', external_id: 'account', reason: 'Unpaid' }),
  'POST /v1/accounts/:account_id/credits': () => ({ credits: 1, note: 'gift' }),
  'POST /v1/accounts/:account_id/keys': () => ({
    ...{ name: 'Key', scopes: ['domains:read'], domains: ['example.test'], networks: ['192.0.2.0/24'] },
    expires_at: new Date(Date.now() + 60_000).toISOString(),
  }),
}

/**
 * Routes that refuse the valid body because a service or an object is missing: a link that was sent by mail, a passkey,
 * a message in the queue or
 * with a time, or a body that is no JSON.
 */
const REFUSED = new Set([
  'POST /v1/messages/raw',
  'POST /v1/reports',
  'PATCH /v1/messages/:message_id',
  'POST /v1/operator/queue/retry',
  'POST /v1/operator/queue/cancel',
  // No key changes an owner.
  'PATCH /v1/people/:user_id',
  'POST /api/session',
  'POST /api/session/passkey',
  'POST /api/first-run',
  'POST /api/invitations/accept',
  'POST /api/password-reset/confirm',
  'POST /api/me/password',
  'POST /api/me/totp/confirm',
  'POST /api/me/passkeys',
])

/** Endpoints whose response waits for something to happen. */
const STAYS_OPEN = /\/(?:stream|wait)$/

const HOSTILE = ['\0', '\ud800'] as const

/** Returns `text` with `what` inserted in its middle. */
const spoilt = (text: string, what: string): string => {
  const middle = text.length >> 1
  return text.slice(0, middle) + what + text.slice(middle)
}

/** Fields whose properties have names that the client chooses. */
const OF_CLIENTS = new Set(['metadata', 'headers', 'template_model', 'sample_model'])

/** Yields copies of a value, each with `what` inserted into one text or one name that the client chooses. */
function* spoiltValues(value: unknown, what: string, names = false): Generator<unknown> {
  if (typeof value === 'string') yield spoilt(value, what)
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    for (const other of spoiltValues(part, what, OF_CLIENTS.has(name))) {
      if (Array.isArray(value)) yield value.map((one, at) => (String(at) === name ? other : one))
      else yield { ...value, [name]: other }
    }
    if (names) {
      const { [name]: taken, ...rest } = value as Record<string, unknown>
      yield { ...rest, [spoilt(name, what)]: taken }
    }
  }
}

describe('text that no database stores', () => {
  let app: TestApp
  let owner: Person
  const ids = new Map<string, string>()
  let n = 0

  before(async () => {
    app = await TestApp.start({
      env: {
        ...{ POSTRIDER_AUTH_FAILURE_RATE: '1000000/s', POSTRIDER_SENDING_RATE: '1000000/s' },
        POSTRIDER_VERIFICATION_RATE: '1000000/s',
      },
    })
    owner = await Person.loggedIn(app)
    const make = async (path: string, body: unknown) => (await app.call('POST', path, body as object)).body
    await make('/v1/layouts', { ...savedLayout, alias: 'made' })
    await make('/v1/templates', { ...savedTemplate, alias: 'made' })
    const { domain_id } = (await owner.call('GET', '/api/domains')).body.data[0]
    const { user_id } = (await owner.call('GET', '/api/people')).body.data[0]
    const { account_id } = (await owner.call('GET', '/api/accounts')).body.data[0]
    ids
      .set('domain', domain_id)
      .set('domain_id', domain_id)
      .set('user_id', user_id)
      .set('account_id', account_id)
    ids.set('webhook_id', (await make('/v1/webhooks', webhook(0))).webhook_id)
    const ofAccount = await owner.call('POST', '/api/account-webhooks', accountWebhook(0) as object)
    ids.set('account_webhook_id', ofAccount.body.webhook_id)
    ids.set('incident_id', await oneIncident(app, account_id, domain_id, 'hostile'))
    const { inbox_id, mail_id } = await oneInbox(app, account_id, 'inbox')
    ids.set('inbox_id', inbox_id).set('mail_id', mail_id)
    await app.call('POST', '/v1/reports', sampleReport('example.test', 'hostile'))
    ids.set('source_id', (await app.call('GET', '/v1/authentication')).body.data[0].source.source_id)
    ids.set('message_id', (await make('/v1/messages', message(0))).message_id)
    ids.set(
      'key_id',
      (await owner.call('POST', '/api/keys', { kind: 'sending', domains: [domain_id], name: 'k' })).body
        .key_id,
    )
    const credential = { domain: domain_id, name: 'c' }
    ids.set('username', (await owner.call('POST', '/api/smtp-credentials', credential)).body.username)
    ids.set('id_or_alias', 'made').set('alias', 'broadcast').set('version', '1').set('email', 'ann@sink.test')
  })
  after(() => app.stop())

  const pathOf = (url: string): string =>
    url.replaceAll(/:(\w+)/g, (_all, name) => ids.get(objectOf(url, name)) ?? 'x')
  /** Calls a route as a caller that may use the route: an API key or the owner. */
  async function call(
    route: Declared,
    path: string,
    body?: object | string,
    type = 'application/json',
  ): Promise<Answer> {
    const { scope } = route
    if (scope === undefined || scope.startsWith('operator:'))
      return owner.call(
        route.method,
        path.replace(/^\/v1\/operator/, '/api/operator'),
        body,
        body === undefined ? {} : { 'content-type': type },
      )
    const authorization = `Bearer ${await keyFor(app, { scope })}`
    return app.callWith(route.method, path, body, {
      authorization,
      ...(body === undefined ? {} : { 'content-type': type }),
    })
  }
  const isLines = (route: Declared) => nameOf(route) === 'POST /v1/bulk'
  const isForm = (route: Declared) => nameOf(route) === 'POST /api/preview'
  function send(route: Declared, value: unknown): Promise<Answer> {
    const path = pathOf(route.url)
    if (isLines(route))
      return call(
        route,
        path,
        (value as object[]).map((one) => JSON.stringify(one)).join('\n'),
        'application/x-ndjson',
      )
    if (isForm(route))
      return call(
        route,
        path,
        String(new URLSearchParams(value as Record<string, string>)),
        'application/x-www-form-urlencoded',
      )
    return call(route, path, JSON.stringify(value))
  }
  const neighbour = () =>
    app.call('POST', '/v1/messages', {
      from: 'a@example.test',
      to: [{ email: 'n@sink.test' }],
      subject: 's',
      text: 't',
      // The database key of this tag equals the key of a tag with the other half of a surrogate pair.
      tag: spoilt('welcome', '\udfff'),
    })

  test('every route with a body has a sample', () => {
    const names = ALL.filter(({ schema }) => schema.body !== undefined).map(nameOf)
    assert.deepEqual(Object.keys(BODIES).sort(), names.sort())
  })

  for (const route of ALL.filter(({ schema }) => schema.body !== undefined)) {
    const name = nameOf(route)
    test(`${name}: every text of its body`, async () => {
      // Earlier concurrent requests may have changed the template, so its original content is saved again.
      const restored = { ...savedTemplate, alias: 'made' }
      assert.equal((await app.call('PUT', '/v1/templates/made', restored)).status, 200)
      const { status } = await send(route, BODIES[name]?.(n++))
      assert.equal(status < 400, !REFUSED.has(name), `${status}`)
      const sent: Promise<string | undefined>[] = []
      for (const what of HOSTILE) {
        for (const value of spoiltValues(BODIES[name]?.(n++), what)) {
          const answered = send(route, value).then((answer) =>
            answer.status < 500 ? undefined : `${answer.status} ${JSON.stringify(value)}`,
          )
          sent.push(answered)
        }
      }
      // Concurrent requests share commits with the hostile requests.
      const besides = await Promise.all([neighbour(), neighbour(), neighbour()])
      assert.deepEqual(
        (await Promise.all(sent)).filter((one) => one !== undefined),
        [],
      )
      assert.deepEqual(
        besides.map((one) => one.status),
        [202, 202, 202],
      )
    })
  }

  /** Hostile texts in a URL, percent-encoded. */
  const ESCAPED = ['a%00b', '%ED%A0%80']
  test('every parameter of every query, and every name in a path', async () => {
    const bad: string[] = []
    for (const route of ALL) {
      if (STAYS_OPEN.test(route.url) && route.method === 'GET') continue
      const { properties = {} } = (route.schema.querystring ?? {}) as { properties?: object }
      const path = pathOf(route.url)
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : '{}'
      const names = [...route.url.matchAll(/:(\w+)/g)].map(([all]) => all)
      const addresses = ESCAPED.flatMap((text) => [
        ...Object.keys(properties).map((name) => `${path}?${name}=${text}`),
        ...names.map((name) => pathOf(route.url.replace(name, text))),
      ])
      const found = await Promise.all(
        addresses.map(async (address) => [address, (await call(route, address, body)).status] as const),
      )
      for (const [address, status] of found)
        if (status >= 500) bad.push(`${status} ${route.method} ${address}`)
    }
    assert.deepEqual(bad, [])
  })

  test('cursors of every list', async () => {
    const bad: string[] = []
    for (const route of ALL) {
      const { properties = {} } = (route.schema.querystring ?? {}) as { properties?: object }
      if (!('cursor' in properties) || STAYS_OPEN.test(route.url)) continue
      const { body } = await call(route, `${pathOf(route.url)}?limit=1`)
      const given: unknown = body?.next_cursor
      const plain = typeof given === 'string' ? given : 'x'
      const decoded = Buffer.from(plain, 'base64url').toString()
      const cursors = HOSTILE.flatMap((what) => [
        spoilt(plain, what),
        Buffer.from(spoilt(decoded, what)).toString('base64url'),
        Buffer.from(JSON.stringify(spoilt(decoded, what))).toString('base64url'),
        Buffer.from(`1 a${what}b 1`).toString('base64url'),
        Buffer.from(`1 ${what}`).toString('base64url'),
      ])
      for (const cursor of cursors) {
        const address = `${pathOf(route.url)}?cursor=${encodeURIComponent(cursor.toWellFormed())}`
        const { status } = await call(route, address)
        if (status >= 500) bad.push(`${status} ${route.method} ${address}`)
      }
    }
    assert.deepEqual(bad, [])
  })

  test('accepted text is read, counted and followed', async () => {
    await settled(app.store)
    for (const route of ALL) {
      if (route.method !== 'GET' || /zone$|dns-hosting/.test(route.url) || STAYS_OPEN.test(route.url))
        continue
      const { status } = await call(route, pathOf(route.url))
      assert.ok(status < 500, `${nameOf(route)}: ${status}`)
    }
    const tags = await app.store.read.selectFrom('messages').select('tag').distinct().execute()
    assert.ok(tags.every(({ tag }) => tag?.isWellFormed() ?? true))
  })
})
