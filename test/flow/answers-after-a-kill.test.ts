// Every list and every page of the API responds after a kill -9 during deliveries.

// thorough: takes 4 CPU seconds to kill a node and to read every list and page

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dashboardRoutes, mountedOperatorRoutes, mountedRoutes } from '../../src/api/dashboard/routes.ts'
import { operatorRoutes, routes } from '../../src/api/routes.ts'
import { DnsHost } from '../support/dns-host.ts'
import { kindOfRoute } from '../support/keys.ts'
import { MailHost } from '../support/mail-host/mail-host.ts'
import { answerTo } from '../support/mail-host/script.ts'
import { NodeProcess } from '../support/node-process.ts'
import { type TestStorage, testStorage, usualDatabase } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

const OPERATOR_TOKEN = 'operator-token-of-forty-characters-12345'
const SENT = 12

const shown = (all: readonly { readonly method: string; readonly url: string }[]): string[] =>
  all.filter(({ method }) => method === 'GET').map(({ url }) => url)
/** The endpoints for management keys are also endpoints of users. */
const BY_KEY = shown(routes({} as never).filter((route) => kindOfRoute(route) !== 'management'))
const BY_TOKEN = shown(operatorRoutes({} as never))
const BY_SESSION = shown([
  ...dashboardRoutes({} as never),
  ...mountedRoutes({} as never),
  ...mountedOperatorRoutes({} as never),
])

describe('after a kill', () => {
  let host: MailHost
  let dns: DnsHost
  let storage: TestStorage
  let node: NodeProcess
  let cookie: string
  /** Value of each path parameter; the response for an object that does not exist may be 404. */
  const parameters: Record<string, string> = { alias: 'transactional', version: '1' }
  /** Query of each route that requires one. */
  const queries: Record<string, string> = {
    '/api/search': '?q=hello',
    '/api/shared-mails/:mail_id': '?token=none',
    '/api/shared-mails/:mail_id/html': '?token=none',
    '/api/first-run': '?token=none',
    '/api/password-reset/confirm': '?token=none',
    '/api/invitations/lookup': '?token=none',
  }
  /** True for a route whose query is an invalid link token. */
  const isOfLink = (url: string): boolean => queries[url]?.startsWith('?token=') ?? false

  before(async () => {
    // The mail host reads the whole message and never replies, so that every attempt is in progress at the time of the
    // kill.
    host = await MailHost.start({ script: answerTo('MESSAGE', { after: 'hang' }) })
    dns = await DnsHost.start({ '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } })
    storage = await testStorage(usualDatabase(), 'playground')
    node = new NodeProcess({ storage, dns, host, env: { POSTRIDER_OPERATOR_TOKEN: OPERATOR_TOKEN } })
    await start()
    for (let sent = 0; sent < SENT; sent++) {
      const { message_id } = await call('POST', '/v1/messages', {
        from: 'hello@example.test',
        to: [{ email: `you${sent}@receiver.example` }],
        subject: 'Hello',
        text: 'Hello.',
      }).then((response) => response.json() as Promise<{ message_id: string }>)
      parameters.message_id ??= message_id
    }
    await until('the mail host has a message', () =>
      host.connections.some(({ commands }) => commands.includes('(message)')),
    )
    const workspace = `/api/domains/${parameters.domain_id}`
    const shareOf = async (path: string, body: object): Promise<string> => {
      const { url } = (await (await call('POST', `${workspace}/${path}`, body)).json()) as { url: string }
      return new URL(url).search
    }
    queries['/api/shared-records'] = await shareOf('record-links', {})
    const shared = await shareOf(`messages/${parameters.message_id}/share`, { hours: 1 })
    queries['/api/shared/:message_id'] = queries['/api/shared/:message_id/html'] = shared
    // The destination is paused, so that every message keeps its status after the kill.
    const held = await call('POST', '/v1/operator/queue/pause', { destination: 'receiver.example' })
    assert.equal(held.status, 200, await held.text())
    await node.kill()
  })
  after(async () => {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
    await storage.remove()
  })

  async function start(): Promise<void> {
    await node.start()
    const login = await call('POST', '/api/session', node.playground.dashboard_login)
    assert.equal(login.status, 200)
    cookie = login.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    const domains = await call('GET', '/api/domains')
    const { data } = (await domains.json()) as { data: { domain_id: string }[] }
    parameters.domain_id = data[0]?.domain_id ?? ''
  }

  function call(method: string, path: string, body?: object): Promise<Response> {
    const { playground } = node
    const key = /^\/v1\/(verif|credits)/.test(path) ? playground.verification_key : playground.sending_key
    const token = path.startsWith('/v1/operator') ? OPERATOR_TOKEN : key
    return fetch(new URL(path, playground.dashboard_url), {
      method,
      headers: {
        origin: playground.dashboard_url,
        ...(path.startsWith('/api') ? { cookie: cookie ?? '' } : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async function allAnswer(): Promise<void> {
    const failed: string[] = []
    for (const url of [...BY_KEY, ...BY_TOKEN, ...BY_SESSION]) {
      const path = url.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? 'none')
      const known = [...url.matchAll(/:(\w+)/g)].every(([, name = '']) => name in parameters)
      const asked = /verifyEmail|explain/.test(path) ? '?email=a%40a.example' : queries[url]
      for (const query of asked === undefined ? ['', '?include=content'] : [asked]) {
        const { status } = await call('GET', path + query)
        // Only a request for an existing object, without an unknown query, must return 200; the message is plain text,
        // so the request for its HTML may return 404.
        const wanted = query === (asked ?? '') && known && !url.endsWith('/html')
        if (status >= 500 || (wanted && status !== 200 && !isOfLink(url)))
          failed.push(`${path}${query} ${status}`)
      }
    }
    assert.deepEqual(failed, [])
  }

  test('every list and every page answers', async () => {
    assert.ok(BY_KEY.length + BY_TOKEN.length + BY_SESSION.length > 60)
    await start()
    await allAnswer()
    const list = (await (await call('GET', '/v1/messages')).json()) as { data: { updated_at: string }[] }
    assert.equal(list.data.length, SENT)
    for (const { updated_at } of list.data) assert.ok(Math.abs(Date.parse(updated_at) - Date.now()) < 120_000)
    await node.kill()
  })
})
