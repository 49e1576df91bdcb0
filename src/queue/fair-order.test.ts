// The fair order: a flood of one stream stands behind what other streams accept later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairOrder } from './fair-order.ts'

test('one recipient at a time has its start tag at once', () => {
  const order = new FairOrder()
  assert.deepEqual(
    [0, 10, 20].map((now) => order.next('dom', 'transactional', now)),
    [0, 10, 20],
  )
})

test('a flood takes later start tags; another stream, or another domain, goes before them', () => {
  const order = new FairOrder()
  const flood = Array.from({ length: 100_000 }, () => order.next('dom', 'broadcast', 1_000))
  assert.equal(flood[0], 1_000)
  assert.equal(flood.at(-1), 100_999)
  assert.equal(order.next('dom', 'transactional', 1_500), 1_500)
  assert.equal(order.next('other', 'broadcast', 1_500), 1_500)
  assert.equal(order.next('dom', 'broadcast', 1_500), 101_000, 'the flood’s own stream waits for itself')
  assert.equal(order.next('dom', 'broadcast', 200_000), 200_000, 'and is even when the flood is over')
})
