// Timeouts that are shortened, and timeouts that must not be shortened.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultTimeouts, hurried, timeoutsWithin } from './timeouts.ts'

test('with scarce slots every reply before the message has 15 seconds, and the message keeps its time', () => {
  const { dataBlock, dataEnd, quit, envelope, silence, ...before } = hurried(defaultTimeouts)
  assert.deepEqual(new Set(Object.values(before)), new Set([15_000]))
  assert.equal(Object.keys(before).length, 9)
  const usual = defaultTimeouts
  assert.deepEqual(
    { dataBlock, dataEnd, quit, envelope, silence },
    {
      ...{ dataBlock: usual.dataBlock, dataEnd: usual.dataEnd, quit: usual.quit },
      ...{ envelope: usual.envelope, silence: usual.silence },
    },
  )
})

test('shorter timeouts stay as they are', () => {
  const short = timeoutsWithin(2_000)
  assert.deepEqual(hurried(short), short)
})
