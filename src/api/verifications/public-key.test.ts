// Tests public keys: only GET /v1/verifyEmail, only from the listed origins, limited by the network of the visitor.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../test/support/answers.ts'
import { TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { until } from '../../../test/support/test-clock.ts'

const ORIGIN = 'https://www.example.com'
const PATH = '/v1/verifyEmail?email=nonsense'

describe('a public key', () => {
  let app: TestApp
  let manager: string
  let made: { key: string; key_id: string }
  before(async () => {
    const env = { POSTRIDER_AUTH_FAILURE_RATE: '100000/s', POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8' }
    app = await TestApp.start({ env })
    manager = await managementKey(app)
    made = await ok(create(manager), 201)
  })
  after(() => app.stop())

  const by =
    (secret: string, more: Record<string, string> = {}) =>
    (method: string, path: string, body?: object) =>
      app.callWith(method, path, body, { authorization: `Bearer ${secret}`, ...more })
  const create = (secret: string, fields: object = {}) =>
    by(secret)('POST', '/v1/keys', { kind: 'public', name: 'Form', origins: [ORIGIN], ...fields })
  const from = (origin: string, visitor = '192.0.2.1') => by(made.key, { origin, 'x-forwarded-for': visitor })

  test('is made by a management key and by a user, and has the only scope and its origins', async () => {
    assert.match(made.key, /^public_[A-Za-z0-9]{43}$/)
    const shown = await ok(by(manager)('GET', `/v1/keys/${made.key_id}`))
    assert.deepEqual(
      [shown.kind, shown.scopes, shown.origins, shown.domains],
      ['public', ['verifications:check'], [ORIGIN], null],
    )
    const owner = await Person.loggedIn(app)
    const other = await ok(
      owner.call('POST', '/api/keys', { kind: 'public', name: 'x', origins: ['http://localhost:3000'] }),
      201,
    )
    await refused(
      by(app.playground.sending_key)('POST', '/v1/keys', { kind: 'public', name: 'x' }),
      403,
      'key_kind_not_permitted',
    )
    const changed = await ok(
      by(manager)('PATCH', `/v1/keys/${other.key_id}`, { origins: [ORIGIN, 'https://b.example'] }),
    )
    assert.deepEqual(changed.origins, [ORIGIN, 'https://b.example'])
    await refused(by(manager)('PATCH', `/v1/keys/${other.key_id}`, { origins: [] }), 422, 'validation_failed')
  })

  test('verifies from its origins alone, and the page may read the result', async () => {
    const answer = await from(ORIGIN)('GET', PATH)
    assert.deepEqual([answer.status, answer.body.result], [200, 'undeliverable'])
    assert.equal(answer.headers.get('access-control-allow-origin'), ORIGIN)
    assert.match(answer.headers.get('vary') ?? '', /Origin/)
    for (const origin of [
      'https://other.example',
      'null',
      `${ORIGIN}.evil.example`,
      ORIGIN.replace('https', 'http'),
    ]) {
      const refusal = await from(origin)('GET', PATH)
      assert.deepEqual([refusal.status, refusal.body.code], [403, 'origin_not_permitted'], origin)
      assert.equal(refusal.headers.get('access-control-allow-origin'), null)
    }
    await refused(by(made.key)('GET', PATH), 403, 'origin_not_permitted')
  })

  test('calls nothing else', async () => {
    for (const [method, path] of [
      ['GET', '/v1/verifyEmailDetailed?email=nonsense'],
      ['GET', '/v1/key'],
      ['GET', '/v1/credits'],
      ['GET', '/v1/messages'],
      ['GET', '/v1/keys'],
      ['POST', '/v1/messages'],
    ] as const) {
      await refused(
        from(ORIGIN)(method, path, method === 'POST' ? {} : undefined),
        403,
        'key_kind_not_permitted',
      )
    }
  })

  test('answers the preflight of listed origins, without a key', async () => {
    const ask = (origin: string) =>
      app.callWith('OPTIONS', '/v1/verifyEmail', undefined, {
        ...{
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      })
    const { status, headers } = await ask(ORIGIN)
    assert.deepEqual(
      [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')],
      [204, ORIGIN, 'authorization'],
    )
    assert.equal((await ask('https://other.example')).headers.get('access-control-allow-origin'), null)
  })

  test('has 20 requests a minute for each network of a visitor', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => from(ORIGIN, '198.51.100.7')('GET', PATH)),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 20)
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
    assert.equal((await from(ORIGIN, '203.0.113.9')('GET', PATH)).status, 200)
  })

  test('ends with its revocation, for preflights too', async () => {
    const { key, key_id } = await ok(create(manager, { origins: ['https://short.example'] }), 201)
    const short = by(key, { origin: 'https://short.example', 'x-forwarded-for': '192.0.2.9' })
    assert.equal((await short('GET', PATH)).status, 200)
    await by(manager)('DELETE', `/v1/keys/${key_id}`)
    await until('the key is refused', async () => (await short('GET', PATH)).status === 401)
    const { headers } = await app.callWith('OPTIONS', '/v1/verifyEmail', undefined, {
      origin: 'https://short.example',
    })
    assert.equal(headers.get('access-control-allow-origin'), null)
  })
})
