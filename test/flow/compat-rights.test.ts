// The rights of every call in the form of another service, generated from the declarations: each condition of a key gets
// the refusal of the service, changes nothing, and learns nothing about objects of others.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isOfOperator, kindMayHave } from '../../src/access/scopes.ts'
import { VENDORS } from '../../src/compat/compatible-apis.ts'
import type { Vendor, VendorCall } from '../../src/compat/declaration.ts'
import { addDomain } from '../../src/domains/domains.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { newId, uuidOfId } from '../../src/lib/ids.ts'
import type { CompatibleService } from '../../src/lib/setting-kinds.ts'
import { Problem, type ProblemCode } from '../../src/model/problem.ts'
import { setAccountStatus } from '../../src/store/access/accounts.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { type Home, type KeyCaller, keyConditions } from '../support/key-conditions.ts'
import { oneOfEverything, rowsBesidesRefusals } from '../support/one-of-everything.ts'
import { settled, usualDatabase } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'
import { thorough } from '../support/thorough.ts'

/** Header fields with the key, in the form of each service. */
const HEADERS: Readonly<Record<CompatibleService, (secret: string) => Readonly<Record<string, string>>>> = {
  postmark: (secret) => ({ 'x-postmark-server-token': secret }),
  resend: (secret) => ({ authorization: `Bearer ${secret}` }),
  sendgrid: (secret) => ({ authorization: `Bearer ${secret}` }),
  mailgun: (secret) => ({ authorization: `Basic ${btoa(`api:${secret}`)}` }),
  postal: (secret) => ({ 'x-server-api-key': secret }),
  usesend: (secret) => ({ authorization: `Bearer ${secret}` }),
}

const calls = VENDORS.flatMap((vendor) => vendor.calls.map((call) => ({ vendor, call })))
const nameOf = (vendor: Vendor, { method, path }: VendorCall): string => `${vendor.name} ${method} ${path}`

/** Returns a path with a name for each parameter; a name that no object has by default. */
const pathOf = ({ path }: VendorCall, names: Readonly<Record<string, string>> = {}): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name] ?? '999'))

/** Returns the problem of all requests of a caller to a call; undefined if the caller may make the call. */
function refusalOf({ kind, scopes, refused, operates }: KeyCaller, { scope, state }: VendorCall) {
  if (refused !== undefined) return refused.split(' ')[1] as ProblemCode
  if (scope !== 'any-credential') {
    if (!kindMayHave(kind, scope)) return 'key_kind_not_permitted'
    if (!scopes.includes(scope) || (isOfOperator(scope) && !operates)) return 'scope_not_permitted'
  }
  return state === 'refused' ? 'not_available' : undefined
}

describe('the rights of calls in the form of another service', () => {
  let app: TestApp
  let own: Home
  let callers: readonly KeyCaller[]

  before(async () => {
    app = await TestApp.start({
      env: {
        ...{ POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '1000000/s' },
        ...{ POSTRIDER_SENDING_RATE: '1000000/s', POSTRIDER_VERIFICATION_RATE: '1000000/s' },
        POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8',
      },
    })
    own = await homeOf('own')
    const idle = await homeOf('idle')
    const hosts = { returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' }
    const resources = { store: app.store, clock: systemClock }
    const { domain } = await addDomain({
      ...{ ...resources, ...hosts, accountId: own.accountId, name: 'sibling.test', verified: true },
    })
    const sibling = { ...own, domainId: domain.id, domain: domain.name }
    // A key with a single scope is refused as a key without the scope is, which other callers show.
    const all = await keyConditions({ app, own, sibling, idle })
    callers = all.filter(
      ({ scopes, only, refused }) => scopes.length !== 1 || only !== undefined || refused !== undefined,
    )
    await app.store.write(setAccountStatus, { id: idle.accountId, status: 'suspended', now: Date.now() })
    await settled(app.store)
  })
  after(() => app.stop())

  async function homeOf(mark: string): Promise<Home> {
    const tenant = await createTenant(app.store, { domain: `${mark}.test` })
    const names = await oneOfEverything(app, tenant, mark)
    const { account, domain } = tenant
    return { accountId: account.id, domainId: domain.id, domain: domain.name, names }
  }

  /** Makes a call with the secret of a caller in the place where the service has it. */
  function ask(vendor: Vendor, call: VendorCall, caller: KeyCaller, path = pathOf(call)): Promise<Answer> {
    const { authorization: _, ...others } = caller.headers
    const body = call.method === 'GET' || call.method === 'DELETE' ? undefined : call.takesArray ? [{}] : {}
    return app.callWith(call.method, `/compat/${vendor.name}${path}`, body, {
      ...others,
      ...keyHeaders(vendor, caller),
    })
  }

  /** Returns the header fields with the secret of a caller; none for a caller without a secret. */
  function keyHeaders(vendor: Vendor, { headers }: KeyCaller): Readonly<Record<string, string>> {
    const secret = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1]
    return secret === undefined ? {} : HEADERS[vendor.name](secret)
  }

  /** Compares the status of an answer with that of the service's table of errors. */
  function judge(vendor: Vendor, call: VendorCall, caller: KeyCaller, answer: Answer): string[] {
    const code = refusalOf(caller, call)
    const what = `${nameOf(vendor, call)}, ${caller.name}`
    if (code === undefined) {
      const unknown = vendor.refusal(new Problem('authentication_failed', ''), {
        headers: {},
      } as never).status
      // A permitted request fails because of its empty body or its missing object, and never inside of the service.
      return answer.status >= 500
        ? [`${what}: ${answer.status} ${JSON.stringify(answer.body)}, not ${unknown}`]
        : []
    }
    const { status } = vendor.refusal(new Problem(code, ''), {
      ...{ method: call.method, url: `/compat/${vendor.name}${call.path}` },
      headers: { 'content-type': 'application/json', ...keyHeaders(vendor, caller) },
    } as never)
    return answer.status === status
      ? []
      : [`${what}: ${answer.status} instead of ${status} (${code}): ${JSON.stringify(answer.body)}`]
  }

  test('every call by a caller that may not make it is refused in the form of the service', {
    ...thorough('3 CPU s: every call by a key in each condition'),
    skip: usualDatabase() === 'postgres' && 'a refusal precedes every statement about an object',
  }, async (t) => {
    const wrong: string[] = []
    let cells = 0
    await settled(app.store)
    const before = await rowsBesidesRefusals(app.store, own.accountId)
    for (const { vendor, call } of calls) {
      for (const caller of callers) {
        if (caller.basic || refusalOf(caller, call) === undefined) continue
        if (caller.only !== undefined && caller.only !== call.scope) continue
        cells++
        wrong.push(...judge(vendor, call, caller, await ask(vendor, call, caller)))
      }
    }
    t.diagnostic(`${cells} cells`)
    assert.deepEqual(wrong, [])
    assert.ok(cells > 300, `${cells}`)
    await settled(app.store)
    assert.deepEqual(await rowsBesidesRefusals(app.store, own.accountId), before)
  })

  test(
    'every call by a caller that may make it is answered without a fault of the service',
    thorough('1 CPU s: every call by each kind of key'),
    async () => {
      const wrong: string[] = []
      for (const { vendor, call } of calls) {
        for (const caller of callers) {
          if (caller.basic || refusalOf(caller, call) !== undefined) continue
          if (caller.only !== undefined && caller.only !== call.scope) continue
          wrong.push(...judge(vendor, call, caller, await ask(vendor, call, caller)))
        }
      }
      assert.deepEqual(wrong, [])
    },
  )

  test('an object of another account is answered as an object that does not exist', async () => {
    const { names } = await homeOf('victim')
    const ids = [names.message_id, names.inbound_id, names.bulk_id].flatMap((id) => id ?? [])
    const wrong: string[] = []
    const [caller] = callers.filter(({ kind, refused, scopes }) => {
      return kind === 'management' && refused === undefined && scopes.includes('domains:write')
    })
    assert.ok(caller !== undefined)
    let cells = 0
    for (const { vendor, call } of calls) {
      if (!call.path.includes('/:') || call.state === 'refused') continue
      const prefixes = ids.map((id) => [id, newId(id.slice(0, 3) as 'msg')] as const)
      const named = [
        ...prefixes.map(([id, absent]) => [uuidOfId(id), uuidOfId(absent)] as const),
        [names.alias ?? 'victim', 'victum'] as const,
        ['victim.test', 'victum.test'] as const,
      ]
      for (const [foreign, absent] of named) {
        const told = async (name: string): Promise<string> => {
          const all = Object.fromEntries([...call.path.matchAll(/:(\w+)/g)].map(([, one]) => [one, name]))
          const { status, body } = await ask(vendor, call, caller, pathOf(call, all))
          return `${status} ${JSON.stringify(body)}`.replaceAll(name, '*')
        }
        cells++
        const [one, other] = [await told(foreign), await told(absent)]
        if (one !== other) wrong.push(`${nameOf(vendor, call)} ${foreign}: ${one} differs from ${other}`)
      }
    }
    assert.deepEqual(wrong, [])
    assert.ok(cells > 100, `${cells}`)
  })
})
