// Tests which address counts as the correct spelling of a misspelt address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestAddress } from './nearest.ts'

const KNOWN = ['ann@example.net', 'maria.santos@example.net', 'maria.santos@example.de', 'info@shop.example']

for (const [email, expected] of [
  ['anne@example.net', 'ann@example.net'],
  ['an@example.net', 'ann@example.net'],
  ['nan@example.net', 'ann@example.net'],
  ['ann@exmaple.net', 'ann@example.net'],
  ['ann@example.org', 'ann@example.net'],
  ['maria.santo@example.net', 'maria.santos@example.net'],
  ['mraia.santso@example.net', 'maria.santos@example.net'],
  ['maria.santos@example.dd', 'maria.santos@example.de'],
  ['ann@example.net', undefined],
  ['bob@example.net', undefined],
  ['info@other.example', undefined],
  ['maria@example.net', undefined],
  ['', undefined],
  ['@', undefined],
  [`${'l'.repeat(64)}@${'d'.repeat(189)}`, undefined],
] as const) {
  test(`${email.slice(0, 40)}: ${expected ?? 'none'}`, () =>
    assert.equal(nearestAddress(email, KNOWN), expected))
}
