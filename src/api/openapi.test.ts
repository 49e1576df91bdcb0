// Tests that the OpenAPI document is valid and short, and that its names lead client generators to good types and
// methods.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { breaksOf, type OpenApi } from '../../test/support/openapi-breaks.ts'
import { committedOpenApi, currentOpenApi, OPENAPI_FILE } from '../../test/support/openapi-document.ts'
import { thorough } from '../../test/support/thorough.ts'
import { SHAPE_NAMES } from './contract/names.ts'
import { ReferenceDocuments } from './openapi.ts'
import { routes, type Services } from './routes.ts'

/** Changes that break clients on purpose. A release empties the list, and announces the changes in CHANGELOG.md. */
const INTENDED_BREAKS: readonly string[] = []

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly headers?: object }>>
}

interface Body {
  readonly schema: { readonly type?: string; readonly format?: string }
  readonly example?: unknown
}

describe('the OpenAPI document', () => {
  let app: TestApp
  let answer: Answer
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    answer = await app.call('GET', '/v1/openapi.json')
  })
  after(() => app.stop())

  test('is the document of docs/openapi.json, and breaks no client of the last committed one', async () => {
    const text = await currentOpenApi(app)
    assert.ok(
      text === (await readFile(OPENAPI_FILE, 'utf8')),
      'docs/openapi.json is out of date: npm run openapi',
    )
    const before = await committedOpenApi()
    const broken = before === undefined ? [] : breaksOf(before, JSON.parse(text) as OpenApi)
    assert.deepEqual(
      broken.filter((sentence) => !INTENDED_BREAKS.includes(sentence)),
      [],
    )
  })

  test('names the scope of each endpoint', () => {
    for (const { method, url, scope } of routes({} as Services)) {
      const path = answer.body.paths[url.replaceAll(/:(\w+)/g, '{$1}')]
      const { security, description } = path[method.toLowerCase()]
      const isAny = scope === 'any-credential'
      assert.deepEqual(security, [{ key: isAny ? [] : [scope] }], url)
      const ending = isAny ? 'Any key may call this.' : `Requires the scope \`${scope}\`.`
      assert.ok(description.endsWith(ending), url)
    }
  })

  test('is valid, and every reference has a target', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(answer.body))
    assert.ok(valid, JSON.stringify(errors))
    const text = JSON.stringify(answer.body)
    for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path.split('/').reduce((part, step) => part?.[step], answer.body)
      assert.notEqual(found, undefined, path)
    }
  })

  test('has about a tenth of its expanded size, whatever the number of operations', () => {
    const { length } = JSON.stringify(answer.body)
    const operations = Object.values(answer.body.paths as object).flatMap((methods) => Object.keys(methods))
    assert.ok(length < 3_150 * operations.length, `${length} for ${operations.length}`)
  })

  test('describes the parameters that many operations have once', () => {
    const { paths, components } = answer.body
    const references = paths['/v1/templates'].get.parameters
    assert.deepEqual(references, [
      { $ref: '#/components/parameters/limit' },
      { $ref: '#/components/parameters/cursor' },
      { $ref: '#/components/parameters/name' },
      { $ref: '#/components/parameters/domain' },
    ])
    const { limit, 'idempotency-key': key } = components.parameters
    assert.deepEqual([limit.in, limit.schema.maximum, key.in], ['query', 200, 'header'])
    // Parameters with the same name and another meaning are described where they are.
    const stream = paths['/v1/suppressions'].get.parameters.find(
      ({ name }: { name?: string }) => name === 'stream',
    )
    assert.match(stream.description, /^Alias of a stream/)
  })

  test('has a unique ID for each operation', () => {
    const ids = Object.values(answer.body.paths as Record<string, Record<string, Operation>>).flatMap(
      (methods) => Object.values(methods).map(({ operationId }) => operationId),
    )
    assert.equal(new Set(ids).size, ids.length, ids.join(' '))
    for (const id of ids) assert.match(id, /^[a-z][a-zA-Z]*(\.[a-zA-Z]+)+$/)
    for (const id of [
      'messages.send',
      'messages.list',
      'messages.get',
      'messages.cancel',
      'templates.versions.restore',
      'inbound.getRaw',
      'suppressions.removeMany',
    ]) {
      assert.ok(ids.includes(id), `${id} is not among ${ids.join(' ')}`)
    }
    // A verb of a path is the method, and one document is no list.
    for (const id of ids) assert.doesNotMatch(id, /\.(?:raw|content)\.list$|\.(?:remove|cancel|test)\.\w+$/)
  })

  test('lists the tags of its operations in the order of the reference, the operator last', () => {
    const { paths, tags, webhooks } = answer.body as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>
      readonly tags: readonly { readonly name: string }[]
      readonly webhooks: { readonly event: { readonly post: { readonly tags: readonly string[] } } }
    }
    const used = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((one) => one.tags))
    const names = tags.map(({ name }) => name)
    assert.deepEqual(names.toSorted(), [...new Set([...used, ...webhooks.event.post.tags])].toSorted())
    assert.deepEqual([names[0], names.at(-1)], ['Messages', 'Operator'])
  })

  test('has every named shape, and models may hold anything', () => {
    const { schemas } = answer.body.components
    assert.deepEqual(
      Object.keys(SHAPE_NAMES).filter((name) => !(name in schemas)),
      [],
    )
    assert.equal(schemas.SendRequest.properties.template_model.additionalProperties, true)
    assert.doesNotMatch(JSON.stringify(answer.body), /Default Response/)
  })

  test('has a text or bytes for each body that is a file, with example rows, and the shapes of lines', () => {
    const { paths, components, webhooks } = answer.body
    const bodies = ['/v1/bulk', '/v1/verifications', '/v1/suppressions', '/v1/suppressions/remove'].flatMap(
      (path) =>
        Object.entries<Body>(paths[path].post.requestBody.content).map(([type, body]) => ({
          path,
          type,
          ...body,
        })),
    )
    const files = bodies.filter(({ type }) => type !== 'application/json')
    assert.equal(files.length, 9)
    for (const { path, type, schema, example } of files) {
      assert.equal(schema.type, 'string', `${path} ${type}`)
      if (type.endsWith('.sheet')) assert.equal(schema.format, 'binary', path)
      else assert.ok(String(example).split('\n').length > 2, `${path} ${type}`)
    }
    assert.deepEqual(paths['/v1/bulk'].post.requestBody.content['application/x-ndjson'].schema['x-lines'], [
      { $ref: '#/components/schemas/BulkMessage' },
      { $ref: '#/components/schemas/BulkRow' },
    ])
    assert.ok('to' in components.schemas.BulkRow.properties)
    const { content } = paths['/v1/verifications/{verification_id}/results'].get.responses[200]
    assert.deepEqual(content['text/csv'].schema, { type: 'string' })
    const { schema } = webhooks.event.post.requestBody.content['application/json']
    assert.deepEqual(schema.properties.data, { $ref: '#/components/schemas/Event' })
  })

  test('documents the answer to a wrongly encoded path where a name is part of it', async () => {
    for (const [path, methods] of Object.entries(
      answer.body.paths as Record<string, Record<string, Operation>>,
    )) {
      if (!path.includes('{')) continue
      for (const { operationId, responses } of Object.values(methods)) {
        assert.match(responses[400]?.$ref ?? '', /malformed_request/, operationId)
      }
    }
    const { status, body } = await app.call('GET', '/v1/messages/%zz')
    assert.deepEqual([status, body.code], [400, 'malformed_request'])
  })

  test('names the address of created objects, except for suppressions, which have none', async () => {
    const { post } = answer.body.paths['/v1/suppressions'] as Record<string, Operation>
    assert.ok(!('Location' in (post?.responses[201]?.headers ?? {})))
    const made = await app.call('POST', '/v1/suppressions', { email: 'new@receiver.example' })
    assert.deepEqual([made.status, made.headers.get('location')], [201, null])
    const { responses } = answer.body.paths['/v1/streams'].post as Operation
    assert.ok('Location' in (responses[201]?.headers ?? {}))
  })

  test('is cached by clients, and is sent compressed', async () => {
    const etag = answer.headers.get('etag') ?? ''
    const again = await app.call('GET', '/v1/openapi.json', undefined, { 'if-none-match': etag })
    assert.equal(again.status, 304)
    const gzipped = await app.call('GET', '/v1/openapi.json', undefined, { 'accept-encoding': 'gzip' })
    assert.equal(gzipped.headers.get('content-encoding'), 'gzip')
    assert.deepEqual(gzipped.body, answer.body)
  })
})

test(
  'documents whose thread was ended are created at the next request',
  thorough('0.8 CPU s: documents that are made again in a thread'),
  async () => {
    const routes = [
      { method: 'GET', url: '/v1/things', schema: { summary: 'List things', tags: ['Things'] } },
    ]
    const documents = new ReferenceDocuments(routes, () => 'https://mail.example', 'example.com')
    const first = documents.made()
    await Promise.all([assert.rejects(first), documents.stop()])
    const { openapi, page } = await documents.made()
    const { paths, servers } = JSON.parse(Buffer.from(openapi.plain).toString())
    assert.deepEqual(servers, [{ url: 'https://mail.example' }])
    assert.equal(paths['/v1/things'].get.summary, 'List things')
    assert.match(Buffer.from(page.plain).toString(), /List things/)
    assert.equal(documents.made(), documents.made())
  },
)
