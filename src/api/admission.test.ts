// Tests the access conditions of every route of the HTTP server: permitted callers, rate limit and maximum body size.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../test/support/app.ts'
import { connectTo, type RawAnswer, readAnswer } from '../../test/support/raw-http.ts'
import { until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import type { AdmittedRoute } from '../http/http-server.ts'

const STRANGERS = 16 * 1024
const SMALL = 64 * 1024
/** Settings that turn ACME on, which adds the public route for challenges. */
const ACME = {
  POSTRIDER_ACME_EMAIL: 'post@sender.test',
  POSTRIDER_ACME_DIRECTORY: 'https://acme.invalid/directory',
  POSTRIDER_HTTPS_PORT: '0',
}

/** Public routes, with the reasons why public access is harmless. */
const FOR_ANYBODY = [
  /^GET \/(assets\/:name)?$/, // page and files of the dashboard
  /^GET \/docs(\/|\/reference\.(css|js)|\/mark\.svg|\/search\.json|\/pages\/:name|\/:name\.md)?$/, // the reference and the documentation
  /^GET \/llms\.txt$/, // the list of the documentation
  /^GET \/v1\/openapi\.json$/,
  /^GET \/(healthz|readyz|metrics)$/,
  /^(GET|POST) \/u\/:token$/, // unsubscribe links
  /^OPTIONS \/v1\/verifyEmail$/, // preflight requests of web pages with a public key, which carry no key
  /^GET \/[co]\/:token$/, // tracked links and the tracking pixel, with signed tokens
  /^GET \/i\/:inbound_id\/(raw|attachments\/:number)$/, // files of an inbound message, with a token that names the file
  /^GET \/\.well-known\/mta-sts\.txt$/, // mail servers of strangers, which fetch the policy of an inbound host
  /^GET \/\.well-known\/acme-challenge\/:token$/, // requests of a certificate authority, with tokens of the authority
  // Routes for logging in, and for the steps before a login.
  /^(GET|POST) \/api\/session$/,
  /^POST \/api\/session\/passkey(\/options)?$/,
  /^(GET|POST) \/api\/first-run$/,
  /^(GET|POST) \/api\/invitations\/(accept|lookup)$/,
  /^GET \/api\/shared\/:message_id(\/html)?$/, // one message, with a signed token that expires
  /^GET \/api\/shared-mails\/:mail_id(\/html)?$/, // one mail of a test inbox, with such a token
  /^POST \/api\/password-reset$/,
  /^(GET|POST) \/api\/password-reset\/confirm$/,
  /^[A-Z]+ \/compat\/[a-z]+\/\*$/, // paths without a call of the service, which are refused in its form
  /^GET \/api\/shared-records$/, // records that are public once published, with a token that names the domain
]

/** Endpoints that take message contents or lists; settings of the installation limit the size of their bodies. */
const TAKES_CONTENT =
  /\/(inboxes\/:inbox_id\/api\/v1\/send|messages|messages\/batch|messages\/raw|check|reports|bulk|bulk\/check|templates|templates\/:id_or_alias|layouts|layouts\/:id_or_alias|render|templates\/:id_or_alias\/render|suppressions|suppressions\/remove|account-suppressions|account-suppressions\/remove|verifications|verification\/verifications|verifications\/check|preview|preview\/table)$/

describe('every address', () => {
  let app: TestApp
  let routes: readonly AdmittedRoute[]
  let admin: ReadonlySet<AdmittedRoute>
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_OPERATOR_TOKEN: 'x'.repeat(40), POSTRIDER_ADMIN_PORT: '0', ...ACME },
    })
    const { routes: clients, adminRoutes } = app.app
    admin = new Set(adminRoutes)
    routes = [...clients, ...adminRoutes].filter(({ method }) => method !== 'HEAD')
  })
  after(() => app.stop())

  const named = ({ method, url }: AdmittedRoute): string => `${method} ${url}`

  /** Sends the header of a request that announces a body, and the given part of this body. */
  function begin(route: AdmittedRoute, announced: number, sent: string): Promise<RawAnswer> {
    const { method, url } = route
    const socket = connectTo(admin.has(route) ? app.app.adminUrl : app.app.url)
    socket.write(
      `${method} ${url.replace(/[:*]\w*/g, 'x')} HTTP/1.1\r\nHost: ${new URL(app.app.url).host}\r\nConnection: close\r\n` +
        `Origin: ${app.app.url}\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n${sent}`,
    )
    return readAnswer(socket)
  }

  test('declares its callers, and only the listed ones are public', () => {
    assert.ok(routes.length > 120, `${routes.length}`)
    const open = routes.filter(({ authorization }) => authorization === 'nobody').map(named)
    assert.deepEqual(
      open.filter((name) => !FOR_ANYBODY.some((known) => known.test(name))),
      [],
    )
    const unused = FOR_ANYBODY.filter((known) => !open.some((name) => known.test(name)))
    assert.deepEqual(unused.map(String), [], 'patterns without a route must be removed from the list')
    for (const route of routes) {
      assert.match(
        route.authorization,
        /^(([a-z]+:[a-z]+|any-credential) key|inbox key|the operator's token|nobody|viewer|developer|admin|owner|operator)$/,
      )
    }
  })

  test('has a rate: that of the key, or by network for clients without one', () => {
    for (const route of routes)
      assert.equal(route.rate === 'key', route.authorization.endsWith(' key'), named(route))
  })

  test('has a limit for bodies: 16 KiB without a login, 64 KiB except for contents', () => {
    for (const route of routes) {
      const { authorization, maxBodyBytes } = route
      if (authorization === 'nobody') assert.ok(Number(maxBodyBytes) <= STRANGERS, named(route))
      else if (maxBodyBytes !== 'content' && maxBodyBytes <= SMALL) continue
      else if (route.url.startsWith('/compat/'))
        assert.match(authorization, /^(messages:send|templates:\w+|suppressions:write|any-credential) key$/)
      else assert.match(route.url, TAKES_CONTENT)
    }
  })

  test(
    'answers 401 to an unknown client before any body is read',
    thorough('0.8 CPU s: answers of many megabytes'),
    async () => {
      const guarded = routes.filter(({ authorization }) => authorization !== 'nobody')
      for (const route of guarded) {
        const { status } = await begin(route, 5_000_000, '{')
        // After enough failures from one client address the status is 429, also before the body is read.
        assert.ok(
          status === 401 || (status === 429 && /^\/(v1|compat|inboxes)\//.test(route.url)),
          `${named(route)}: ${status}`,
        )
      }
    },
  )

  test('refuses a body over the limit for clients without a login', async () => {
    const open = routes.filter(({ authorization, method }) => authorization === 'nobody' && method === 'POST')
    assert.ok(open.length >= 8)
    for (const route of open) {
      const body = JSON.stringify({ email: 'a@b.test', more: 'x'.repeat(STRANGERS) })
      const { status } = await begin(route, body.length, body)
      assert.ok(status >= 400 && status < 500, `${named(route)}: ${status}`)
    }
  })

  test('two Host or two Authorization fields are refused', async () => {
    for (const fields of ['Host: a\r\nHost: b', 'Host: a\r\nAuthorization: x\r\nauthorization: y']) {
      const socket = connectTo(app.app.url)
      socket.write(`GET /healthz HTTP/1.1\r\n${fields}\r\nConnection: close\r\n\r\n`)
      const { status, body } = await readAnswer(socket)
      assert.equal(status, 400)
      assert.match(JSON.parse(body).detail, /two (host|authorization) fields/)
    }
  })
})

/** Routes whose response contains a message, which may be large; the routes of the queue show no content. */
const SHOWS_CONTENT = [
  'GET /api/account-webhooks/:webhook_id/deliveries/:delivery_id',
  'GET /api/domains/:domain_id/inbound/:inbound_id',
  'GET /api/domains/:domain_id/inbound/:inbound_id/html',
  'GET /api/domains/:domain_id/inbound/:inbound_id/raw',
  'GET /api/domains/:domain_id/messages/:message_id',
  'GET /api/domains/:domain_id/messages/:message_id/html',
  'GET /api/domains/:domain_id/messages/:message_id/raw',
  'GET /api/domains/:domain_id/webhooks/:webhook_id/deliveries/:delivery_id',
  'GET /api/inboxes/:inbox_id/messages/:mail_id',
  'GET /api/inboxes/:inbox_id/messages/:mail_id/html',
  'GET /api/inboxes/:inbox_id/messages/:mail_id/raw',
  'GET /api/shared-mails/:mail_id',
  'GET /api/shared-mails/:mail_id/html',
  'GET /api/shared/:message_id',
  'GET /api/shared/:message_id/html',
  'GET /compat/mailgun/v3/domains/:domain/messages/:key',
  'GET /compat/sendgrid/v3/messages/:msg_id',
  'GET /i/:inbound_id/raw',
  'GET /inboxes/:inbox_id/api/v1/messages/:id',
  'GET /v1/account-webhooks/:webhook_id/deliveries/:delivery_id',
  'GET /v1/inbound/:inbound_id',
  'GET /v1/inbound/:inbound_id/raw',
  'GET /v1/inboxes/:inbox_id/messages/:mail_id',
  'GET /v1/inboxes/:inbox_id/messages/:mail_id/raw',
  'GET /v1/messages/:message_id',
  'GET /v1/messages/:message_id/raw',
  'GET /v1/webhooks/:webhook_id/deliveries/:delivery_id',
]

describe('every address that shows a message', () => {
  const MIB = 1024 * 1024
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_BODY_MEMORY_BYTES: String(50 * MIB), POSTRIDER_MAX_BODY_BYTES: String(12 * MIB) },
    })
  })
  after(() => app.stop())

  test(
    'holds memory of the account for its answer until the client has received the answer or disconnected',
    thorough('3 CPU s: answers of many megabytes'),
    async () => {
      const shows = app.app.routes.filter(
        ({ method, url }) =>
          method === 'GET' &&
          /^(?!.*queue).*\/(messages|inbound|i|deliveries|shared|shared-mails)\/:\w+(\/raw|\/html)?$/.test(
            url,
          ),
      )
      assert.deepEqual(shows.map(({ method, url }) => `${method} ${url}`).sort(), SHOWS_CONTENT)
      const id = await app.send({ text: 'All work and no play\n'.repeat(500_000) })
      const path = `/v1/messages/${id}`
      const status = async (url: string): Promise<number> => (await app.call('GET', url)).status
      const urls = [`${path}/raw`, `${path}?include=content`]
      // The client reads only the status line, because further reads would let the socket buffers of the kernel grow
      // until they contain the whole response. The status is 503 while the response to another request holds the
      // memory.
      let unread: Socket | undefined
      await until('the client has received the status', async () => {
        unread = connectTo(app.app.url)
        unread.write(
          `GET ${path}/raw HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.playground.sending_key}\r\n\r\n`,
        )
        await once(unread, 'readable')
        if (String(unread.read(12)) === 'HTTP/1.1 200') return true
        unread.destroy()
        return false
      })
      await until(
        'neither is answered',
        async () => String(await Promise.all(urls.map(status))) === '503,503',
      )
      unread?.destroy()
      // The requests run one after the other, because on a busy machine a request may hold memory longer than the next
      // request waits.
      for (const url of urls) await until(`${url} is answered again`, async () => (await status(url)) === 200)
    },
  )
})
