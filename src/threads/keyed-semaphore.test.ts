// Tests of the keyed semaphore: the number of holders is limited, callers enter in order, and no waiting caller is
// forgotten.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedSemaphore } from './keyed-semaphore.ts'

test('the allowed number enters, and the others follow in order', async () => {
  const limit = new KeyedSemaphore(2)
  const order: number[] = []
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const release = await limit.acquire('a')
      order.push(index)
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside--
      release?.()
    }),
  )
  assert.equal(most, 2)
  assert.deepEqual(
    order,
    Array.from({ length: 50 }, (_, index) => index),
  )
  assert.ok(await limit.acquire('a'))
})

test('keys do not hinder each other', async () => {
  const limit = new KeyedSemaphore(1)
  assert.ok(await limit.acquire('a'))
  assert.ok(await limit.acquire('b'))
})

test('an aborted waiter takes no turn away', async () => {
  const limit = new KeyedSemaphore(1)
  const release = await limit.acquire('a')
  const patience = new AbortController()
  const impatient = limit.acquire('a', patience.signal)
  const patient = limit.acquire('a')
  patience.abort()
  assert.equal(await impatient, undefined)
  assert.equal(await limit.acquire('a', patience.signal), undefined)
  release?.()
  assert.ok(await patient)
})

test('tryAcquire gets a turn at once, or none', async () => {
  const limit = new KeyedSemaphore(2)
  const first = limit.tryAcquire('a')
  const second = await limit.acquire('a')
  assert.ok(first && second)
  assert.equal(limit.tryAcquire('a'), undefined)
  const waiting = limit.acquire('a')
  first()
  assert.equal(limit.tryAcquire('a'), undefined)
  const third = await waiting
  second()
  assert.ok(limit.tryAcquire('a'))
  third?.()
  assert.ok(limit.tryAcquire('a'))
})
