// Tests the table of scopes: which kinds of keys and roles have a scope, what patterns mean, and the ready-made sets.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ROLES } from '../model/role.ts'
import {
  ALL_SCOPES,
  isOfOperator,
  kindMayHave,
  roleOf,
  SCOPE_SETS,
  type Scope,
  scopesOfPattern,
  scopesOfRole,
  USUAL_SCOPES,
  usualGrants,
} from './scopes.ts'

const OF_OPERATOR = ['accounts:read', 'accounts:write', 'operator:read', 'operator:write']

describe('the table of scopes', () => {
  test('gives each kind of key its usual scopes', () => {
    assert.deepEqual(USUAL_SCOPES.smtp, ['messages:send'])
    assert.deepEqual(USUAL_SCOPES.verification, ['verifications:check', 'verifications:read'])
    assert.deepEqual(USUAL_SCOPES.management, [])
    assert.deepEqual(USUAL_SCOPES.sending, [
      ...['messages:send', 'messages:read', 'content:read', 'messages:write', 'stats:read'],
      ...['templates:read', 'templates:write', 'streams:read', 'streams:write'],
      ...['suppressions:read', 'suppressions:write', 'webhooks:read', 'webhooks:write'],
      ...['inbound:read', 'erasures:write', 'incidents:read', 'incidents:write'],
    ])
  })

  test('lets a management key have every scope, and other kinds their usual scopes only', () => {
    for (const scope of ALL_SCOPES) {
      assert.ok(kindMayHave('management', scope))
      for (const kind of ['sending', 'verification', 'smtp'] as const) {
        assert.equal(kindMayHave(kind, scope), USUAL_SCOPES[kind].includes(scope), `${kind} ${scope}`)
      }
    }
  })

  test('gives a role the scopes of the lower roles, and the scopes of the operator to no role', () => {
    for (const [index, role] of ROLES.entries()) {
      const scopes = scopesOfRole(role)
      for (const lower of ROLES.slice(0, index)) {
        assert.ok(scopesOfRole(lower).isSubsetOf(scopes), `${lower} ${role}`)
      }
      for (const scope of scopes) assert.ok(!isOfOperator(scope), scope)
    }
    assert.deepEqual([...scopesOfRole('operator')], ALL_SCOPES)
    const above = (role: (typeof ROLES)[number]) => ALL_SCOPES.filter((scope) => roleOf(scope) === role)
    assert.deepEqual(above('admin'), ['domains:write', 'people:write', 'audit:read'])
    assert.deepEqual(above('owner'), ['account:write'])
    assert.deepEqual(ALL_SCOPES.filter(isOfOperator), OF_OPERATOR)
  })
})

describe('a pattern of scopes', () => {
  test('means scopes, and never those of the operator unless it names them', () => {
    assert.deepEqual(scopesOfPattern('stats:read'), ['stats:read'])
    assert.deepEqual(scopesOfPattern('domains:*'), ['domains:read', 'domains:verify', 'domains:write'])
    assert.deepEqual(scopesOfPattern('accounts:*'), ['accounts:read', 'accounts:write'])
    const all = ALL_SCOPES.filter((scope) => !isOfOperator(scope))
    assert.deepEqual(scopesOfPattern('*'), all)
    assert.deepEqual(
      scopesOfPattern('*:read'),
      all.filter((scope) => scope.endsWith(':read')),
    )
  })

  test('is nothing else', () => {
    for (const word of [
      ...['', 'messages', 'messages:', 'messages:delete', 'nothing:*', '*:*', '*:write', '* ', '**'],
      ...['MESSAGES:READ', 'toString', 'constructor:*', '__proto__', 'send-only'],
    ]) {
      assert.equal(scopesOfPattern(word), undefined, word)
    }
  })
})

describe('the ready-made sets', () => {
  test('have scopes that exist, in the order of the table', () => {
    for (const [name, scopes] of Object.entries(SCOPE_SETS)) {
      assert.ok(scopes.length > 0, name)
      assert.deepEqual(
        scopes,
        ALL_SCOPES.filter((scope) => (scopes as readonly Scope[]).includes(scope)),
        name,
      )
    }
    assert.ok(!SCOPE_SETS['read-only'].includes('content:read'))
    assert.ok(SCOPE_SETS.support.includes('content:read'))
    for (const name of ['send-only', 'app', 'ci', 'read-only', 'support', 'provisioning'] as const) {
      assert.ok(!SCOPE_SETS[name].some(isOfOperator), name)
    }
  })

  test('of keys that create keys carry grants of a Sending key without contents', () => {
    const sending = USUAL_SCOPES.sending.filter((scope) => scope !== 'content:read')
    assert.deepEqual(usualGrants(SCOPE_SETS.provisioning), sending)
    assert.deepEqual(
      new Set(usualGrants(SCOPE_SETS.platform)),
      new Set([...sending, ...SCOPE_SETS.provisioning]),
    )
    for (const name of ['send-only', 'ci', 'read-only', 'support'] as const) {
      assert.deepEqual(usualGrants(SCOPE_SETS[name]), [], name)
    }
  })
})
