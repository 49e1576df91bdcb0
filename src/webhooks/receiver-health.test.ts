// Tests the health of a webhook receiver after each kind of response.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAILURES_UNTIL_PAUSE, MAX_FAILING_MS, MAX_PAUSE_MS } from '../model/webhook.ts'
import type { AttemptOutcome } from './outcome.ts'
import { healthAfter, healthAtFirst, type ReceiverHealth } from './receiver-health.ts'

const NOW = 1_800_000_000_000
const MOST = 20
const ANSWERED: Pick<AttemptOutcome, 'delivered' | 'answered'> = { delivered: false, answered: true }

const outcome = (more: Partial<AttemptOutcome>): AttemptOutcome =>
  ({ delivered: true, answered: true, gone: false, overloaded: false, ...more }) as AttemptOutcome

/** Returns the health after a number of equal outcomes, one per second. */
function after(
  times: number,
  more: Partial<AttemptOutcome>,
  health = healthAtFirst(0, null),
): ReceiverHealth {
  for (let i = 0; i < times; i++) health = healthAfter(health, outcome(more), NOW + i * 1_000, MOST)
  return health
}

test('a receiver that answers gets more concurrent requests up to the bound, and a silent one half as many', () => {
  assert.deepEqual(
    [0, 1, 5, 100].map((times) => after(times, {}).mostRequests),
    [4, 5, 9, MOST],
  )
  assert.equal(after(2, ANSWERED).mostRequests, 6)
  const silent = { delivered: false, answered: false }
  assert.deepEqual(
    [1, 2, 3, 9].map((times) => after(times, silent, after(100, {})).mostRequests),
    [10, 5, 2, 1],
  )
})

test('failures in a row pause the receiver, and one delivery ends the pause', () => {
  const failing = after(FAILURES_UNTIL_PAUSE, ANSWERED)
  assert.equal(failing.failures, FAILURES_UNTIL_PAUSE)
  assert.equal(failing.failingSince, NOW)
  assert.ok((failing.resumeAt ?? 0) > NOW)
  const well = healthAfter(failing, outcome({}), NOW, MOST)
  assert.deepEqual([well.failures, well.failingSince], [0, null])
  assert.equal(healthAtFirst(FAILURES_UNTIL_PAUSE, NOW).mostRequests, 1)
})

test('a receiver that asks for a pause gets it, up to the longest pause', () => {
  const asked = (retryAfterMs: number): number =>
    (after(1, { ...ANSWERED, overloaded: true, retryAfterMs }).resumeAt ?? 0) - NOW
  assert.equal(asked(30_000), 30_000)
  assert.equal(asked(10 * MAX_PAUSE_MS), MAX_PAUSE_MS)
  assert.equal(after(1, { ...ANSWERED, retryAfterMs: 30_000 }).resumeAt, null)
})

test('the first verdict stays: gone, or failing for too long', () => {
  assert.equal(after(1, { ...ANSWERED, gone: true }).verdict, 'gone')
  const old = healthAtFirst(3, NOW - MAX_FAILING_MS)
  assert.equal(after(1, ANSWERED, old).verdict, 'failing')
  assert.equal(after(1, { ...ANSWERED, gone: true }, after(1, ANSWERED, old)).verdict, 'failing')
  assert.equal(after(5, ANSWERED).verdict, undefined)
})
