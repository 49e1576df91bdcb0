// Tests that the same error is logged once a minute, with the number of repetitions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { LineLimit } from './log.ts'

test('the same error is logged once a minute, with the number of repetitions', () => {
  const clock = new TestClock()
  const limit = new LineLimit(clock)
  const told: (number | string)[] = []
  const fail = (key = 'full'): void => {
    if (limit.pass(key, (repeated) => told.push(repeated))) told.push(key)
  }
  for (let times = 0; times < 2_366; times++) fail()
  fail('away')
  assert.deepEqual(told, ['full', 'away'])
  clock.advance(60_000)
  assert.deepEqual(told, ['full', 'away', 2_365])
  for (let times = 0; times < 10; times++) fail()
  clock.advance(60_000)
  assert.deepEqual(told.slice(3), [10])
  clock.advance(60_000)
  fail()
  assert.deepEqual(told.slice(3), [10, 'full'])
})

test('a bounded number of different errors is remembered', () => {
  const clock = new TestClock()
  const limit = new LineLimit(clock)
  let told = 0
  for (let key = 0; key < 10_000; key++) if (limit.pass(`error ${key}`, () => {})) told++
  assert.equal(told, 10_000)
  assert.ok(!limit.pass('error 9999', () => {}))
  assert.ok(limit.pass('error 0', () => {}))
})
