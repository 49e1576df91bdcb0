// Limits of jobs in threads: what they use of the CPU counts, and time in which others have it does not.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sleep, until } from '../../test/support/test-clock.ts'
import { FairThreads, type JobTimes } from './worker-pool.ts'

/** Jobs that use the CPU for so many milliseconds, that wait for so many, or for what never comes, or leave behind what fails later. */
interface Jobs {
  works: { readonly job: number; readonly result: string }
  waits: { readonly job: number; readonly result: string }
  hangs: { readonly job: number; readonly result: string }
  tells: { readonly job: number; readonly result: string }
  leaves: { readonly job: number; readonly result: string }
}

const PROGRAM = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { threadId } from 'node:worker_threads'
  import { serveJobs } from '${new URL('./worker-jobs.ts', import.meta.url)}'
  const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  const jobs = {
    works: (ms) => { for (const until = used() + ms; used() < until; ); return 'done' },
    waits: (ms) => sleep(ms, 'done'),
    hangs: () => new Promise(() => setInterval(() => {}, 1000)),
    tells: () => String(threadId),
    leaves: (ms) => { setTimeout(() => { throw new Error('left behind') }, ms); return 'done' },
  }
  serveJobs((kind, ms) => jobs[kind](ms))`

class Threads extends FairThreads<Jobs> {
  readonly name = 'threads of a test'
  constructor(times: JobTimes, idleMs = 60_000) {
    super({
      idleMs,
      program: new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`),
      ...{ heapMb: 64, maxQuick: 1, times, maxWaiting: 100, jobWeight: 1 },
      failed: (reason) => new Error(reason),
      refused: { full: () => new Error('full'), gone: () => new Error('gone') },
      stopped: () => new Error('stopped'),
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

  test('that ended its thread behind its answer fails no other job', async () => {
    assert.equal(await threads.run({ accountId }, 'leaves', 10, 0), 'done')
    await sleep(200, 'its thread comes to its end')
    const next = await threads.run({ accountId }, 'waits', 1, 0)
    assert.equal(next, 'done')
  })

  test('that waits for what never comes is ended', async () => {
    await assert.rejects(hurried.run({ accountId }, 'hangs', 0, 0), /it takes too long/)
  })
})

describe('a thread without a job', () => {
  const FOR_TEST = { firstSlice: 1_000, long: 2_000 }
  const lasting = new Threads(FOR_TEST)
  const fleeting = new Threads(FOR_TEST, 1)
  after(() => Promise.all([lasting.stop(), fleeting.stop()]))
  const accountId = 'acc_one'
  const thread = (threads: Threads): Promise<string> => threads.run({ accountId }, 'tells', 0, 0)

  test('does the next one that comes', async () => {
    const first = await thread(lasting)
    assert.equal(await thread(lasting), first)
  })

  test('ends after its time, and another one is started for the next job', async () => {
    const first = await thread(fleeting)
    await until('another thread does it', async () => (await thread(fleeting)) !== first)
  })
})
