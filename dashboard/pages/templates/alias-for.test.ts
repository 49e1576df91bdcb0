// The alias of a new template or layout, derived from its name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aliasFor } from './alias-for.ts'

test('an alias has the letters of its name without their marks', () => {
  for (const [name, alias] of [
    ['Order shipped!', 'order-shipped'],
    ['Receipt für Zoë', 'receipt-fur-zoe'],
    ['Reçu n° 4 – été', 'recu-n-4-ete'],
    ['2024 figures', 'figures'],
    ['ﬁrst', 'first'],
    ['Straße, Łódź', 'strasse-lodz'],
    ['日本', ''],
  ] as const) {
    assert.equal(aliasFor(name), alias, name)
  }
  assert.equal(aliasFor('x'.repeat(300)).length, 100)
})
