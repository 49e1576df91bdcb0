// Singleton jobs: only one node at a time holds each job.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { silentLog } from '../../lib/log.ts'
import { NodeName } from './node-identity.ts'
import { claimSingletonJob, type JobResources, SingletonJob } from './singleton-jobs.ts'

const NOW = Date.UTC(2026, 0, 1)
const LASTS_MS = 60_000

/** A job that counts its rounds. */
class CountingJob extends SingletonJob {
  rounds = 0

  constructor(resources: JobResources) {
    super(resources, {
      ...{ name: 'counting', lease: 'count', leaseMs: LASTS_MS, everyMs: LASTS_MS },
      failure: 'rounds cannot be counted',
    })
  }

  protected async round(): Promise<void> {
    if (await this.goesOn()) this.rounds++
  }
}

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
  test(`on ${database} rounds run on the node that holds the lease, until the job is stopped`, async () => {
    const store = await openTestStore(database)
    const clock = new TestClock(NOW)
    const make = () => new CountingJob({ store, clock, log: silentLog, node: new NodeName() })
    const [one, two] = [make(), make()]
    const run = async (): Promise<number[]> => {
      for (const job of [one, two]) await job.run()
      return [one.rounds, two.rounds]
    }
    assert.deepEqual(await run(), [1, 0])
    clock.advance(LASTS_MS / 2)
    assert.deepEqual(await run(), [2, 0])
    await one.stop()
    clock.advance(LASTS_MS / 2)
    assert.deepEqual(await run(), [2, 0])
    clock.advance(LASTS_MS)
    assert.deepEqual(await run(), [2, 1])
    await store.close()
  })
}
