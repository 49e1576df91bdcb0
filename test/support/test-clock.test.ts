// The test clock knows which files have set timers, and the clock of a node moves only when the node is idle.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { silentLog } from '../../src/lib/log.ts'
import { Periodic } from '../../src/lib/periodic.ts'
import { databaseFile } from '../../src/store/database/store.ts'
import { TestApp } from './app.ts'
import { stays, TestClock } from './test-clock.ts'
import { thorough } from './thorough.ts'

/** Returns whether the promise has already resolved. */
const isOver = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol('pending')
  await new Promise(setImmediate)
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

test('a clock is armed when a timer is set that is due in time, by the named file', async () => {
  const clock = new TestClock()
  const periodic = (everyMs: number) =>
    new Periodic({ name: 'p', clock, log: silentLog, failure: 'f', everyMs, step: async () => {} })
  const armed = clock.armed(1_000, 'lib/periodic.ts')
  clock.after(10, () => {})
  assert.ok(!(await isOver(armed)), 'a timer of a test does not count for other files')
  const late = periodic(1_001)
  late.start()
  assert.ok(!(await isOver(armed)), 'the timer is due later')
  assert.ok(!clock.isArmed(1_000, 'lib/periodic.ts'))
  const isOfQueue = (): boolean => clock.isArmed(1_000, 'queue/')
  const soon = periodic(1_000)
  soon.start()
  assert.ok(await isOver(armed))
  assert.ok(await isOver(clock.armed(1_000, 'lib/periodic.ts')), 'resolves at once if there is a timer')
  assert.ok(!isOfQueue())
  await Promise.all([soon.stop(), late.stop()])
  assert.ok(!clock.isArmed(10_000, 'lib/periodic.ts'), 'a cancelled timer does not count')
})

test(
  'a node completes its writes before its clock is moved',
  thorough('0.9 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const clock = new TestClock()
    const app = await TestApp.start({ clock, database: 'sqlite' })
    const other = new DatabaseSync(databaseFile(app.storage.dataDir), { timeout: 5_000 })
    try {
      await app.settled()
      const before = clock.now()
      other.exec('begin immediate')
      const sent = app.send()
      while (app.app.commits.underWay === 0) await new Promise(setImmediate)
      const moved = app.advance(1_000)
      await stays('the clock stands still', () => clock.now() === before, 100)
      other.exec('rollback')
      await moved
      assert.equal(clock.now(), before + 1_000)
      await app.messageIn(await sent, 'delivered')
    } finally {
      other.close()
      await app.stop()
    }
  },
)
