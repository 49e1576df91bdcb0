// A node that gets SIGTERM under load ends with exit code 0, loses no message, sends none twice, and frees its ports.
// `npm run crash -- stop` repeats this test any number of times.

// thorough: takes 4 CPU seconds to stop nodes under load; test/flow/hosts/stops-in-time.test.ts covers a single node

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runStops } from '../support/crash/stop-run.ts'
import { usualDatabase } from '../support/store.ts'

test('two stops under load lose nothing and send nothing twice', { timeout: 180_000 }, async (context) => {
  const figures = await runStops(2, usualDatabase(), 'postrider')
  context.diagnostic(JSON.stringify(figures))
  assert.ok(figures.accepted > 0 && figures.acceptedOverSmtp > 0)
  const { lost, twice, underWay, exitCodes, portsTaken } = figures
  assert.deepEqual(
    { lost, twice, underWay, exitCodes, portsTaken },
    { lost: 0, twice: 0, underWay: 0, exitCodes: [0], portsTaken: 0 },
  )
})
