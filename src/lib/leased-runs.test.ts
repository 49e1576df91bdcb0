// Tests of runs under leases: the end of a run by itself, after a lost lease, after an error, and when the node stops.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock, until } from '../../test/support/test-clock.ts'
import { systemClock } from './clock.ts'
import { LeasedRuns, type LeasedRunsOptions, type Run } from './leased-runs.ts'
import { type Log, silentLog } from './log.ts'

/** Returns runs of one piece of work, whose claim is pending until `claimed` is resolved. */
function runsOf(options: Partial<LeasedRunsOptions<number, string, Run<string>>> = {}, work = [1]) {
  const claimed = Promise.withResolvers<void>()
  const seen = { claims: 0, begun: 0, released: [] as string[] }
  const runs = new LeasedRuns<number, string>({
    ...{ name: 'work', clock: systemClock, log: silentLog },
    async claim() {
      if (seen.claims > 0) return { held: [], hasMore: false }
      seen.claims++
      await claimed.promise
      return { held: work, hasMore: false }
    },
    renew: async (held) => held,
    begin() {
      seen.begun++
      const ended = Promise.withResolvers<string>()
      return { run: () => ended.promise, stop: (why) => ended.resolve(why) }
    },
    release: async (_, end) => seen.released.push(end),
    ends: { lost: 'lost', stopped: 'stopped' },
    ...options,
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
  assert.deepEqual(seen, { claims: 1, begun: 0, released: ['stopped'] })
})

test('a run under way is told to end, and its work released before the stop is over', async () => {
  const { runs, seen, claimed } = runsOf()
  runs.start()
  claimed.resolve()
  await until('the run has begun', () => seen.begun === 1)
  await runs.stop()
  assert.deepEqual(seen.released, ['stopped'])
})

test('of several runs only those whose lease was lost are stopped, and nothing of these is released', async () => {
  const clock = new TestClock()
  const renewed: (readonly number[])[] = []
  const { runs, seen, claimed } = runsOf(
    {
      clock,
      async renew(held) {
        renewed.push(held)
        return held.filter((one) => one !== 2)
      },
    },
    [1, 2, 3],
  )
  runs.start()
  claimed.resolve()
  await until('all have begun', () => seen.begun === 3)
  // The next check finds old leases, and renews the leases before a claim.
  clock.advance(10_000)
  await until('the lost one has ended', () => runs.size === 2)
  assert.deepEqual(renewed, [[1, 2, 3]])
  assert.deepEqual(seen.released, [])
  await runs.stop()
  assert.deepEqual(seen.released, ['stopped', 'stopped'])
})

test('a run that fails, or cannot begin, is logged and keeps no other one from its work', async () => {
  const logged: string[] = []
  const log: Log = { ...silentLog, warn: (_fields, message) => void logged.push(message) }
  const done = Promise.withResolvers<string>()
  const { runs, seen, claimed } = runsOf(
    {
      log,
      begin(held) {
        if (held === 1) throw new Error('it cannot be opened')
        const run = held === 2 ? Promise.reject(new Error('the store is away')) : done.promise
        return { run: () => run, stop: () => {} }
      },
    },
    [1, 2, 3],
  )
  runs.start()
  claimed.resolve()
  await until('two are over', () => logged.length === 2 && runs.size === 1)
  assert.deepEqual(logged, ['work: a run could not begin', 'work: a run has failed'])
  done.resolve('done')
  await until('the third one is released', () => seen.released.length === 1)
  assert.deepEqual(seen.released, ['done'])
  await runs.stop()
})
