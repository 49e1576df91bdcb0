// Formats of numbers, in a table of cases.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duration, hundredths, SEPARATORS, share, short, whole } from './numbers.ts'

test('figures, shares and times', () => {
  assert.equal(whole(1_234_567), '1,234,567')
  assert.equal(short(1_234_567), '1.2M')
  assert.equal(share(1, 3), '33.3%')
  assert.equal(share(1, 3_000), '0.03%')
  assert.equal(share(0, 0), '–')
  assert.equal(duration(16.4), '16 ms')
  assert.equal(duration(12_345), '12.3 s')
  assert.equal(duration(95_000), '1 min 35 s')
  assert.equal(duration(7_500_000), '2 h 5 min')
  assert.equal(hundredths(0.5), '0.50')
  assert.deepEqual(SEPARATORS, { thousandSeparator: ',', decimalSeparator: '.' })
})
