// Singleton jobs, of which each is held by one node at a time, also when a clock was ahead.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { claimSingletonJob } from './singleton-jobs.ts'

const NOW = Date.UTC(2026, 0, 1)
const LASTS_MS = 60_000
const YEAR_MS = 365 * 86_400_000

for (const database of DATABASES) {
  test(`on ${database} a job is one node's until its claim ends, and a claim by a clock a year ahead holds up none`, async () => {
    const store = await openTestStore(database)
    const claim = (holder: string, now: number): Promise<boolean> =>
      store.write(claimSingletonJob, { name: 'job', holder, now, until: now + LASTS_MS })
    assert.equal(await claim('one', NOW), true)
    assert.equal(await claim('two', NOW + LASTS_MS - 1), false)
    // Clocks of nodes differ a little.
    assert.equal(await claim('two', NOW - 5_000), false)
    assert.equal(await claim('one', NOW + LASTS_MS - 1), true)
    assert.equal(await claim('two', NOW + 2 * LASTS_MS), true)
    assert.equal(await claim('one', NOW + YEAR_MS), true)
    assert.equal(await claim('two', NOW), true)
    assert.equal(await claim('one', NOW), false)
    await store.close()
  })
}
