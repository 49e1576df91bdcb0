// Tests that the CPU time of a job in a thread counts against the job's limits, and that no job fails because of an
// earlier job.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../../test/support/test-clock.ts'
import { FairThreads, type JobTimes } from './worker-pool.ts'

/** A gate that is opened once; work that a job has left behind waits until the gate is open. */
type Gate = Int32Array<SharedArrayBuffer>

/** Ways in which work left behind by a job ends its thread. */
const ENDS = ['throws', 'rejects', 'exits', 'runs out of memory'] as const

interface Jobs {
  /** Uses the CPU for this many milliseconds. */
  works: { readonly job: number; readonly result: string }
  /** Waits for this many milliseconds. */
  waits: { readonly job: number; readonly result: string }
  /** Waits forever. */
  hangs: { readonly job: number; readonly result: string }
  /** Returns the number of the thread that runs the job. */
  tells: { readonly job: number; readonly result: string }
  /** Returns the length of the transferred buffer. */
  measures: { readonly job: Uint8Array<ArrayBuffer>; readonly result: number }
  /** Returns a result, keeps its thread busy until the gate is open, and then ends the thread. */
  leaves: { readonly job: { readonly gate: Gate; readonly end: string }; readonly result: string }
  /** Leaves work behind that fails when released. */
  leavesWaiting: { readonly job: string; readonly result: string }
  /** Releases the work left behind by `leavesWaiting`, and is running when that work fails. */
  releases: { readonly job: number; readonly result: string }
  /** Starts work that fails while the job waits forever. */
  breaks: { readonly job: number; readonly result: string }
  /** Returns a value that cannot be sent. */
  answersFunction: { readonly job: number; readonly result: unknown }
}

const PROGRAM = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { threadId } from 'node:worker_threads'
  import { serveJobs } from '${new URL('./worker-jobs.ts', import.meta.url)}'
  const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  // Listeners of the test process are not part of a thread.
  for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection']) process.removeAllListeners(event)
  let release
  const fail = () => { throw new Error('left behind') }
  const ends = {
    throws: fail,
    rejects: () => Promise.reject(new Error('left behind')),
    exits: () => process.exit(),
    'runs out of memory': () => { for (const kept = []; ; ) kept.push(new Array(100_000).fill(0)) },
  }
  const jobs = {
    works: (ms) => { for (const until = used() + ms; used() < until; ); return 'done' },
    waits: (ms) => sleep(ms, 'done'),
    hangs: () => new Promise(() => setInterval(() => {}, 1000)),
    tells: () => String(threadId),
    measures: (bytes) => bytes.length,
    leaves: ({ gate, end }) => {
      // This code runs after the result is sent and before the next message is read.
      queueMicrotask(() => process.nextTick(() => { Atomics.wait(gate, 0, 0); ends[end]() }))
      return 'done'
    },
    leavesWaiting: (end) => { void new Promise((resolve) => { release = resolve }).then(ends[end]); return 'done' },
    releases: async () => { release(); await sleep(1); return 'done' },
    breaks: () => { setImmediate(() => { throw new Error('broken by itself') }); return jobs.hangs() },
    answersFunction: () => fail,
  }
  serveJobs((kind, job) => jobs[kind](job))`

const newGate = (): Gate => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

function open(gate: Gate): void {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}

class Threads extends FairThreads<Jobs> {
  readonly name = 'threads of a test'
  constructor(times: JobTimes, idleMs = 60_000, program = PROGRAM) {
    super({
      idleMs,
      program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
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

  test('that exceeds its CPU limit is ended, and the next job of the account runs', async () => {
    const tooLong = assert.rejects(threads.run({ accountId }, 'works', 60_000, 0), /it takes too long/)
    const next = threads.run({ accountId }, 'works', 1, 0)
    await tooLong
    assert.equal(await next, 'done')
  })

  test('that waits for ever is ended', async () => {
    await assert.rejects(hurried.run({ accountId }, 'hangs', 0, 0), /it takes too long/)
  })
})

describe('a thread that ends because of work left behind by a job', () => {
  const threads = new Threads({ firstSlice: 1_000, long: 2_000 })
  after(() => threads.stop())
  const accountId = 'acc_one'

  /** Sends a job to a thread that is about to end and has not received the job. */
  async function sentToTheDying<T>(end: (typeof ENDS)[number], send: () => Promise<T>): Promise<T> {
    const gate = newGate()
    assert.equal(await threads.run({ accountId }, 'leaves', { gate, end }, 0), 'done')
    const sent = send()
    await turn()
    open(gate)
    return sent
  }

  for (const end of ENDS) {
    test(`${end}, fails no job that was sent to it meanwhile`, async () => {
      const times = end === 'runs out of memory' ? 1 : 5
      for (let time = 0; time < times; time++) {
        assert.equal(await sentToTheDying(end, () => threads.run({ accountId }, 'works', 1, 0)), 'done')
      }
    })
  }

  test('returns the buffers that were transferred to it', async () => {
    for (const end of ['throws', 'rejects'] as const) {
      const bytes = new Uint8Array(1_000)
      const send = () => threads.run({ accountId }, 'measures', bytes, 0, [bytes.buffer])
      assert.equal(await sentToTheDying(end, send), 1_000)
    }
  })

  test('fails a job whose buffers have gone with it', async () => {
    const bytes = new Uint8Array(1_000)
    const send = () => threads.run({ accountId }, 'measures', bytes, 0, [bytes.buffer])
    await assert.rejects(sentToTheDying('exits', send), /its thread has ended/)
  })

  test('finishes the running job, and no other one', async () => {
    for (const end of ['throws', 'rejects']) {
      assert.equal(await threads.run({ accountId }, 'leavesWaiting', end, 0), 'done')
      const first = await threads.run({ accountId }, 'tells', 0, 0)
      assert.equal(await threads.run({ accountId }, 'releases', 0, 0), 'done')
      assert.notEqual(await threads.run({ accountId }, 'tells', 0, 0), first)
    }
  })

  test('fails the job that caused the end, at once and with its error', async () => {
    await assert.rejects(threads.run({ accountId }, 'breaks', 0, 0), /broken by itself/)
    await assert.rejects(threads.run({ accountId }, 'answersFunction', 0, 0), /could not be cloned/)
    assert.equal(await threads.run({ accountId }, 'works', 1, 0), 'done')
  })

  test('is not replaced repeatedly where no thread can start', async () => {
    const broken = new Threads({ firstSlice: 1_000, long: 2_000 }, 60_000, `throw new Error('cannot start')`)
    await assert.rejects(broken.run({ accountId }, 'works', 1, 0), /cannot start/)
    await broken.stop()
  })
})

describe('a thread without a job', () => {
  const FOR_TEST = { firstSlice: 1_000, long: 2_000 }
  const lasting = new Threads(FOR_TEST)
  const fleeting = new Threads(FOR_TEST, 1)
  after(() => Promise.all([lasting.stop(), fleeting.stop()]))
  const accountId = 'acc_one'
  const thread = (threads: Threads): Promise<string> => threads.run({ accountId }, 'tells', 0, 0)

  test('runs the next job', async () => {
    const first = await thread(lasting)
    assert.equal(await thread(lasting), first)
  })

  test('ends after its idle time, and another one is started for the next job', async () => {
    const first = await thread(fleeting)
    await until('another thread runs it', async () => (await thread(fleeting)) !== first)
  })
})
