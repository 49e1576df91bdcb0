// Tests that the health report of an installation is kept for a minute, even if the clock changes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { loadConfig } from '../config/load.ts'
import { createResolver } from '../dns/resolver.ts'
import { Health } from './health.ts'

const HOUR_MS = 3_600_000

test('a report is kept for a minute, even if the clock was set back', async () => {
  const store = await openTestStore('sqlite')
  try {
    const clock = new TestClock(NOW)
    const config = loadConfig({ POSTRIDER_MODE: 'playground' })
    const health = new Health(config, store.read, clock, createResolver({ servers: [], clock }))
    const first = await health.check()
    assert.equal(first.checkedAt, NOW)
    clock.jump(-6 * HOUR_MS)
    clock.advance(59_999)
    assert.equal(await health.check(), first)
    clock.advance(1)
    const second = await health.check()
    assert.equal(second.checkedAt, NOW - 6 * HOUR_MS + 60_000)
    clock.jump(6 * HOUR_MS)
    assert.equal(await health.check(), second)
  } finally {
    await store.close()
  }
})
