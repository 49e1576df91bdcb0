// The request that changes a key contains the changed fields only.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, type Edited, editedOf } from './edited-key.ts'

const KEY = {
  ...{ id: 'key_1', name: 'Shop', networks: ['192.0.2.0/24'], expires_at: null },
  scopes: ['messages:send', 'messages:read'],
} as const

test('a change of a key names what the user has changed', () => {
  const before = editedOf(KEY)
  const changed = (one: Partial<Edited>) => changesOf({ ...before, ...one }, before)
  assert.deepEqual(changed({}), {})
  assert.deepEqual(changed({ name: ' Web shop ' }), { name: 'Web shop' })
  assert.deepEqual(changed({ name: ' Shop ' }), {})
  assert.deepEqual(changed({ scopes: new Set(['messages:send']) }), { scopes: ['messages:send'] })
  assert.deepEqual(changed({ networks: '192.0.2.0/25\n\n2001:db8::/32' }), {
    networks: ['192.0.2.0/25', '2001:db8::/32'],
  })
  assert.deepEqual(changed({ networks: ' \n' }), { networks: null })
  assert.deepEqual(changed({ networks: ' 192.0.2.0/24\n' }), {})
  assert.deepEqual(changed({ days: 'never' }), { expires_at: null })
  const { expires_at: end = '' } = changed({ days: '30' })
  const days = (Date.parse(end ?? '') - Date.now()) / 86_400_000
  assert.ok(days > 29.9 && days <= 30, String(days))
})

test('an SMTP credential has no scopes to change', () => {
  const before = editedOf({ id: 'smtp_1', name: 'Printer', networks: null, expires_at: null })
  assert.deepEqual(before.networks, '')
  assert.deepEqual(changesOf({ ...before, name: 'Scanner' }, before), { name: 'Scanner' })
})
