// Tests of the remaining time of a lease after changes of the clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { LEASE_MS, leftOf, lostLease, newLease } from './lease.ts'

test('a step of the clock never lengthens a lease', () => {
  for (const step of [-3_600_000, -90_000, 0, 90_000, 3_600_000]) {
    const clock = new TestClock()
    const lease = newLease(clock, 'nod_x.1')
    clock.advance(10_000)
    clock.jump(step)
    assert.ok(leftOf(lease, clock) <= LEASE_MS - 10_000, `${step}`)
    if (step <= 0) assert.equal(leftOf(lease, clock), LEASE_MS - 10_000)
    clock.advance(LEASE_MS - 10_000)
    assert.ok(leftOf(lease, clock) <= 0, `${step}`)
  }
})

test('a lost lease has no time left', () => {
  const clock = new TestClock()
  assert.ok(leftOf(lostLease(newLease(clock, 'nod_x.1')), clock) <= 0)
})
