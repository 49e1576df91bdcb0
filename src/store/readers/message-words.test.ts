// Approximate counts of search words: never too low, rarely too high, and separate for groups.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountSketch } from './message-words.ts'

test('frequent texts are counted exactly beside a hundred thousand texts that occur once', () => {
  const sketch = new CountSketch()
  const group = sketch.group('dom_1')
  let wrong = 0
  for (let n = 1; n <= 100_000; n++) {
    if (sketch.add(group, `order ${n}`) > 20) wrong++
    if (n % 50 === 0) {
      const count = sketch.add(group, 'receipt')
      assert.ok(count >= n / 50 && count < n / 50 + 20, `${count} at ${n}`)
    }
  }
  assert.ok(wrong < 20, `${wrong} counts are too high`)
})

test('equal texts of other groups are counted separately', () => {
  const sketch = new CountSketch()
  const [one, other] = [sketch.group('dom_1'), sketch.group('dom_2')]
  for (let n = 1; n <= 100; n++) assert.equal(sketch.add(one, 'a'), n)
  assert.equal(sketch.add(other, 'a'), 1)
})

test('counts stop at their maximum', () => {
  const sketch = new CountSketch()
  const group = sketch.group('dom_1')
  for (let n = 0; n < 70_000; n++) sketch.add(group, 'a')
  assert.equal(sketch.add(group, 'a'), 65_535)
})

test('old counts fade', () => {
  const sketch = new CountSketch()
  const group = sketch.group('dom_1')
  for (let n = 0; n < 4_000; n++) sketch.add(group, 'a')
  for (let n = 4_000; n < 10_000_000; n++) sketch.add(group, 'b')
  assert.equal(sketch.add(group, 'a'), 2_001)
})
