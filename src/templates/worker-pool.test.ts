// Tests the pool of threads: order, long jobs, and jobs whose clients have disconnected.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { thorough } from '../../test/support/thorough.ts'
import { Problem } from '../model/problem.ts'
import { LIMITS } from '../template-language/tree.ts'
import { CannotConvert } from './html-conversion.ts'
import { isRendered } from './render.ts'
import { WorkerPool, type WorkFor } from './worker-pool.ts'

const IS_UNAVAILABLE = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable'

describe('threads for templates', () => {
  let pool: WorkerPool
  beforeEach(() => {
    // A time slice suffices for a short job even on a busy machine, in a thread that has not run a job before.
    pool = new WorkerPool({ firstSlice: 1_000, long: 700 })
  })
  afterEach(() => pool.stop())

  let made = 0
  /** Renders some HTML and makes text from it. */
  async function convert(workFor: WorkFor, html: string, inlineCss = false): Promise<string | null> {
    const rendered = await pool.run(
      workFor,
      'render',
      {
        template: {
          ...{ id: `tpl_${++made}`, version: 1, subject: null, html: '{{{v}}}', text: null },
          ...{ required: [], inlineCss, layoutId: null },
        },
        layout: undefined,
        model: JSON.stringify({ v: html }),
        limits: LIMITS,
        suggest: false,
      },
      html.length,
    )
    assert.ok(isRendered(rendered))
    return rendered.text
  }
  /** This HTML takes a minute of CPU time or more. */
  const endless = `<style>b~i{color:red}</style><b></b>${'<i></i>'.repeat(120_000)}`

  test(
    'who has used most is last, and what takes too long is refused',
    thorough('2 CPU s: jobs that really take long'),
    async () => {
      const ended: string[] = []
      const work = [
        assert
          .rejects(convert({ accountId: 'slow' }, endless, true), CannotConvert)
          .then(() => ended.push('slow')),
        convert({ accountId: 'slow' }, '<p>x</p>').then(() => ended.push('slow')),
        ...Array.from({ length: 20 }, (_, one) =>
          convert({ accountId: `quick${one % 3}` }, '<p>x</p>').then(() => ended.push('quick')),
        ),
      ]
      await Promise.all(work)
      assert.ok(ended.lastIndexOf('slow') >= 18, ended.join())
    },
  )

  test(
    'of several that take long one goes on at a time, and all others are served meanwhile',
    thorough('4 CPU s: jobs that really take long'),
    async () => {
      await pool.stop()
      // None of these jobs ends.
      pool = new WorkerPool({ firstSlice: 1_000, long: 120_000 })
      let left = 2
      const slow = ['a', 'b'].map((accountId) =>
        assert.rejects(convert({ accountId }, endless, true), IS_UNAVAILABLE).then(() => left--),
      )
      for (let served = 0; served < 3; served++) {
        assert.equal(await convert({ accountId: 'honest' }, '<p>x</p>'), 'x')
      }
      assert.equal(left, 2)
      await pool.stop()
      await Promise.all(slow)
    },
  )

  test(
    'work of clients that have gone is dropped, and takes nobody’s place',
    thorough('0.7 CPU s: jobs that really take long'),
    async () => {
      let isGone = false
      const first = convert({ accountId: 'a' }, '<p>first</p>')
      const large = 'x'.repeat(900_000)
      const waiting = Array.from({ length: 17 }, () =>
        convert({ accountId: 'a', isGone: () => isGone }, large),
      )
      const dropped = waiting.map((one) => assert.rejects(one, Problem))
      // The waiting jobs now use up the share of this account in the queue.
      await assert.rejects(convert({ accountId: 'a' }, large), IS_UNAVAILABLE)
      isGone = true
      const last = convert({ accountId: 'a' }, '<p>last</p>')
      assert.deepEqual([await first, await last], ['first', 'last'])
      await Promise.all(dropped)
    },
  )

  test(
    'a thread that comes to its end fails that job alone',
    thorough('1.2 CPU s: jobs that really take long'),
    async () => {
      // A rule for many elements enlarges the HTML a hundred times.
      const rule = `<style>p{color:red;a:${'x'.repeat(20_000)}}</style>${'<p>x</p>'.repeat(50_000)}`
      await assert.rejects(convert({ accountId: 'a' }, rule, true), CannotConvert)
      assert.equal(await convert({ accountId: 'a' }, '<p>x</p>'), 'x')
    },
  )

  test('what is under way and what waits ends with the pool, and is not told to be at fault', async () => {
    const all = [1, 2, 3].map(() => assert.rejects(convert({ accountId: 'a' }, '<p>x</p>'), IS_UNAVAILABLE))
    await pool.stop()
    await Promise.all(all)
    await assert.rejects(convert({ accountId: 'a' }, '<p>x</p>'), IS_UNAVAILABLE)
  })
})
