// Limits of jobs in threads: what they use of the CPU counts, and time in which others have it does not.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { FairThreads, type JobTimes } from './worker-pool.ts'

/** Jobs that use the CPU for so many milliseconds, that wait for so many, or for what never comes. */
interface Jobs {
  works: { readonly job: number; readonly result: string }
  waits: { readonly job: number; readonly result: string }
  hangs: { readonly job: number; readonly result: string }
}

const PROGRAM = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { serveJobs } from '${new URL('./worker-jobs.ts', import.meta.url)}'
  const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  const jobs = {
    works: (ms) => { for (const until = used() + ms; used() < until; ); return 'done' },
    waits: (ms) => sleep(ms, 'done'),
    hangs: () => new Promise(() => setInterval(() => {}, 1000)),
  }
  serveJobs((kind, ms) => jobs[kind](ms))`

class Threads extends FairThreads<Jobs> {
  readonly name = 'threads of a test'
  constructor(times: JobTimes) {
    super({
      program: new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`),
      ...{ heapMb: 64, maxQuick: 1, times, maxWaiting: 100, jobWeight: 1 },
      failed: (reason) => new Error(reason),
      refused: { full: () => new Error('full'), gone: () => new Error('gone') },
    })
  }
}

describe('a job in a thread', () => {
  const threads = new Threads({ firstSlice: 40, long: 200 })
  const hurried = new Threads({ firstSlice: 10, long: 20 })
  after(() => Promise.all([threads.stop(), hurried.stop()]))
  const accountId = 'acc_one'

  test('that gets no CPU for several times its limits comes to its end', async () => {
    assert.equal(await threads.run({ accountId }, 'waits', 1_000, 0), 'done')
  })

  test('that uses more of it than its limit is ended, and the next of the account is done', async () => {
    const tooLong = assert.rejects(threads.run({ accountId }, 'works', 60_000, 0), /it takes too long/)
    const next = threads.run({ accountId }, 'works', 1, 0)
    await tooLong
    assert.equal(await next, 'done')
  })

  test('that waits for what never comes is ended', async () => {
    await assert.rejects(hurried.run({ accountId }, 'hangs', 0, 0), /it takes too long/)
  })
})
