// The request that the form for a management key becomes, and the problems of its networks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GivenScopes } from './calls.ts'
import { bodyOf, EMPTY, type Filled, messagesAt, scopesOf } from './filled-key.ts'

const GIVEN: GivenScopes = {
  scopes: ['messages:send', 'templates:read', 'templates:write', 'keys:write'],
  sets: [{ name: 'ci', scopes: ['templates:read', 'templates:write'] }],
}

const body = (filled: Partial<Filled>) => {
  const whole = { ...EMPTY, name: ' Shop ', days: 'never', ...filled }
  return bodyOf(whole, scopesOf(whole, GIVEN))
}

test('a set or single scopes become scopes in the order of the service, and fields without a limit are left out', () => {
  assert.deepEqual(body({ set: 'ci' }), { name: 'Shop', scopes: ['templates:read', 'templates:write'] })
  assert.deepEqual(body({ scopes: new Set(['templates:read', 'messages:send']) }).scopes, [
    'messages:send',
    'templates:read',
  ])
  assert.deepEqual(body({ domains: 'some', chosen: ['dom_1'] }).domains, ['dom_1'])
  assert.ok(Date.parse(body({ days: '30' }).expires_at ?? '') > Date.now())
})

test('grants are sent only for a key that creates keys, and only if they are not the usual grants', () => {
  const granted = new Set(['messages:send'] as const)
  const keys = new Set(['keys:write'] as const)
  assert.equal('grants' in body({ set: 'ci', grants: 'own', granted }), false)
  assert.equal('grants' in body({ scopes: keys, grants: 'usual', granted }), false)
  assert.deepEqual(body({ scopes: keys, grants: 'none', granted }).grants, [])
  assert.deepEqual(body({ scopes: keys, grants: 'own', granted }).grants, ['messages:send'])
})

test('networks are separated by lines, spaces or commas, and a problem names its network', () => {
  const networks = ' 192.0.2.0/24\n\n10.0.0.0/33, 2001:db8::/32 '
  assert.deepEqual(body({ networks }).networks, ['192.0.2.0/24', '10.0.0.0/33', '2001:db8::/32'])
  const error = { code: 'invalid_network' as const, message: 'Not a network.' }
  const at = (path: string) => messagesAt([{ ...error, path }], 'networks', { networks })
  assert.equal(at('networks[1]'), '10.0.0.0/33: Not a network.')
  assert.equal(at('networks'), 'Not a network.')
  assert.equal(at('name'), undefined)
})
