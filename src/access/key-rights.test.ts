// Tests that no sequence of created, changed and rotated keys gives a key more than the key or user that made it has.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Networks } from '../lib/networks.ts'
import { parseAddress } from '../model/address.ts'
import { PermittedRecipients } from '../model/permitted-recipients.ts'
import { beyondByChange, beyondOwnRights, type Rights, type WantedRights } from './key-rights.ts'
import { ALL_SCOPES, type Scope, scopesOfRole } from './scopes.ts'

const NOTHING: Rights = {
  scopes: new Set(),
  grants: new Set(),
  domains: null,
  networks: null,
  recipients: null,
  expiresAt: null,
  rate: null,
}
const rights = (more: Partial<Rights>): Rights => ({ ...NOTHING, ...more })
const pathsOf = (problems: ReturnType<typeof beyondOwnRights>): string[] =>
  problems.map(({ path, code }) => {
    assert.equal(code, 'beyond_own_rights')
    return path
  })
const paths = (maker: Rights, wanted: Partial<WantedRights>): string[] =>
  pathsOf(beyondOwnRights(maker, { kind: 'sending', ...wanted }))

describe('a key', () => {
  const maker = rights({
    scopes: new Set<Scope>(['keys:write', 'stats:read']),
    grants: new Set<Scope>(['messages:send']),
    domains: new Set(['dom_a', 'dom_b']),
    networks: ['192.0.2.0/24'],
    recipients: ['*@example.com'],
    expiresAt: 1_000,
    rate: { count: 10, perMs: 1_000 },
  })

  test('gets scopes of its maker, or scopes that its maker may grant', () => {
    assert.deepEqual(paths(maker, { scopes: ['stats:read', 'messages:send'], grants: ['messages:send'] }), [])
    assert.deepEqual(paths(maker, { scopes: ['stats:read', 'content:read'], grants: ['domains:write'] }), [
      'scopes[1]',
      'grants[0]',
    ])
  })

  test('with rights beyond the maker of a change loses rights, and gets none', () => {
    const held = rights({ scopes: new Set<Scope>(['content:read', 'stats:read']), networks: ['10.0.0.0/8'] })
    const change = (changed: Partial<WantedRights>) =>
      pathsOf(beyondByChange(maker, held, { kind: 'sending', ...changed }))
    assert.deepEqual(change({ scopes: ['content:read'], networks: ['10.0.0.0/8'] }), [])
    assert.deepEqual(change({ scopes: ['stats:read'], networks: ['10.1.0.0/16'] }), [])
    assert.deepEqual(change({ scopes: ['stats:read'], networks: ['192.0.2.0/24'] }), [])
    assert.deepEqual(change({ scopes: ['content:read'], networks: null }), ['scopes[0]', 'networks'])
    assert.deepEqual(change({ scopes: ['content:read', 'erasures:write'], networks: ['10.0.0.0/8'] }), [
      ...['scopes[0]', 'scopes[1]', 'networks[0]'],
    ])
  })

  test('gets no further domain, network or recipient', () => {
    assert.deepEqual(paths(maker, { domains: ['dom_a', 'dom_c'] }), ['domains[1]'])
    assert.deepEqual(paths(maker, { domains: null, networks: null, recipients: null }), [
      ...['domains', 'networks', 'recipients'],
    ])
    assert.deepEqual(paths(maker, { networks: ['192.0.2.128/25', '192.0.0.0/16'] }), ['networks[1]'])
    assert.deepEqual(paths(maker, { recipients: ['a@example.com', 'a@example.net'] }), ['recipients[1]'])
    assert.deepEqual(paths(NOTHING, { domains: null, networks: null, recipients: null }), [])
  })

  test('that manages does not outlast its maker and is not faster', () => {
    const wanted = { kind: 'management' } as const
    assert.deepEqual(paths(maker, { ...wanted, expiresAt: 1_000, rate: '10/s' }), [])
    assert.deepEqual(paths(maker, { ...wanted, expiresAt: 1_001, rate: '11/s' }), ['expires_at', 'rate'])
    assert.deepEqual(paths(maker, { ...wanted, expiresAt: null, rate: '601/m' }), ['expires_at', 'rate'])
    // A Sending key may be permanent.
    assert.deepEqual(paths(maker, { expiresAt: null, rate: '1000/s' }), [])
  })
})

const DOMAINS = ['dom_a', 'dom_b', 'dom_c', 'dom_d']
const NETWORKS = ['0.0.0.0/0', '192.0.2.0/24', '192.0.2.128/25', '192.0.2.200/32', '::/0', '2001:db8::/32']
const ADDRESSES = ['192.0.2.1', '192.0.2.130', '192.0.2.200', '198.51.100.1', '2001:db8::1', '2001:db9::1']
const RECIPIENTS = ['*@example.com', 'ann@example.com', 'bob@example.com', '*@example.net', 'jo@example.net']
const MAILBOXES = ['ann@example.com', 'bob@example.com', 'x@example.com', 'jo@example.net', 'x@example.net']

const some = <T>(all: readonly T[], least = 0) => fc.subarray([...all], { minLength: least })
const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 2 })
const RATES = ['5/s', '20/s', '600/m', '100/s']

/** One operation: the key with this index creates or changes a key with these rights. */
const operation = fc.record({
  maker: fc.nat(),
  changes: fc.option(fc.nat(), { nil: undefined }),
  kind: fc.constantFrom('sending', 'verification', 'management'),
  scopes: some(ALL_SCOPES),
  grants: some(ALL_SCOPES),
  domains: orNull(some(DOMAINS, 1)),
  networks: orNull(some(NETWORKS, 1)),
  recipients: orNull(some(RECIPIENTS, 1)),
  expiresAt: orNull(fc.integer({ min: 1, max: 20 })),
  rate: orNull(fc.constantFrom(...RATES)),
  /** Restricts the scopes to those of the maker, so that deep chains of keys arise. */
  fits: fc.boolean(),
} as const)

/** Returns the reach of a key and of the keys that the key creates: one text for each right. */
function reachOf({ scopes, grants, domains, networks, recipients }: Rights): Set<string> {
  const within = networks && new Networks(networks)
  const permitted = recipients && new PermittedRecipients(recipients)
  return new Set([
    ...scopes.union(grants),
    ...DOMAINS.filter((id) => domains === null || domains.has(id)),
    ...ADDRESSES.filter((address) => within === null || within.includes(address)),
    ...MAILBOXES.filter((email) => {
      const address = parseAddress(email)
      return permitted === null || ('local' in address && permitted.includes(address))
    }).map((email) => `to ${email}`),
  ])
}

/** The rights that a wanted key would have. */
const asRights = (wanted: Required<WantedRights>): Rights => ({
  scopes: new Set(wanted.scopes),
  grants: new Set(wanted.grants),
  domains: wanted.domains == null ? null : new Set(wanted.domains),
  networks: wanted.networks ?? null,
  recipients: wanted.recipients ?? null,
  expiresAt: wanted.expiresAt ?? null,
  rate: null,
})

test('10,000 random operations never extend the reach of a maker', () => {
  let [operations, made, refused] = [0, 0, 0]
  const run = (all: readonly (typeof operation extends fc.Arbitrary<infer One> ? One : never)[]): void => {
    const keys = [rights({ scopes: scopesOfRole('owner') }), rights({ scopes: scopesOfRole('developer') })]
    for (const { maker: index, changes, fits, ...given } of all) {
      operations++
      const maker = keys[index % keys.length] as Rights
      const changed = changes === undefined ? undefined : keys[changes % keys.length]
      const own = maker.scopes.union(maker.grants)
      const wanted: Required<WantedRights> = {
        ...given,
        kind: given.kind,
        scopes: fits ? given.scopes.filter((scope) => own.has(scope)) : given.scopes,
        grants: fits ? given.grants.filter((scope) => own.has(scope)) : given.grants,
        domains: fits && maker.domains !== null ? [...maker.domains] : given.domains,
        networks: fits && maker.networks !== null ? maker.networks : given.networks,
        recipients: fits && maker.recipients !== null ? maker.recipients : given.recipients,
      }
      const problems =
        changed === undefined ? beyondOwnRights(maker, wanted) : beyondByChange(maker, changed, wanted)
      const result = asRights(wanted)
      const reached = reachOf(result)
      if (problems.length > 0) {
        refused++
        continue
      }
      made++
      const within = [maker, ...(changed === undefined ? [] : [changed])].filter((one) =>
        reached.isSubsetOf(reachOf(one)),
      )
      assert.ok(within.length > 0, JSON.stringify(wanted))
      const ends = within.map((one) => one.expiresAt ?? Number.POSITIVE_INFINITY)
      assert.ok(
        wanted.kind !== 'management' || (result.expiresAt ?? Number.POSITIVE_INFINITY) <= Math.max(...ends),
      )
      if (wanted.kind === 'management') keys.push(result)
    }
  }
  fc.assert(fc.property(fc.array(operation, { minLength: 100, maxLength: 100 }), run), { numRuns: 100 })
  assert.equal(operations, 10_000)
  assert.ok(made > 2_000 && refused > 2_000, `${made} made, ${refused} refused`)
})
