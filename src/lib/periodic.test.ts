// Tests of periodic steps: times of the runs, never two runs at a time, and no run after the end.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { type Log, silentLog } from './log.ts'
import { Periodic, type PeriodicOptions } from './periodic.ts'

/** Resolves after a turn of the event loop, in which a run without pending work ends. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a periodic step', () => {
  const EVERY_MS = 1_000
  const make = (options: Partial<PeriodicOptions>, clock = new TestClock()) => {
    const runs: number[] = []
    const begun = clock.now()
    const { step = async () => {}, ...rest } = options
    const periodic = new Periodic({
      ...{ name: 'step', clock, log: silentLog, failure: 'it failed', everyMs: EVERY_MS, ...rest },
      step: (stopping) => {
        runs.push(clock.now() - begun)
        return step(stopping)
      },
    })
    /** Advances the clock in steps of a tenth of the pause. */
    const pass = async (ms: number): Promise<void> => {
      for (let gone = 0; gone < ms; gone += EVERY_MS / 10) {
        await turn()
        clock.advance(EVERY_MS / 10)
      }
      await turn()
    }
    return { periodic, runs, pass }
  }

  test('runs after each pause, first after its own one', async () => {
    const { periodic, runs, pass } = make({ firstMs: 300 })
    periodic.start()
    await pass(3_500)
    assert.deepEqual(runs, [300, 1_300, 2_300, 3_300])
    const atOnce = make({ firstMs: 0 })
    atOnce.periodic.start()
    await atOnce.pass(1_000)
    assert.deepEqual(atOnce.runs, [0, 1_000])
    const later = make({})
    later.periodic.start()
    await later.pass(1_900)
    assert.deepEqual(later.runs, [1_000])
    for (const one of [periodic, atOnce.periodic, later.periodic]) await one.stop()
  })

  test('waits twice as long after each failure up to a limit, logs each failure, and returns to normal with the first success', async () => {
    const logged: object[] = []
    const log: Log = { ...silentLog, warn: (fields, message) => void logged.push({ ...fields, message }) }
    const error = new Error('the store is away')
    let fails = true
    const { periodic, runs, pass } = make({
      ...{ log, firstMs: 0, maxRetryMs: 5_000 },
      async step() {
        if (fails) throw error
      },
    })
    periodic.start()
    await pass(2_000)
    await pass(4_000)
    await pass(5_000)
    assert.deepEqual(runs, [0, 2_000, 6_000, 11_000])
    assert.deepEqual(logged, Array(4).fill({ err: error, message: 'it failed' }))
    fails = false
    await pass(7_000)
    assert.deepEqual(runs.slice(4), [16_000, 17_000, 18_000])
    await periodic.stop()
  })

  test('does not wait longer after a failure without a limit', async () => {
    const step = (): Promise<never> => Promise.reject(new Error('no'))
    const { periodic, runs, pass } = make({ step })
    periodic.start()
    await pass(3_000)
    assert.deepEqual(runs, [1_000, 2_000, 3_000])
    await periodic.stop()
  })

  test('is skipped while the version is the one that the last success has seen', async () => {
    let version: number | undefined = 1
    let fails = true
    const { periodic, runs, pass } = make({
      version: () => version,
      async step() {
        if (fails) throw new Error('the store is away')
      },
    })
    periodic.start()
    await pass(2_000)
    assert.deepEqual(runs, [1_000, 2_000])
    fails = false
    await pass(3_000)
    assert.deepEqual(runs.slice(2), [3_000])
    version = 2
    await pass(2_000)
    assert.deepEqual(runs.slice(3), [6_000])
    // An explicit call of `run` runs the step even if the version is unchanged.
    await periodic.run()
    assert.equal(runs.length, 5)
    version = undefined
    await pass(2_000)
    assert.deepEqual(runs.slice(5), [8_000, 9_000])
    await periodic.stop()
  })

  test('runs again when the version has changed while it ran', async () => {
    let version = 1
    const { periodic, runs, pass } = make({
      version: () => version,
      async step() {
        if (version === 1) version = 2
      },
    })
    periodic.start()
    await pass(5_000)
    assert.deepEqual(runs, [1_000, 2_000])
    await periodic.stop()
  })

  test('rests for a multiple of the time that it took', async () => {
    const step = async (): Promise<void> => {
      const end = performance.now() + 20
      while (performance.now() < end);
    }
    const { periodic, runs, pass } = make({ step, firstMs: 0, restFactor: 1_000 })
    periodic.start()
    await pass(19_000)
    assert.deepEqual(runs, [0])
    await periodic.stop()
  })

  test('runs once at a time: a call joins the run under way, or requests another one after it', async () => {
    const ends: (() => void)[] = []
    const { periodic, runs, pass } = make({ step: () => new Promise<void>((end) => ends.push(end)) })
    periodic.start()
    await pass(5_000)
    assert.deepEqual(runs, [1_000])
    const [joined, anew, too] = [periodic.run(), periodic.runAnew(), periodic.runAnew()]
    await turn()
    assert.equal(ends.length, 1)
    ends[0]?.()
    await joined
    await turn()
    assert.deepEqual(runs, [1_000, 5_000])
    ends[1]?.()
    await Promise.all([anew, too])
    await pass(1_000)
    assert.deepEqual(runs, [1_000, 5_000, 6_000])
    ends[2]?.()
    await periodic.stop()
  })

  test('ends with the run under way, which is notified, and never runs by itself again', async () => {
    let end = (): void => {}
    let stopped = false
    const { periodic, runs, pass } = make({
      firstMs: 0,
      step: (stopping) =>
        new Promise((_resolve, reject) => {
          end = () => reject(new Error(`aborted: ${stopping.aborted}`))
        }),
      log: { ...silentLog, warn: () => assert.fail('a run interrupted by the end is not logged') },
    })
    periodic.start()
    const stopping = periodic.stop().then(() => {
      stopped = true
    })
    await pass(2_000)
    assert.equal(stopped, false)
    end()
    await stopping
    await pass(5_000)
    assert.deepEqual(runs, [0])
    const neverStarted = make({})
    await neverStarted.periodic.run()
    await neverStarted.pass(5_000)
    assert.deepEqual(neverStarted.runs, [0])
  })
})

/** Files that use `setInterval` for work that is finished when the callback returns. */
const INTERVALS = [
  'src/api/inboxes/mailpit-events.ts',
  'src/cli/kept-alive.ts',
  'src/egress/pool.ts',
  'src/http/body-upload.ts',
  'src/smtp/threads/dialog-threads.ts',
  'src/store/database/sqlite-reader-thread.ts',
  'src/store/node/open-in-mode.ts',
]

test('repeated work that takes time is a periodic step', () => {
  const using = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => join('src', file))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => readFileSync(file, 'utf8').includes('setInterval('))
  assert.deepEqual(using.sort(), INTERVALS)
})
