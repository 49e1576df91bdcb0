// Verdicts of runs: a fault differs from a load that was not reached.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differing, exceeding, told } from './verdict.ts'

test('a run held, failed, or could not show its subject', () => {
  assert.deepEqual(told({ faults: [], notShown: [] }), { words: 'held', exitCode: 0 })
  assert.deepEqual(told({ faults: [], notShown: ['the load was not reached'] }), {
    words: 'not shown\n  not shown: the load was not reached',
    exitCode: 3,
  })
  assert.deepEqual(told({ faults: ['lost is 1'], notShown: ['the load was not reached'] }), {
    words: 'FAILED\n  lost is 1\n  not shown: the load was not reached',
    exitCode: 1,
  })
})

test('figures are reported if they differ from the required values', () => {
  const figures = { lost: 0, twice: 2, exitCodes: [0, null] }
  assert.deepEqual(differing(figures, { lost: 0, twice: 0, exitCodes: [0] }), [
    'twice is 2 instead of 0',
    'exitCodes is [0,null] instead of [0]',
  ])
  assert.deepEqual(exceeding({ p95: 900, p99: 1_001 }, { p95: 1_000, p99: 1_000, longest: 5 }), [
    'p99 is 1001; the maximum is 1000',
    'longest is undefined; the maximum is 5',
  ])
})
