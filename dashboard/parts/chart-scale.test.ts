// The scales of a bar chart, in a table of cases.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelEvery, ticksTo } from './chart-scale.ts'

test('ticks are round, begin at 0 and reach over the highest bar', () => {
  assert.deepEqual(ticksTo(0), [0, 1])
  assert.deepEqual(ticksTo(1), [0, 1])
  assert.deepEqual(ticksTo(4), [0, 1, 2, 3, 4])
  assert.deepEqual(ticksTo(7), [0, 2, 4, 6, 8])
  assert.deepEqual(ticksTo(174), [0, 50, 100, 150, 200])
  assert.deepEqual(ticksTo(1_000_000), [0, 250_000, 500_000, 750_000, 1_000_000])
  for (let most = 1; most < 100_000; most = Math.ceil(most * 1.7)) {
    const ticks = ticksTo(most)
    assert.ok((ticks.at(-1) ?? 0) >= most && ticks.length <= 6, `${most}: ${ticks}`)
    assert.ok(ticks.every(Number.isInteger), `${most}: ${ticks}`)
  }
})

test('labels are as many as there is room for, in permitted intervals', () => {
  const [day, hour] = ['Nov 22'.length, '09:00'.length]
  assert.equal(labelEvery(7, 900, day), 1)
  assert.equal(labelEvery(24, 900, day), 2)
  assert.equal(labelEvery(90, 900, day), 6)
  assert.equal(labelEvery(90, 0, day), 90)
  assert.equal(labelEvery(0, 900, 0), 1)
  const hours = [1, 2, 3, 4, 6, 8, 12, 24, 48]
  assert.equal(labelEvery(24, 900, hour, hours), 2)
  assert.equal(labelEvery(24, 260, hour, hours), 6)
  assert.equal(labelEvery(168, 900, day, hours), 12)
  assert.equal(labelEvery(168, 280, day, hours), 48)
  assert.equal(labelEvery(720, 300, day, hours), 48)
})
