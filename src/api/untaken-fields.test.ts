// Tests that unknown fields are refused by name, because they would otherwise be ignored silently, and that missing
// required fields are refused.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { keyFor } from '../../test/support/keys.ts'
import { thorough } from '../../test/support/thorough.ts'
import { needsNoBody } from './route.ts'
import { operatorRoutes, routes, type Services } from './routes.ts'

const all = routes({} as Services)
/** Domain in paths, which exists, because a path with another name is refused first. */
const DOMAIN = 'fields.example'

describe('the endpoints of keys', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    const authorization = `Bearer ${await keyFor(app, { scope: 'domains:write' })}`
    const { status } = await app.callWith('POST', '/v1/domains', { domain: DOMAIN }, { authorization })
    assert.equal(status, 201)
  })
  after(() => app.stop())

  const call = async (
    { method, url, scope }: Pick<(typeof all)[number], 'method' | 'url' | 'scope'>,
    query: string,
    body?: object | string,
  ): Promise<Answer> => {
    const authorization = `Bearer ${await keyFor(app, { scope })}`
    return app.callWith(method, `${url.replace(':domain', DOMAIN).replaceAll(/:\w+/g, 'x')}${query}`, body, {
      authorization,
    })
  }

  const assertRefused = ({ status, body }: Answer, route: { readonly method: string; url: string }): void => {
    const said = `${route.method} ${route.url}: ${JSON.stringify(body)}`
    assert.equal(status, 422, said)
    const told = body.errors.filter(({ path }: { path: string }) => path === 'nonesuch')
    assert.deepEqual(
      told.map(({ code }: { code: string }) => code),
      ['unknown_field'],
      said,
    )
  }

  test('refuse an unknown query', async () => {
    // Endpoints with both a body and a query are left out, because they report a body of the wrong shape first.
    const asked = all.filter(({ schema }) => schema.body === undefined || schema.querystring === undefined)
    assert.ok(asked.length > 40, String(asked.length))
    for (const route of asked) {
      const takesArray = (route.schema.body as { type?: string } | undefined)?.type === 'array'
      const body = route.schema.body === undefined ? undefined : takesArray ? [] : {}
      assertRefused(await call(route, '?nonesuch=1', body), route)
    }
  })

  test('refuse a filter that is present and empty, instead of returning everything', async () => {
    const asked = all.filter(({ schema, method }) => schema.querystring !== undefined && method === 'GET')
    assert.ok(asked.length > 15, String(asked.length))
    let filters = 0
    for (const route of asked) {
      const { properties } = route.schema.querystring as { properties: Record<string, { type?: string }> }
      for (const [name, { type }] of Object.entries(properties)) {
        if (type !== 'string' || name === 'cursor') continue
        filters++
        const { status, body } = await call(route, `?${name}=`)
        const said = `${route.url}?${name}=: ${JSON.stringify(body)}`
        assert.equal(status, 422, said)
        assert.ok(
          body.errors.some(({ path }: { path: string }) => path === name),
          said,
        )
        // Verification endpoints are left out, because verification returns a result for any text.
        if (route.effect !== 'charges') assert.equal((await call(route, `?${name}=%20%20`)).status, 422, said)
      }
    }
    assert.ok(filters > 20, String(filters))
  })

  test('refuse unknown fields of a body, and ignore an empty body', async () => {
    const asked = all.filter(({ schema, method }) => schema.body === undefined && method !== 'GET')
    assert.ok(asked.length > 8, String(asked.length))
    for (const route of asked) {
      assertRefused(await call(route, '', { nonesuch: 1 }), route)
      const { body } = await call(route, '', {})
      const told = (body?.errors ?? []).map(({ code }: { code: string }) => code)
      assert.ok(!told.includes('unknown_field'), `${route.method} ${route.url}`)
    }
  })

  test('report that a body is missing, whatever its declared type', async () => {
    const asked = all.filter((route) => route.schema.body !== undefined && !needsNoBody(route))
    assert.ok(asked.length > 15, String(asked.length))
    for (const route of asked) {
      for (const body of [undefined, '']) {
        const answer = await call(route, '', body)
        assert.equal(answer.status, 400, `${route.method} ${route.url}`)
        assert.match(
          answer.body.detail,
          /^The request has no body\. Send (JSON|a complete message|the file itself)/,
          `${route.method} ${route.url}`,
        )
      }
    }
  })

  test(
    'need no body if none of its fields is required, and the reference says so',
    thorough('0.8 CPU s: the whole reference'),
    async () => {
      const { body: openapi } = await app.call('GET', '/v1/openapi.json')
      const documented = ({ method, url }: (typeof all)[number]) =>
        openapi.paths[url.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      const found = all.filter(needsNoBody)
      assert.ok(found.length >= 4, String(found.length))
      for (const route of found) {
        const [none, empty] = [await call(route, ''), await call(route, '', {})]
        const said = `${route.method} ${route.url}: ${JSON.stringify(none.body)}`
        assert.deepEqual([none.status, none.body.errors], [empty.status, empty.body.errors], said)
      }
      for (const route of [...all, ...operatorRoutes({} as Services)]) {
        if (route.schema.body === undefined) continue
        const { requestBody } = documented(route)
        assert.equal(requestBody.required, !needsNoBody(route), `${route.method} ${route.url}`)
      }
    },
  )

  test('document their 422 answer', async () => {
    const { body: openapi } = await app.call('GET', '/v1/openapi.json')
    for (const { method, url } of all) {
      const { responses } = openapi.paths[url.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      assert.ok('422' in responses, `${method} ${url}`)
    }
  })

  test('send no message for a field that is in the query', async () => {
    const mail = { from: 'a@example.test', to: [{ email: 'b@c.test' }], subject: 's', text: 't' }
    const { status, body } = await app.call('POST', '/v1/messages?stream=broadcast', mail)
    assert.equal(status, 422)
    assert.deepEqual(body.errors[0].path, 'stream')
    assert.deepEqual((await app.call('GET', '/v1/messages')).body.data, [])
  })
})

describe('a field name that reader and schema both report', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  for (const path of ['/v1/messages', '/v1/templates', '/v1/streams', '/v1/suppressions', '/v1/webhooks']) {
    test(`is reported once by ${path}`, async () => {
      const { status, body } = await app.call('POST', path, '{"__proto__":{"a":1}}')
      assert.equal(status, 422)
      const told = body.errors.filter((one: { path: string }) => one.path === '__proto__')
      assert.equal(told.length, 1, JSON.stringify(body.errors))
    })
  }
})
