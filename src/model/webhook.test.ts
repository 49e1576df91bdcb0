// Tests of the retries of a webhook delivery, and of the pauses of a receiver.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DELIVERY_DELAYS, delayAfter, MAX_FAILING_MS, pauseAfter, retryAfterOf } from './webhook.ts'

const HOUR = 3_600_000

describe('the delay after a failed attempt', () => {
  test('follows the schedule with at most a tenth of jitter, and is undefined after the last attempt', () => {
    for (const [index, delay] of DELIVERY_DELAYS.entries()) {
      assert.equal(delayAfter(index + 1, undefined, 0), delay)
      assert.equal(delayAfter(index + 1, undefined, 1), Math.round(delay * 1.1))
    }
    assert.equal(delayAfter(DELIVERY_DELAYS.length + 1, undefined, 0), undefined)
    const all = DELIVERY_DELAYS.reduce((sum, delay) => sum + delay, 0)
    assert.ok(all > MAX_FAILING_MS)
  })

  test('follows the request of the receiver, but never less than the schedule or more than a day', () => {
    assert.equal(delayAfter(1, HOUR, 0), HOUR)
    assert.equal(delayAfter(1, 1_000, 0), 5_000)
    assert.equal(delayAfter(1, 1_000 * HOUR, 0), 24 * HOUR)
    assert.equal(delayAfter(99, HOUR, 0), undefined)
  })
})

test('a receiver is paused after ten failures, for as long as it has been failing', () => {
  assert.equal(pauseAfter(9, HOUR), 0)
  assert.deepEqual(
    [10, 500].map((failures) => pauseAfter(failures, 0)),
    [5_000, 5_000],
  )
  assert.equal(pauseAfter(10, 60_000), 60_000)
  assert.equal(pauseAfter(10, 70 * HOUR), 300_000)
})

test('Retry-After is seconds or a date', () => {
  const now = Date.UTC(2026, 0, 31)
  assert.equal(retryAfterOf('120', now), 120_000)
  assert.equal(retryAfterOf('Sat, 31 Jan 2026 00:01:00 GMT', now), 60_000)
  assert.equal(retryAfterOf('Sat, 31 Jan 2025 00:01:00 GMT', now), 0)
  for (const field of [undefined, '', 'soon', '-1', '1e9', '99999999999']) {
    assert.equal(retryAfterOf(field, now), undefined, String(field))
  }
})
