// Leased runs: newly claimed work while the node stops.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/support/test-clock.ts'
import { systemClock } from './clock.ts'
import { LeasedRuns } from './leased-runs.ts'
import { silentLog } from './log.ts'

/** Runs of one piece of work, whose claim takes until it is released by the test. */
function runsOf() {
  const claimed = Promise.withResolvers<void>()
  const seen = { claims: 0, begun: 0, left: [] as string[] }
  const runs = new LeasedRuns<number, string>({
    ...{ name: 'work', clock: systemClock, log: silentLog, maxRuns: 2 },
    any: async () => seen.claims === 0,
    async claim() {
      seen.claims++
      await claimed.promise
      return 1
    },
    renew: async () => true,
    begin() {
      seen.begun++
      const ended = Promise.withResolvers<string>()
      return { run: () => ended.promise, stop: (why) => ended.resolve(why) }
    },
    release: async (_, end) => seen.left.push(end),
    ends: { lost: 'lost', stopped: 'stopped' },
  })
  return { runs, seen, claimed }
}

test('work whose claim ends while the node stops is released, and never begun', async () => {
  const { runs, seen, claimed } = runsOf()
  runs.start()
  await until('the claim is under way', () => seen.claims === 1)
  const stopped = runs.stop()
  claimed.resolve()
  await stopped
  assert.deepEqual(seen, { claims: 1, begun: 0, left: ['stopped'] })
})

test('a run under way is asked to end, and its work is released before the stop is over', async () => {
  const { runs, seen, claimed } = runsOf()
  runs.start()
  claimed.resolve()
  await until('the run has begun', () => seen.begun === 1)
  await runs.stop()
  assert.deepEqual(seen.left, ['stopped'])
})
