// A test request for every endpoint that accepts idempotency keys, and the expected stored state afterwards.

import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { TOTP } from 'otpauth'
import { ALL_SCOPES } from '../../src/access/scopes.ts'
import { dashboardRoutes, mountedRoutes } from '../../src/api/dashboard/routes.ts'
import { isAnsweredOnce } from '../../src/api/route.ts'
import { routes } from '../../src/api/routes.ts'
import { TABLES, type Tables } from '../../src/store/database/schema.ts'
import type { Store } from '../../src/store/database/store.ts'
import { cancelRecipients } from '../../src/store/queue/queue-control.ts'
import type { Answer, TestApp } from './app.ts'
import { Authenticator } from './browser/authenticator.ts'
import { deferredMessage } from './deferred-message.ts'
import { sampleReport } from './dmarc-reports.ts'
import { kindOfRoute, managementKey, mountedName, scopeOf } from './keys.ts'
import { objectOf, oneInbox, oneIncident } from './one-of-everything.ts'
import { Person } from './person.ts'
import { usualDatabase } from './store.ts'
import { addUser } from './users.ts'
import { deliveryOf } from './webhook-rows.ts'

/** Environment of the requests; a test may replace the node after a crash. */
export interface CutWorld {
  readonly app: TestApp
  readonly owner: Person
  /** Values of path parameters. */
  readonly ids: Readonly<Record<string, string>>
}

/** A request to an endpoint; different numbers give different requests. */
export interface KeyedRequest {
  readonly path: string
  readonly body?: object | string | undefined
  /** Caller of the request; by default, the account owner or the key of the account. */
  readonly by?: Person
  /** URL of the dashboard page that sends the request, if not the usual URL. */
  readonly at?: string
}

interface KeyedRoute {
  /** Creates the objects that the request needs, and returns the path parameters and the body of the request. */
  make(
    world: CutWorld,
    n: number,
  ): Promise<{
    readonly ids?: Readonly<Record<string, string>>
    readonly body?: object | string
    by?: Person
    at?: string
  }>
  /** Checks that the response matches the stored data. */
  check?(world: CutWorld, answer: Answer['body']): Promise<void>
  /** True if numbers or lists in the response differ from request to request. */
  readonly varies?: true
  /** True if the request depends on a single process, because the process has its own port or DNS server. */
  readonly inOneProcess?: true
}

const NONE = {} as never

/**
 * All endpoints that accept idempotency keys, except endpoints of `submission/` or `bulk/` that store their effect and
 * their response in one commit.
 */
export const KEYED_ROUTES = [
  ...routes(NONE),
  ...[...dashboardRoutes(NONE), ...mountedRoutes(NONE)].filter(({ role }) => role !== 'nobody'),
]
  .filter(isAnsweredOnce)
  .map(({ method, url }) => `${method} ${url}`)

const body = (bodyOf: (n: number) => object | string): KeyedRoute => ({
  make: async (_, n) => ({ body: bodyOf(n) }),
})

const rotated = async ({ app, owner, ids }: CutWorld): Promise<void> => {
  await owner.call('POST', `/api/domains/${ids.domain_id}/dkim/discard`)
  assert.equal(
    (await owner.call('POST', `/api/domains/${ids.domain_id}/dkim/rotate`)).status,
    200,
    app.app.url,
  )
}

/** Returns a URL with a host name, because a browser creates passkeys only for a host name. */
const byName = ({ app }: CutWorld): string => app.app.url.replace('127.0.0.1', 'localhost')

/** Creates a domain with published new DKIM keys; returns the ID of the domain. */
async function withNextKeys({ app, owner }: CutWorld, domain: string): Promise<string> {
  const { domain_id, records } = await accepted(owner.call('POST', '/api/domains', { domain }))
  app.dns.publish(records)
  await accepted(owner.call('POST', `/api/domains/${domain_id}/verify`))
  app.dns.publish((await accepted(owner.call('POST', `/api/domains/${domain_id}/dkim/rotate`))).records)
  return domain_id
}

/** Returns a route that first performs `step` on the domain, so that the tested step has an effect. */
const behind = (step: string): KeyedRoute => ({
  async make({ owner, ids }) {
    await accepted(owner.call('POST', `/api/domains/${ids.domain_id}/${step}`))
    return {}
  },
  varies: true,
})

const accepted = async (answer: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body
}

const later = (): string => new Date(Date.now() + 3_600_000).toISOString()
const message = { from: 'hello@example.test', subject: 'Hello', text: 'Hello.' }

/** Creates cancelled messages to one address: more messages than a single commit erases. */
async function cancelledMessages({ app, ids }: CutWorld, email: string): Promise<void> {
  const one = { ...message, to: [{ email }], send_at: later() }
  await accepted(
    app.call(
      'POST',
      '/v1/messages/batch',
      Array.from({ length: 51 }, () => one),
    ),
  )
  const owner = { accountId: ids.account_id as string, domainId: ids.domain_id as string }
  const now = Date.now()
  await app.store.write(cancelRecipients, { selection: { owner }, by: 'operator', now } as never)
}

/** Creates a new user for requests that change a login. */
/** Stores a failed delivery of a webhook; returns the ID of the delivery. */
async function failedDelivery(app: TestApp, webhook: Readonly<Record<string, string | undefined>>) {
  const delivery = deliveryOf(webhook as never, { status: 'failed' } as never)
  await app.store.read
    .insertInto('webhook_deliveries')
    .values({ ...delivery, positions: JSON.stringify(delivery.positions), log: '[]' } as never)
    .execute()
  return delivery.id
}

async function person({ app, ids }: CutWorld, n: number) {
  const login = { email: `me-${n}@people.example`, password: `a password of user ${n}` }
  await addUser(app.store, { ...login, account_id: ids.account_id as string, name: null, role: 'admin' })
  return { by: await Person.loggedIn(app, login), ...login }
}

const sampleTable = (n: number, rows: number): string =>
  `email\n${Array.from({ length: rows }, (_, row) => `new-${n}-${row}@receiver.example`).join('\n')}\n`

/** Tables of the objects that responses contain, by ID prefix. */
const NAMED: Readonly<Record<string, keyof Tables>> = {
  ...{ tpl: 'templates', lay: 'layouts', whk: 'webhooks', whd: 'webhook_deliveries', inv: 'invitations' },
  inb: 'test_inboxes',
  rpt: 'reports',
  ...{ key: 'keys', smtp: 'keys', dom: 'domains', acc: 'accounts', ver: 'verifications' },
}

/** Checks that every ID in a response is the ID of a stored row. */
async function namesRows(store: Store, answer: unknown): Promise<void> {
  for (const [id, prefix] of JSON.stringify(answer).matchAll(/(?<=")([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}(?=")/g)) {
    const table = NAMED[prefix as string]
    if (table === undefined) continue
    const { rows } = await sql`select 1 from ${sql.table(table)} where id = ${id}`.execute(store.read)
    assert.equal(rows.length, 1, `${id} of ${table}`)
  }
}

/** Checks that the DNS records of a domain in a response are the records that the account sees. */
async function showsRecords({ owner }: CutWorld, answer: Answer['body']): Promise<void> {
  const { body } = await owner.call('GET', `/api/domains/${answer.domain_id}`)
  assert.deepEqual(answer.records, body.records)
}

const OF_KEYS: Readonly<Record<string, KeyedRoute>> = {
  'POST /v1/accounts': body((n) => ({
    ...{ name: `Account ${n}`, owner_email: `owner-${n}@people.example`, external_id: `account-${n}` },
  })),
  'POST /v1/accounts/:account_id/credits': { ...body(() => ({ credits: 7 })), varies: true },
  'POST /v1/accounts/:account_id/keys': {
    ...body((n) => ({ name: `Key ${n}`, scopes: ['domains:read'] })),
    check: isKey,
  },
  'POST /v1/invitations': body((n) => ({ email: `new-${n}@people.example`, role: 'viewer' })),
  'POST /v1/keys': {
    async make({ app }, n) {
      return { body: { kind: 'sending', domains: [app.playground.domain], name: `Key ${n}` } }
    },
    check: isKey,
  },
  'POST /v1/keys/:key_id/rotate': {
    async make({ owner }, n) {
      const made = owner.call('POST', '/api/keys', { kind: 'verification', name: `Rotated ${n}` })
      return { ids: { key_id: (await accepted(made)).key_id }, body: { overlap: '1h' } }
    },
    check: isKey,
  },
  'POST /v1/smtp-credentials': {
    async make({ app }, n) {
      return { body: { domain: app.playground.domain, name: `Credential ${n}` } }
    },
    check: isCredential,
  },
  'POST /v1/smtp-credentials/:username/rotate': {
    async make({ app, owner }, n) {
      const wanted = { domain: app.playground.domain, name: `Rotated ${n}` }
      const { username } = await accepted(owner.call('POST', '/api/smtp-credentials', wanted))
      return { ids: { username }, body: { overlap: '1h' } }
    },
    check: isCredential,
  },
  'POST /v1/domains': {
    ...body((n) => ({ domain: `cut-${n}.example`, dkim: { selector: 'own' } })),
    check: showsRecords,
  },
  'POST /v1/domains/:domain/dkim/rotate': {
    async make({ owner, ids }) {
      await owner.call('POST', `/api/domains/${ids.domain_id}/dkim/discard`)
      return {}
    },
    ...{ check: showsRecords, varies: true },
  },
  'POST /v1/domains/:domain/dkim/discard': {
    async make(world) {
      await rotated(world)
      return {}
    },
    ...{ check: showsRecords, varies: true },
  },
  'POST /v1/domains/:domain/dkim/switch': {
    async make(world, n) {
      return { ids: { domain: await withNextKeys(world, `switch-${n}.example`) } }
    },
    ...{ check: showsRecords, inOneProcess: true },
  },
  'POST /v1/domains/:domain/dkim/retire': {
    async make(world, n) {
      const domain_id = await withNextKeys(world, `retire-${n}.example`)
      await accepted(world.owner.call('POST', `/api/domains/${domain_id}/dkim/switch`))
      // The old DKIM key may be retired when all messages that it signed have arrived.
      await world.app.store.read
        .updateTable('domain_events')
        .set({ at: Date.now() - 3_600_000 })
        .where('domain_id', '=', domain_id)
        .where('type', '=', 'dkim_switched')
        .execute()
      return { ids: { domain: domain_id } }
    },
    ...{ check: showsRecords, inOneProcess: true },
  },
  'POST /v1/domains/:domain/pause': behind('resume'),
  'POST /v1/domains/:domain/resume': behind('pause'),
  'POST /v1/domains/:domain/verify': {
    // The playground domain does not exist in the real DNS, so the request verifies another domain.
    async make({ owner }, n) {
      const { domain_id } = await accepted(
        owner.call('POST', '/api/domains', { domain: `look-${n}.example` }),
      )
      return { ids: { domain: domain_id } }
    },
  },
  'POST /v1/templates': body((n) => ({ alias: `cut-${n}`, name: 'New', subject: 'New', text: 'New' })),
  'POST /v1/templates/:id_or_alias/versions/:version/restore': { ...body(() => ''), varies: true },
  'POST /v1/layouts': body((n) => ({
    ...{ alias: `cut-${n}`, name: 'New', text: '{{{ @content }}}', html: '{{{ @content }}}' },
  })),
  'POST /v1/layouts/:id_or_alias/versions/:version/restore': { ...body(() => ''), varies: true },
  'POST /v1/streams': body((n) => ({ alias: `cut-${n}`, name: 'New', kind: 'broadcast' })),
  // A table of 1,001 addresses needs two commits.
  'POST /v1/suppressions': body((n) => sampleTable(n, 1_001)),
  'POST /v1/suppressions/remove': {
    async make({ app }, n) {
      const table = sampleTable(n, 1_001)
      await accepted(app.call('POST', '/v1/suppressions', table, { 'content-type': 'text/csv' }))
      return { body: table }
    },
  },
  'POST /v1/account-suppressions': body((n) => ({ email: `account-${n}@receiver.example` })),
  'POST /v1/account-suppressions/remove': {
    async make({ owner }, n) {
      const suppressions = [{ email: `removed-${n}@receiver.example` }]
      await accepted(owner.call('POST', '/api/account-suppressions', { suppressions }))
      return { body: { suppressions } }
    },
  },
  'POST /v1/inboxes': body((n) => ({ name: `Inbox ${n}` })),
  'POST /v1/incidents/:incident_id/mute': {
    async make({ app, ids: { account_id = '', domain_id = '' } }, n) {
      return {
        ids: { incident_id: await oneIncident(app, account_id, domain_id, `muted-${n}`) },
        body: { until: null },
      }
    },
  },
  'POST /v1/reports': body((n) => sampleReport('example.test', `cut-${n}`)),
  'POST /v1/webhooks': body((n) => ({ url: `https://receiver.example/${n}` })),
  'POST /v1/webhooks/:webhook_id/rotate-secret': body(() => ({})),
  'POST /v1/webhooks/:webhook_id/test': { ...body(() => ({})), varies: true },
  'POST /v1/webhooks/:webhook_id/replay': {
    async make({ app }) {
      const { webhook_id } = await accepted(app.call('POST', '/v1/webhooks', { url: 'https://a.example/' }))
      return { ids: { webhook_id }, body: { from: new Date(Date.now() - 3_600_000).toISOString() } }
    },
  },
  'POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/retry': {
    async make({ app, ids: { webhook_id: id, account_id, domain_id } }) {
      return { ids: { delivery_id: await failedDelivery(app, { id, account_id, domain_id }) } }
    },
  },
  'POST /v1/account-webhooks': body((n) => ({ url: `https://receiver.example/account/${n}` })),
  'POST /v1/account-webhooks/:webhook_id/rotate-secret': body(() => ({})),
  'POST /v1/account-webhooks/:webhook_id/test': { ...body(() => ({})), varies: true },
  'POST /v1/account-webhooks/:webhook_id/replay': {
    async make({ app, ids }) {
      const hook = { url: 'https://a.example/' }
      const headers = { authorization: `Bearer ${ids.management_key}` }
      const { webhook_id } = await accepted(app.call('POST', '/v1/account-webhooks', hook, headers))
      const from = new Date(Date.now() - 3_600_000).toISOString()
      return { ids: { account_webhook_id: webhook_id }, body: { from } }
    },
  },
  'POST /v1/account-webhooks/:webhook_id/deliveries/:delivery_id/retry': {
    async make({ app, ids: { account_webhook_id: id, account_id } }) {
      const delivery = await failedDelivery(app, { id, account_id, domain_id: account_id })
      return { ids: { account_delivery_id: delivery } }
    },
  },
  'POST /v1/erasures': {
    async make(world, n) {
      const email = `erased-${n}@receiver.example`
      await cancelledMessages(world, email)
      return { body: { email } }
    },
  },
  'POST /v1/verifications': body((n) => [`new-${n}@receiver.example`]),
  'POST /v1/verifications/:verification_id/cancel': {
    async make({ app, owner }, n) {
      const { verification_id } = await accepted(
        owner.call('POST', '/api/verification/verifications', [`cancelled-${n}@receiver.example`]),
      )
      // Simulates a list that another node is processing.
      await app.store.read
        .updateTable('verifications')
        .set({ status: 'running', finished_at: null, lease: 'nod_1.1', lease_until: Date.now() + 3_600_000 })
        .where('id', '=', verification_id)
        .execute()
      return { ids: { verification_id } }
    },
  },
  'POST /v1/messages/:message_id/cancel': {
    async make({ app }) {
      return { ids: { message_id: await app.send({ send_at: later() }) } }
    },
  },
  'POST /v1/messages/:message_id/retry': {
    async make({ app }) {
      return { ids: { message_id: await deferredMessage(app) } }
    },
  },
  'POST /v1/bulk/:bulk_id/cancel': {
    varies: true,
    async make({ app }, n) {
      const lines = [{ ...message, send_at: later() }, { to: `bulk-${n}@receiver.example` }]
      const given = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      const type = { 'content-type': 'application/x-ndjson' }
      return { ids: { bulk_id: (await accepted(app.call('POST', '/v1/bulk', given, type))).bulk_id } }
    },
  },
}

/** Checks that the secret of a key in a response is valid. */
async function isKey({ app }: CutWorld, { key }: Answer['body']): Promise<void> {
  const { status } = await app.call('GET', '/v1/key', undefined, { authorization: `Bearer ${key}` })
  assert.equal(status, 200)
}

/** Checks that the password of an SMTP credential in a response is valid. */
async function isCredential({ app }: CutWorld, { username, password }: Answer['body']): Promise<void> {
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  assert.equal((await app.call('GET', '/v1/key', undefined, { authorization: `Basic ${basic}` })).status, 200)
}

const OF_PEOPLE: Readonly<Record<string, KeyedRoute>> = {
  'POST /api/domains/:domain_id/messages/:message_id/share': body(() => ({ hours: 24 })),
  'POST /api/inboxes/:inbox_id/messages/:mail_id/share': {
    async make({ app, ids: { account_id = '' } }) {
      const { inbox_id, mail_id } = await oneInbox(app, account_id, 'shared')
      return { ids: { inbox_id, mail_id }, body: { hours: 24 } }
    },
  },
  'POST /api/me/password': {
    async make(world, n) {
      const { by, password } = await person(world, n)
      return { by, body: { current: password, password: `another password of ${n}` } }
    },
  },
  'POST /api/me/totp': {
    async make(world, n) {
      return { by: (await person(world, n)).by }
    },
  },
  'POST /api/me/totp/confirm': {
    async make(world, n) {
      const { by } = await person(world, n)
      const { secret } = await accepted(by.call('POST', '/api/me/totp'))
      return { by, body: { code: new TOTP({ secret }).generate() } }
    },
  },
  'POST /api/me/passkeys/options': {
    async make(world, n) {
      return { by: (await person(world, n)).by, at: byName(world) }
    },
    ...{ varies: true, inOneProcess: true },
  },
  'POST /api/me/passkeys': {
    async make(world, n) {
      const { by } = await person(world, n)
      const at = byName(world)
      const options = await accepted(by.callAt(at, 'POST', '/api/me/passkeys/options'))
      const response = new Authenticator().make(options as never, at)
      return { by, at, body: { response, name: `Passkey ${n}` } }
    },
    inOneProcess: true,
  },
  'POST /api/me/recovery-codes': {
    async make(world, n) {
      const { by } = await person(world, n)
      const { secret } = await accepted(by.call('POST', '/api/me/totp'))
      const code = new TOTP({ secret }).generate()
      await accepted(by.call('POST', '/api/me/totp/confirm', { code }))
      return { by }
    },
  },
}

/** Requests by endpoint; each endpoint that accepts API keys also exists under `/api`. */
export const CUT_ROUTES: Readonly<Record<string, KeyedRoute>> = {
  ...OF_KEYS,
  ...OF_PEOPLE,
  ...Object.fromEntries(Object.entries(OF_KEYS).map(([name, route]) => [mountedName(name), route])),
}

/** Creates the objects that path parameters name. */
export async function cutWorld(app: TestApp): Promise<CutWorld> {
  const owner = await Person.loggedIn(app)
  const { id: domain_id, account_id } = await app.store.read
    .selectFrom('domains')
    .select(['id', 'account_id'])
    .executeTakeFirstOrThrow()
  const old = { name: 'Old', html: '{{{ @content }}}', text: '{{{ @content }}}', alias: 'old' }
  await accepted(app.call('POST', '/v1/templates', { ...old, subject: 'Old', html: 'Old', text: 'Old' }))
  await accepted(app.call('POST', '/v1/layouts', old))
  const { webhook_id } = await accepted(app.call('POST', '/v1/webhooks', { url: 'https://a.example/' }))
  const message_id = await app.send()
  const management_key = await managementKey(app, { scopes: ALL_SCOPES })
  const hook = { url: 'https://a.example/' }
  const headers = { authorization: `Bearer ${management_key}` }
  const ofAccount = await accepted(app.call('POST', '/v1/account-webhooks', hook, headers))
  const ids = {
    domain_id,
    domain: domain_id,
    account_id,
    webhook_id,
    account_webhook_id: ofAccount.webhook_id,
    message_id,
    id_or_alias: 'old',
    version: '1',
    management_key,
  }
  return { app, owner, ids }
}

/** Returns the n-th request to an endpoint, and creates the objects that the request needs. */
export async function keyedRequest(world: CutWorld, name: string, n: number): Promise<KeyedRequest> {
  const { ids = {}, body: given, by, at } = await (CUT_ROUTES[name] as KeyedRoute).make(world, n)
  const all: Readonly<Record<string, string>> = { ...world.ids, ...ids }
  const path = name
    .replace('POST ', '')
    .replace(/:(\w+)/g, (_, one: string) => all[objectOf(name, one)] as string)
  return {
    path,
    body: given === '' ? undefined : given,
    ...(by === undefined ? {} : { by }),
    ...(at === undefined ? {} : { at }),
  }
}

/** Sends the request under this idempotency key. */
export function askUnder(
  world: CutWorld,
  { path, body: given, by, at = world.app.app.url }: KeyedRequest,
  key: string,
): Promise<Answer> {
  const type = typeof given === 'string' ? { 'content-type': 'text/csv' } : {}
  const headers = { 'idempotency-key': key, ...type }
  if (path.startsWith('/api/')) return (by ?? world.owner).callAt(at, 'POST', path, given, headers)
  const { playground } = world.app
  const secret = {
    sending: playground.sending_key,
    verification: playground.verification_key,
    management: world.ids.management_key,
  }[kindOfRoute({ scope: scopeOf(`POST ${path}`) })]
  return world.app.call('POST', path, given, { ...headers, authorization: `Bearer ${secret}` })
}

/**
 * Tables that requests with an idempotency key do not fill, or that background work fills later, such as the tables of
 * messages.
 */
const OTHER_TABLES =
  /^(idempotency_keys|keyed_|event|account_events|stored_bytes|credit_uses|attempts|queue|messages|recipients|contents|bulk_contents|feed|request_log|refused_recipients|nodes|singleton_jobs|shared_rates|login_|sessions|one_time_|subject_|message_|verification_addresses|word|figures|installation|known|hour|tag_|part|late_|reply_|store_|key_notices|list_looks|dns_checks|requirement_states|receiver_|report_addresses)/

/** Returns the number of rows of each table that a request may fill. */
export async function rowCounts(store: Store): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const table of Object.keys(TABLES)) {
    if (OTHER_TABLES.test(table)) continue
    // A verification list whose loading was interrupted is removed later.
    const among = table === 'verifications' ? sql`where status <> 'loading'` : sql``
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} ${among}`.execute(store.read)
    counts.set(table, Number(rows[0]?.count))
  }
  return counts
}

/** Returns the number of added rows by table. */
export const added = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): object =>
  Object.fromEntries(
    [...after].flatMap(([table, count]) => {
      const more = count - (before.get(table) ?? 0)
      return more === 0 ? [] : [[table, more]]
    }),
  )

/** Returns a response without the values that differ between two requests: without texts, or only the field names. */
export const shapeOf = (name: string, answer: unknown): unknown =>
  CUT_ROUTES[name]?.varies
    ? Object.keys(Object(answer)).sort()
    : JSON.parse(JSON.stringify(answer, (_, value) => (typeof value === 'string' ? 'text' : value)))

/** Checks that the content of a response is stored. */
export async function checkStored(world: CutWorld, name: string, answer: Answer['body']): Promise<void> {
  await namesRows(world.app.store, answer)
  await CUT_ROUTES[name]?.check?.(world, answer)
}

/** Actions in the audit log by endpoint; notices to owners name the same actions. */
const ACTIONS: ReadonlyMap<string, string> = new Map(
  [...dashboardRoutes(NONE), ...mountedRoutes(NONE)].map(({ method, url, audit }) => [
    `${method} ${url}`,
    audit || url,
  ]),
)

/**
 * Checks that each service mail to a person was sent once. A notice that names only an action has the same text for all
 * requests to an endpoint.
 * @param made number of different requests to each endpoint
 */
export async function mailsOnce(store: Store, made: ReadonlyMap<string, number>): Promise<void> {
  const mails = await store.read
    .selectFrom('message_contents')
    .select('content')
    .where('account_id', '=', 'installation')
    .execute()
  assert.ok(mails.length > 0)
  const texts = Map.groupBy(mails, ({ content }) => Buffer.from(content).toString())
  const most = new Map([...made].map(([name, number]) => [ACTIONS.get(name), number]))
  for (const [text, same] of texts) {
    const action = /\\nWhat: (\S+) /.exec(text)?.[1]
    assert.ok(same.length <= (most.get(action) ?? 1), `${same.length} times: ${text}`)
  }
}

/**
 * Makes the database refuse a step of a request, as if the process had died before the commit of the step; returns a
 * function that ends the refusal.
 */
export async function cutBefore({ app }: CutWorld, key: string, step: number): Promise<() => Promise<void>> {
  const { read } = app.store
  const run = (text: string) => sql.raw(text).execute(read)
  const refused = `new.idempotency_key = '${key}' and new.step = ${step}`
  if (usualDatabase() === 'sqlite') {
    await run(
      `create trigger cut before insert on keyed_request_steps when ${refused} begin select raise(abort, 'cut'); end`,
    )
    return async () => void (await run('drop trigger cut'))
  }
  await run(
    `create or replace function cut() returns trigger language plpgsql as $$ begin
      if ${refused} then raise exception 'cut'; end if; return new; end $$`,
  )
  await run('create trigger cut before insert on keyed_request_steps for each row execute function cut()')
  return async () => void (await run('drop trigger cut on keyed_request_steps'))
}
