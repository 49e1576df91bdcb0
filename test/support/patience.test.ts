// The factor for slow machines, and the timeouts that depend on this factor.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { patience } from './patience.ts'

const { TEST_PATIENCE: before } = process.env
afterEach(() => {
  if (before === undefined) delete process.env.TEST_PATIENCE
  else process.env.TEST_PATIENCE = before
})

test('limits are longer on a slower machine, and never shorter', () => {
  delete process.env.TEST_PATIENCE
  assert.equal(patience(), 1)
  for (const [factor, expected] of [
    ['3.5', 3.5],
    ['0.4', 1],
    ['', 1],
    ['fast', 1],
  ] as const) {
    process.env.TEST_PATIENCE = factor
    assert.equal(patience(), expected, factor)
  }
})
