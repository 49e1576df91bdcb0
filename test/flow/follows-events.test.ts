// Clients consume events by polling, by the event stream and by webhook while nodes are killed. `npm run crash --
// followers` runs the same test for longer.

// thorough: takes 10 CPU seconds to kill two nodes repeatedly; src/store/events/feed.test.ts covers the order of events

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFollowers } from '../support/crash/follow-run.ts'
import { usualDatabase } from '../support/store.ts'

test('followers get every event once despite kills', { timeout: 180_000 }, async (context) => {
  const figures = await runFollowers({ messages: 200, kills: 2, database: usualDatabase() })
  context.diagnostic(JSON.stringify(figures))
  assert.ok(figures.accepted >= 200 && figures.events >= 600)
  assert.deepEqual(figures.polled, { missed: 0, repeated: 0 })
  assert.deepEqual(figures.streamed, { missed: 0, repeated: 0 })
  const { missed, otherIds } = figures.hooked
  assert.deepEqual({ missed, otherIds }, { missed: 0, otherIds: 0 })
})
