// Tests that entries with too few tokens for a settlement make room for new entries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnsettledTokens } from './shared-buckets.ts'

/** Number of buckets, above the maximum number of unsettled entries. */
const MANY = 5_000

test('a bucket that comes after many that took little is settled with the other nodes', () => {
  const unsettled = new UnsettledTokens()
  unsettled.share()
  for (let one = 0; one < MANY; one++) unsettled.note(`little ${one}`, 1, 10)
  assert.deepEqual(unsettled.take(), [])
  for (let times = 0; times < 10; times++) unsettled.note('much', 1, 10)
  assert.deepEqual(unsettled.take(), [{ name: 'much', costMs: 10, at: 0 }])
})

test('an entry that is due for settlement is never dropped', () => {
  const unsettled = new UnsettledTokens()
  unsettled.share()
  for (let one = 0; one < MANY; one++) unsettled.note(`much ${one}`, 10, 10)
  const settled = unsettled.take()
  assert.equal(settled[0]?.name, 'much 0')
  assert.ok(settled.length < MANY)
  unsettled.note('late', 10, 10)
  assert.equal(unsettled.take()[0]?.name, 'late')
})
