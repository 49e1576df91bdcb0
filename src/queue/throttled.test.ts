// Throttled shares: however many wait, a bounded number is known, in their order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteLimits } from './site-limits.ts'
import { Throttled } from './throttled.ts'

test('knows no more than ten thousand shares, and takes in others as these are found empty', () => {
  const throttled = new Throttled(new SiteLimits())
  const shares = Array.from({ length: 20_000 }, (_, index) => `d${index}.example`)
  for (const share of shares.slice(0, 9_000)) throttled.add(share)
  throttled.noteClaim({ empty: [], taken: [], throttled: shares.slice(9_000, 15_000) })
  for (const share of shares) throttled.add(share)
  assert.equal(shares.filter((share) => throttled.has(share)).length, 10_000)
  const first = throttled.next(
    () => 5,
    () => {},
  )
  assert.equal(first[0], 'd0.example')
  throttled.noteClaim({ empty: first, taken: [], throttled: [] })
  assert.ok(!throttled.has('d0.example'))
  throttled.add('d19999.example')
  assert.ok(throttled.has('d19999.example'))
})
