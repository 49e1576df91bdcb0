// Tests changes under If-Match of every noun whose responses have an ETag: of two changes of one version, one is made.
// The list of nouns is generated from the routes.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { managementKey } from '../../test/support/keys.ts'
import { ALL_SCOPES } from '../access/scopes.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

/** Routes with a change that `If-Match` may condition. */
const CONDITIONAL: readonly Route[] = routes({} as never).filter(
  ({ versioned }) => typeof versioned === 'function',
)

/** An object of a noun: how it is created, changed and deleted. */
interface Recipe {
  /** Creates the n-th object; returns its path. */
  create(call: Call, n: number): Promise<string>
  /** Body of a change, with a text that only this change has. */
  change(text: string, n: number): object
  /** Query of the deletion. */
  readonly confirm?: (n: number) => string
}
type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

async function made(answer: Promise<Answer>, field: string): Promise<string> {
  const { status, body } = await answer
  assert.equal(status, 201, JSON.stringify(body))
  return body[field]
}

const template = (n: number, name: string) => ({ alias: `race-${n}`, name, subject: name, text: name })
const layout = (n: number, name: string) => ({
  ...{ alias: `race-${n}`, name, text: `${name} {{{ @content }}}`, html: '{{{ @content }}}' },
})

/** A recipe for the path of each noun. */
const RECIPES: Readonly<Record<string, Recipe>> = {
  '/v1/domains/:domain': {
    create: async (call, n) =>
      `/v1/domains/${await made(call('POST', '/v1/domains', { domain: `race-${n}.example` }), 'domain_id')}`,
    change: (text) => ({ content_retention_days: text === 'one' ? 3 : 5 }),
    confirm: (n) => `?confirm=race-${n}.example`,
  },
  '/v1/streams/:alias': {
    create: async (call, n) =>
      `/v1/streams/${await made(call('POST', '/v1/streams', { alias: `race-${n}`, name: 'Race', kind: 'broadcast' }), 'alias')}`,
    change: (text) => ({ name: text }),
  },
  '/v1/templates/:id_or_alias': {
    create: async (call, n) =>
      `/v1/templates/${await made(call('POST', '/v1/templates', template(n, 'Race')), 'template_id')}`,
    change: (text, n) => template(n, text),
  },
  '/v1/layouts/:id_or_alias': {
    create: async (call, n) =>
      `/v1/layouts/${await made(call('POST', '/v1/layouts', layout(n, 'Race')), 'layout_id')}`,
    change: (text, n) => layout(n, text),
  },
  '/v1/webhooks/:webhook_id': {
    create: async (call, n) =>
      `/v1/webhooks/${await made(call('POST', '/v1/webhooks', { url: `https://race-${n}.example/` }), 'webhook_id')}`,
    change: (text) => ({ name: text }),
  },
  '/v1/account-webhooks/:webhook_id': {
    create: async (call, n) => {
      const url = `https://race-${n}.example/`
      return `/v1/account-webhooks/${await made(call('POST', '/v1/account-webhooks', { url }), 'webhook_id')}`
    },
    change: (text) => ({ name: text }),
  },
  '/v1/accounts/:account_id': {
    create: async (call, n) =>
      `/v1/accounts/${await made(call('POST', '/v1/accounts', { name: `Race ${n}` }), 'account_id')}`,
    change: (text, n) => ({ external_id: `${text}-${n}` }),
    confirm: (n) => `?confirm=Race%20${n}`,
  },
  '/v1/account': {
    create: async () => '/v1/account',
    change: (text) => ({ name: `Account ${text}` }),
  },
}

/** Rounds of each race, since two requests may by chance run one after the other. */
const ROUNDS = 5

describe('changes under If-Match', () => {
  let app: TestApp
  let call: Call
  let count = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    const wide = await managementKey(app, { scopes: ALL_SCOPES })
    const { body } = await app.call('GET', '/v1/domains', undefined, { authorization: `Bearer ${wide}` })
    const narrow = await managementKey(app, { domainIds: [body.data[0].domain_id] })
    call = (method, path, given, headers = {}) => {
      const key = /^\/v1\/(streams|templates|layouts|webhooks)\b/.test(path) ? narrow : wide
      return app.call(method, path, given, { authorization: `Bearer ${key}`, ...headers })
    }
  })
  after(() => app.stop())

  const etagOf = async (path: string): Promise<string> => {
    const { headers, body } = await call('GET', path)
    return headers.get('etag') ?? assert.fail(JSON.stringify(body))
  }

  const recipeOf = ({ url }: Route): Recipe => RECIPES[url] ?? assert.fail(`no recipe for ${url}`)
  const changes = CONDITIONAL.filter(({ method }) => method !== 'DELETE')
  const deletions = CONDITIONAL.filter(({ method }) => method === 'DELETE')

  test('are offered by every noun', () => {
    assert.deepEqual(new Set(CONDITIONAL.map(({ url }) => url)), new Set(Object.keys(RECIPES)))
    assert.ok(changes.length >= 7 && deletions.length >= 6)
  })

  for (const route of changes) {
    const { method, url } = route
    test(`of one version end in one change: ${method} ${url}`, async () => {
      const recipe = recipeOf(route)
      for (let round = 0; round < ROUNDS; round++) {
        const n = ++count
        const path = await recipe.create(call, n)
        const etag = await etagOf(path)
        const words = ['one', 'two']
        const answers = await Promise.all(
          words.map((text) => call(method, path, recipe.change(text, n), { 'if-match': etag })),
        )
        const statuses = answers.map(({ status }) => status)
        assert.deepEqual(statuses.toSorted(), [200, 412], JSON.stringify(answers.map(({ body }) => body)))
        const refused = answers.find(({ status }) => status === 412)
        assert.deepEqual(
          [refused?.body.code, refused?.body.errors[0].path],
          ['changed_meanwhile', 'If-Match'],
        )
        const changed = answers.find(({ status }) => status === 200)
        const { body: present, headers } = await call('GET', path)
        assert.deepEqual(present, changed?.body)
        assert.equal(headers.get('etag'), changed?.headers.get('etag'))
        assert.notEqual(headers.get('etag'), etag)
        assert.partialDeepStrictEqual(present, recipe.change(words[statuses.indexOf(200)] ?? '', n))
      }
    })
  }

  for (const route of deletions) {
    const { url } = route
    test(`and a deletion of one version end in one of both: DELETE ${url}`, async () => {
      const recipe = recipeOf(route)
      const method = changes.find((one) => one.url === url)?.method ?? assert.fail(url)
      for (let round = 0; round < ROUNDS; round++) {
        const n = ++count
        const path = await recipe.create(call, n)
        const headers = { 'if-match': await etagOf(path) }
        const confirm = recipe.confirm?.(n) ?? ''
        const [removed, changed] = await Promise.all([
          call('DELETE', path + confirm, undefined, headers),
          call(method, path, recipe.change('one', n), headers),
        ])
        const both = `${removed.status} ${changed.status}`
        // A change that finds no object any more is refused with 404.
        assert.ok(['204 412', '204 404', '412 200'].includes(both), both)
        assert.equal((await call('GET', path)).status, removed.status === 204 ? 404 : 200)
      }
    })
  }

  test('apply to any version without If-Match, or with If-Match: *', async () => {
    const path = await (RECIPES['/v1/streams/:alias'] as Recipe).create(call, ++count)
    for (const headers of [undefined, { 'if-match': '*' }]) {
      const answers = await Promise.all(['one', 'two'].map((name) => call('PATCH', path, { name }, headers)))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
    }
    const absent = await call('PATCH', '/v1/streams/none', { name: 'x' }, { 'if-match': '*' })
    assert.equal(absent.status, 404)
  })

  test('do not depend on messages, which reduce the allowance of a stream', async () => {
    const fields = { alias: 'counted', name: 'Counted', kind: 'transactional', sending_allowance: 10 }
    const { status } = await call('POST', '/v1/streams', fields)
    assert.equal(status, 201)
    await app.send({ stream: 'counted' })
    const etag = await etagOf('/v1/streams/counted')
    await app.send({ stream: 'counted' })
    const { body } = await call('GET', '/v1/streams/counted')
    assert.equal(body.sending_allowance, 8)
    const changed = await call('PATCH', '/v1/streams/counted', { name: 'Same' }, { 'if-match': etag })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
  })
})
