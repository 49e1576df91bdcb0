// No accepted message is lost by kill -9 under load. `npm run crash` repeats this test any number of times.

// thorough: takes 6 CPU seconds to kill nodes under load; the tests in src/store kill writes after each statement

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCrashes } from '../support/crash/crash-run.ts'
import { usualDatabase } from '../support/store.ts'

test('three kills under load lose nothing', { timeout: 180_000 }, async (context) => {
  const figures = await runCrashes(3, usualDatabase())
  context.diagnostic(JSON.stringify(figures))
  assert.ok(figures.accepted > 0 && figures.acceptedOverSmtp > 0)
  assert.equal(figures.lost, 0)
  assert.equal(figures.otherMessageIds, 0)
})
