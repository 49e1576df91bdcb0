// Clock skew between a node and the database, on PostgreSQL and in a store with one node.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore } from '../../../test/support/store.ts'
import { Readiness } from '../../health/readiness.ts'
import { systemClock } from '../../lib/clock.ts'
import { type Log, silentLog } from '../../lib/log.ts'
import { Problem } from '../../model/problem.ts'
import { ClockWatch } from './clock-watch.ts'
import { clockSkew } from './installation.ts'

test('a clock that differs is noticed, logged once, and makes the node not ready', async () => {
  const store = await openTestStore('postgres')
  let ahead = 0
  const lines: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (_fields, message) => void lines.push(message),
    info: (_fields, message) => void lines.push(message),
  }
  const watch = new ClockWatch(store.read, log, () => Date.now() + ahead)
  await watch.start()
  const ready = () =>
    new Readiness({ store, clock: systemClock, clockWatch: watch, dataDir: undefined }).require()
  assert.ok(Math.abs(watch.skew) < 1_000, `${watch.skew}`)
  await ready()

  ahead = 7_000
  await watch.check()
  await watch.check()
  assert.ok(Math.abs(watch.skew - 7_000) < 1_000)
  assert.match(
    lines.join(),
    /^The clock of this node is [67]\.\d s ahead of the database's; set the clock by NTP\. Until then this node delivers nothing\.$/,
  )
  await assert.rejects(
    ready(),
    (error) => error instanceof Problem && error.code === 'unavailable' && /clock/.test(error.message),
  )

  ahead = -3_600_000
  assert.ok(Math.abs(watch.skew + 3_600_000) < 1_000, 'a step is known before the next look')
  await watch.check()
  await assert.rejects(ready(), /behind the database's/)

  const corrected = watch.corrected({ ...systemClock, now: () => Date.now() + ahead })
  assert.ok(Math.abs(corrected.now() - Date.now()) < 1_000, 'others do not get its times')

  ahead = 0
  await watch.check()
  await ready()
  assert.match(lines.at(-1) ?? '', /agrees/)
  await watch.stop()
  await store.close()
  await watch.check()
  assert.ok(Math.abs(watch.skew) < 1_000, 'a database that is away says nothing about the clock')
})

test('a slow answer of the database does not count as a difference of clocks', async () => {
  const store = await openTestStore('postgres')
  /**
   * Returns the skew of a clock that is ahead by `asked` ms when the query is sent and by `answered` ms at the
   * response.
   */
  const skew = (asked: number, answered: number) => {
    const times = [Date.now() + asked, Date.now() + answered]
    return clockSkew(store.read, () => times.shift() as number)
  }
  assert.ok(Math.abs(await skew(-20_000, 0)) < 5_000, 'the database answered at the end')
  assert.ok(Math.abs(await skew(0, 20_000)) < 5_000, 'the database answered at the beginning')
  assert.ok((await skew(40_000, 60_000)) > 30_000, 'a clock that is ahead is still found')
  assert.ok((await skew(-60_000, -40_000)) < -30_000, 'one that is behind, too')
  await store.close()
})

test('the store of one node uses the clock of its machine', async () => {
  const store = await openTestStore('sqlite')
  assert.equal(await clockSkew(store.read, () => 0), 0)
  await store.close()
})
