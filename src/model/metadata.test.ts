// Tests which metadata of a message a search finds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMetadata, SEARCHABLE_KEYS } from './metadata.ts'

test('a search finds all wanted values of the first keys, and no others', () => {
  const keys = Array.from({ length: SEARCHABLE_KEYS + 1 }, (_, index) => [`k${index}`, 'v'])
  const metadata = Object.fromEntries(keys)
  assert.ok(hasMetadata(metadata, []))
  assert.ok(
    hasMetadata(metadata, [
      ['k0', 'v'],
      [`k${SEARCHABLE_KEYS - 1}`, 'v'],
    ]),
  )
  assert.ok(!hasMetadata(metadata, [[`k${SEARCHABLE_KEYS}`, 'v']]))
  for (const other of [
    ['k0', 'V'],
    ['k0', 'v '],
    ['K0', 'v'],
    ['toString', 'v'],
  ] as const)
    assert.ok(!hasMetadata(metadata, [['k1', 'v'], other]), other.join('='))
  assert.ok(hasMetadata(JSON.parse('{"__proto__":"x"}'), [['__proto__', 'x']]))
})
