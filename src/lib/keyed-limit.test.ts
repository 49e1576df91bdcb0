// Turns: never more than allowed at once, in order, and nobody is forgotten.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedLimit } from './keyed-limit.ts'

test('as many as allowed are inside, the others come in order', async () => {
  const limit = new KeyedLimit(2)
  const order: number[] = []
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const leave = await limit.enter('a')
      order.push(index)
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside--
      leave?.()
    }),
  )
  assert.equal(most, 2)
  assert.deepEqual(
    order,
    Array.from({ length: 50 }, (_, index) => index),
  )
  assert.ok(await limit.enter('a'))
})

test('keys do not hinder each other', async () => {
  const limit = new KeyedLimit(1)
  assert.ok(await limit.enter('a'))
  assert.ok(await limit.enter('b'))
})

test('who gives up waiting takes no turn away', async () => {
  const limit = new KeyedLimit(1)
  const leave = await limit.enter('a')
  const patience = new AbortController()
  const impatient = limit.enter('a', patience.signal)
  const patient = limit.enter('a')
  patience.abort()
  assert.equal(await impatient, undefined)
  assert.equal(await limit.enter('a', patience.signal), undefined)
  leave?.()
  assert.ok(await patient)
})

test('who does not want to wait gets a turn at once, or none', async () => {
  const limit = new KeyedLimit(2)
  const first = limit.tryEnter('a')
  const second = await limit.enter('a')
  assert.ok(first && second)
  assert.equal(limit.tryEnter('a'), undefined)
  const waiting = limit.enter('a')
  first()
  assert.equal(limit.tryEnter('a'), undefined)
  const third = await waiting
  second()
  assert.ok(limit.tryEnter('a'))
  third?.()
  assert.ok(limit.tryEnter('a'))
})
