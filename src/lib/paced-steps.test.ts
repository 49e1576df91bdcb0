// Tests of paced steps: the size of the next step, and the end of the work.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PacedSteps, sizeAfter } from './paced-steps.ts'

test('a long step shrinks the next one at once, short steps grow it slowly', () => {
  assert.equal(sizeAfter(400, 40, 400), 100)
  assert.equal(sizeAfter(400, 1_000, 400), 100)
  assert.equal(sizeAfter(100, 10, 400), 100)
  assert.equal(sizeAfter(100, 1, 400), 125)
  assert.equal(sizeAfter(390, 1, 400), 400)
})

test('whatever steps take, none exceeds the maximum, and none is empty', () => {
  const max = fc.integer({ min: 1, max: 100_000 })
  const took = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(max, took, (max, took) => {
      let size = Math.max(1, Math.floor(max / 32))
      for (const ms of took) {
        const next = sizeAfter(size, ms, max)
        assert.ok(next >= Math.max(1, Math.floor(max / 32)) && next <= max)
        assert.ok(next <= Math.ceil(size * 1.25))
        size = next
      }
    }),
  )
  let size = 1
  for (let steps = 0; steps < 60; steps++) size = sizeAfter(size, 0, 400)
  assert.equal(size, 400)
})

test('steps continue until nothing is left, or permission ends', async () => {
  let left = 20
  const take = async (size: number): Promise<number> => {
    left = Math.max(0, left - size)
    return left
  }
  await new PacedSteps(320).untilDone(() => left > 10, take)
  assert.equal(left, 10)
  await new PacedSteps(320).untilDone(() => true, take)
  assert.equal(left, 0)
})
