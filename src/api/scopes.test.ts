// Tests every endpoint under /v1 with keys that have all scopes but the required one, only the required one, or a scope
// that does not apply, and with keys that are valid elsewhere.

// thorough: takes 3 CPU seconds to call every endpoint with a key of its own; keys.test.ts covers the refusals

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { managementKey, USUAL_MANAGEMENT_SCOPES } from '../../test/support/keys.ts'
import { isOfOperator, type Scope } from '../access/scopes.ts'
import type { Route } from './route.ts'
import { routes, type Services } from './routes.ts'

const ALL: readonly Route[] = routes({} as Services)
const nameOf = ({ method, url }: Route): string => `${method} ${url}`

describe('every endpoint for keys', () => {
  let app: TestApp
  const keys = new Map<string, string>()
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api', POSTRIDER_AUTH_FAILURE_RATE: '1000000/s' },
    })
  })
  after(() => app.stop())

  /** Returns a management key with these scopes. */
  async function keyWith(scopes: readonly Scope[]): Promise<string> {
    const name = scopes.join(' ')
    const known = keys.get(name) ?? (await managementKey(app, { scopes, grants: [] }))
    keys.set(name, known)
    return known
  }
  const ask = (key: string, { method, url }: Route): Promise<Answer> =>
    app.callWith(method, url.replaceAll(/:\w+/g, 'x'), undefined, { authorization: `Bearer ${key}` })

  test('is refused to a key that lacks its scope, and to no key that has only its scope', async () => {
    let asked = 0
    for (const route of ALL) {
      const { scope } = route
      if (scope === 'any-credential' || route.url.endsWith('/stream')) continue
      asked++
      const others = await keyWith(USUAL_MANAGEMENT_SCOPES.filter((one) => one !== scope))
      const refused = await ask(others, route)
      assert.deepEqual([refused.status, refused.body.code], [403, 'scope_not_permitted'], nameOf(route))
      const wanted = isOfOperator(scope)
        ? `This needs a key or an owner of the operating account with the scope ${scope}.`
        : `This needs the scope ${scope}.`
      assert.ok(refused.body.detail.startsWith(wanted), nameOf(route))
      const only = await ask(await keyWith([scope]), route)
      assert.notEqual(only.status, 401, nameOf(route))
      const code = only.body?.code
      assert.ok(
        !['scope_not_permitted', 'key_kind_not_permitted', 'internal_error'].includes(code),
        nameOf(route),
      )
    }
    assert.ok(asked > 60, String(asked))
  })

  test('is refused without a key, with a key of another kind and from another network', async () => {
    const elsewhere = await managementKey(app, { networks: ['192.0.2.0/24'] })
    for (const route of ALL) {
      assert.equal((await ask('x', route)).status, 401, nameOf(route))
      const { status, body } = await ask(elsewhere, route)
      assert.deepEqual([status, body.code], [403, 'network_not_permitted'], nameOf(route))
    }
  })

  test('names its scope in the OpenAPI document', async () => {
    const { paths } = (await app.call('GET', '/v1/openapi.json')).body
    for (const { method, url, scope } of ALL) {
      const { security, description } = paths[url.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      const isAny = scope === 'any-credential'
      assert.deepEqual(security, [{ key: isAny ? [] : [scope] }], url)
      assert.ok(
        description.endsWith(isAny ? 'Any key may call this.' : `Requires the scope \`${scope}\`.`),
        url,
      )
    }
  })
})
