// Tests estimates of the remaining time, based on the progress of the last minute.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { TimeLeft } from './time-left.ts'

const MINUTE_MS = 60_000

test('is known after two measurements some seconds apart, and follows the speed of the last minute', () => {
  const clock = new TestClock(0)
  const left = new TimeLeft(clock)
  const measure = (ms: number, done: number): number | null => {
    clock.advance(ms)
    return left.secondsLeft('ver_1', done, 10_000)
  }
  assert.equal(measure(0, 100), null)
  assert.equal(measure(1_000, 200), null)
  assert.equal(measure(4_000, 600), 94)
  // The speed is a hundred per second for 40 seconds, then ten per second.
  for (let second = 1; second <= 40; second++) measure(1_000, 600 + 100 * second)
  assert.equal(measure(1_000, 4_700), 53)
  for (let second = 1; second <= 70; second++) measure(1_000, 4_700 + 10 * second)
  assert.equal(measure(1_000, 5_410), 459)
})

test('is unknown without progress, after a long pause, and for other work', () => {
  const clock = new TestClock(0)
  const left = new TimeLeft(clock)
  assert.equal(left.secondsLeft('ver_1', 0, 10), null)
  clock.advance(10_000)
  assert.equal(left.secondsLeft('ver_1', 0, 10), null)
  assert.equal(left.secondsLeft('ver_2', 5, 10), null)
  clock.advance(10_000)
  assert.equal(left.secondsLeft('ver_1', 5, 10), 20)
  clock.advance(11 * MINUTE_MS)
  assert.equal(left.secondsLeft('ver_1', 6, 10), null)
})
