// The fair order: a flood of mail in one stream is queued after mail that other streams accept later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairOrder } from './fair-order.ts'

test('a recipient at a time gets the present as its start tag', () => {
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
  assert.equal(order.next('dom', 'broadcast', 1_500), 101_000, 'the stream of the flood waits')
  assert.equal(
    order.next('dom', 'broadcast', 200_000),
    200_000,
    'the stream is back to the present after the flood',
  )
})
