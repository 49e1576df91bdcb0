// Singleton jobs: only one node at a time holds each job.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { claimSingletonJob } from './singleton-jobs.ts'

const NOW = Date.UTC(2026, 0, 1)
const LASTS_MS = 60_000

for (const database of DATABASES) {
  test(`on ${database} a job belongs to one node until its lease ends`, async () => {
    const store = await openTestStore(database)
    const claim = (lease: string, now: number): Promise<boolean> =>
      store.write(claimSingletonJob, { name: 'job', lease, now, until: now + LASTS_MS })
    assert.equal(await claim('one', NOW), true)
    assert.equal(await claim('two', NOW + LASTS_MS - 5_000), false)
    // Clocks of nodes differ slightly.
    assert.equal(await claim('two', NOW - 5_000), false)
    assert.equal(await claim('one', NOW + LASTS_MS - 5_000), true)
    assert.equal(await claim('two', NOW + 2 * LASTS_MS + 5_000), true)
    await store.close()
  })
}
