// Tests the figures of Google Postmaster Tools with a real HTTPS server that answers as the API does.

import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { certificateFor } from '../../test/support/authority.ts'
import { ANSWERED, DnsHost } from '../../test/support/dns-host.ts'
import { createOwner, NOW } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { silentLog } from '../lib/log.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { listSendingDomains } from '../store/domains/domain-rows.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { PostmasterTools, readPostmasterKey } from './postmaster.ts'
import { PostmasterWatch } from './postmaster-watch.ts'
import { readPanels } from './requirement-panel.ts'

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>]

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

let server: Server
let dns: DnsHost
let http: OutgoingHttp
/** Answers by method and path, and the requests in order. */
let answers: Map<string, Answer>
let requests: { readonly path: string; readonly body: string; readonly authorization: string | undefined }[]

const read = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

before(async () => {
  server = createServer(await certificateFor(['gmailpostmastertools.localhost', 'localhost']))
  server.on('request', async (request, response) => {
    const path = `${request.method} ${request.url}`
    requests.push({ path, body: await read(request), authorization: request.headers.authorization })
    const [status, body, headers = {}] = answers.get(path.replace(/\?.*/, '')) ?? [404, {}]
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  dns = await DnsHost.start()
  const resolver = createResolver({ servers: [dns.server], ...ANSWERED })
  http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.0/8 ::1') })
})
after(async () => {
  await http.stop()
  await dns.stop()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  requests = []
  answers = new Map<string, Answer>([
    ['POST /token', [200, { access_token: 'ya29.secret', expires_in: '3600' }]],
    [
      'GET /v2/domains',
      [
        200,
        {
          domains: [
            { name: 'domains/shop.example', permission: 'OWNER' },
            { name: 'domains/x.example', permission: 'NONE' },
          ],
        },
      ],
    ],
    ['POST /v2/domains/shop.example/domainStats:query', [200, STATS]],
    ['GET /v2/domains/shop.example/complianceStatus', [200, COMPLIANCE]],
  ])
})

/** Figures of two days, the newer one first; the days in between are missing. */
const STATS = {
  domainStats: [
    { metric: 'spam_rate', date: { year: 2025, month: 12, day: 30 }, value: { doubleValue: 0.0042 } },
    { metric: 'spam_rate', date: { year: 2025, month: 12, day: 27 }, value: { intValue: '0' } },
  ],
}
const COMPLIANCE = {
  complianceData: {
    rowData: [
      { requirement: 'SPF', status: { status: 'COMPLIANT' } },
      { requirement: 'DMARC_ALIGNMENT', status: { status: 'NEEDS_WORK' } },
      { requirement: 'SPF_AND_DKIM', status: { status: 'COMPLIANT' } },
      { requirement: 'constructor', status: { status: 'constructor' } },
    ],
    oneClickUnsubscribeVerdict: { status: { status: 'COMPLIANT' } },
    honorUnsubscribeVerdict: { status: { status: 'NEEDS_WORK' }, reason: 'NOT_HONORING' },
  },
}

const host = (): string => `localhost:${(server.address() as AddressInfo).port}`
const key = (more: object = {}): string =>
  JSON.stringify({
    ...{ type: 'service_account', client_email: 'postrider@example.iam', private_key: privateKey },
    ...{ token_uri: `https://${host()}/token`, universe_domain: host() },
    ...more,
  })
const tools = (more?: object): PostmasterTools =>
  new PostmasterTools(readPostmasterKey(key(more)), http, new TestClock(NOW))

test('a service account signs its request, and the token serves all requests', async () => {
  const using = tools()
  assert.deepEqual(await using.domains(), new Set(['shop.example']))
  const figures = await using.figures('shop.example')
  assert.deepEqual(figures, [
    { requirement: 'complaint_share', status: 'not_met', measured: 0.0042 },
    { requirement: 'spf', status: 'met', measured: 'Google Postmaster Tools: COMPLIANT' },
    { requirement: 'alignment', status: 'not_met', measured: 'Google Postmaster Tools: NEEDS_WORK' },
    { requirement: 'one_click', status: 'met', measured: 'Google Postmaster Tools: COMPLIANT' },
    {
      requirement: 'list_unsubscribe_honoured',
      status: 'not_met',
      measured: 'Google Postmaster Tools: NEEDS_WORK',
    },
  ])
  const [token, ...others] = requests
  const assertion = new URLSearchParams(token?.body).get('assertion') ?? ''
  const [head, claims = '', signature = ''] = assertion.split('.')
  assert.ok(
    verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')),
  )
  assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()).aud, `https://${host()}/token`)
  assert.deepEqual(
    others.map(({ authorization }) => authorization),
    Array(3).fill('Bearer ya29.secret'),
  )
})

test('an authorized user gives its refresh token', async () => {
  const user = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' }
  assert.ok((await tools(user).domains()) instanceof Set)
  assert.equal(requests[0]?.body, 'grant_type=refresh_token&client_id=c&client_secret=s&refresh_token=r')
})

test('missing days, int64 in strings and odd answers are no figures', async () => {
  const rateOf = async (stats: unknown) => {
    answers.set('POST /v2/domains/shop.example/domainStats:query', [200, stats as object])
    const found = await tools().figures('shop.example')
    assert.ok(!('reason' in found))
    const [rate] = found
    return [rate?.status, rate?.measured]
  }
  const date = { year: 2025, month: 12, day: 31 }
  assert.deepEqual(await rateOf({ domainStats: [{ date, value: { intValue: '0' } }] }), ['met', 0])
  assert.deepEqual(await rateOf({ domainStats: [{ date, value: { floatValue: 0.001 } }] }), ['met', 0.001])
  for (const odd of [
    {},
    { domainStats: [] },
    { domainStats: 'x' },
    { domainStats: [null, 7, { date, value: { doubleValue: 'NaN' } }] },
    { domainStats: [{ date: { year: 'x' }, value: { doubleValue: 0 } }] },
    { domainStats: [{ date, value: { doubleValue: -1 } }] },
  ]) {
    const [status, reason] = await rateOf(odd)
    assert.equal(status, 'not_known', JSON.stringify(odd))
    assert.match(String(reason), /no spam rate of the last 10 days/)
  }
  for (const broken of ['[1]', 'null', '{', '', 'x'.repeat(2_000_000)]) {
    assert.equal((await rateOf(broken))[0], 'not_known')
  }
})

test('403 and 429 are reasons, and 429 says when to ask again', async () => {
  answers.set('POST /v2/domains/shop.example/domainStats:query', [
    403,
    { error: { status: 'PERMISSION_DENIED' } },
  ])
  answers.set('GET /v2/domains/shop.example/complianceStatus', [403, {}])
  assert.deepEqual(await tools().figures('shop.example'), {
    reason: 'Google refuses the account the access to the domain (403)',
  })
  answers.set('GET /v2/domains', [429, {}, { 'retry-after': '120' }])
  assert.deepEqual(await tools().domains(), { reason: 'Google limits the requests (429)', retryMs: 120_000 })
  answers.set('POST /token', [400, { error: 'invalid_grant' }])
  assert.deepEqual(await tools().domains(), { reason: 'no access token: Google answered 400' })
  answers.set('POST /token', [200, { access_token: 'a\r\nb' }])
  assert.deepEqual(await tools().domains(), { reason: 'no access token: the answer has none' })
  assert.match(JSON.stringify(await tools({ private_key: 'x' }).domains()), /cannot sign/)
})

test('a key file names what is wrong', () => {
  for (const [text, reason] of [
    ['{', /is not JSON/],
    ['null', /has no field/],
    ['{"type":"external_account"}', /has the type external_account/],
    ['{"type":"service_account"}', /has no field client_email/],
    [key({ token_uri: 'x' }), /not valid/],
  ] as const) {
    assert.throws(() => readPostmasterKey(text), reason)
  }
})

test('the figures of each domain are kept for its panel, and a limit ends the run', async () => {
  const store = await openTestStore('sqlite')
  try {
    const clock = new TestClock(NOW)
    await createOwner(store)
    const [domain] = await listSendingDomains(store.read)
    assert.ok(domain !== undefined)
    const panel = async () => {
      const [gmail] = await readPanels(
        store.read,
        { isRelayed: false, unreachableLinks: undefined },
        domain,
        clock.now(),
      )
      const share = gmail?.checks.find(({ requirement }) => requirement === 'complaint_share')
      return [share?.status, share?.source, share?.measured]
    }
    const using = new PostmasterTools(readPostmasterKey(key()), http, clock)
    const watch = new PostmasterWatch({ store, clock, log: silentLog, node: new NodeName(), tools: using })
    await watch.run()
    const [status, source, reason] = await panel()
    assert.deepEqual([status, source], ['not_known', null])
    assert.match(String(reason), /is not in Google Postmaster Tools/)
    answers.set('GET /v2/domains', [
      200,
      { domains: [{ name: `domains/${domain.name}`, permission: 'READER' }] },
    ])
    answers.set(`POST /v2/domains/${domain.name}/domainStats:query`, [200, STATS])
    answers.set(`GET /v2/domains/${domain.name}/complianceStatus`, [200, COMPLIANCE])
    const running = watch.run()
    await clock.armed(200, 'lib/time-budget')
    clock.advance(200)
    await running
    assert.deepEqual(await panel(), ['not_met', 'postmaster', 0.0042])
    answers.set('GET /v2/domains', [429, {}, { 'retry-after': '600' }])
    await watch.run()
    assert.deepEqual(await panel(), ['not_met', 'postmaster', 0.0042])
    const before = requests.length
    await watch.run()
    assert.equal(requests.length, before)
  } finally {
    await store.close()
  }
})
