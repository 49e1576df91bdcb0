// Timeouts: those that are shortened, and those that must not be.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultTimeouts, hurried, timeoutsWithin } from './timeouts.ts'

test('in a hurry every reply up to the message has 15 seconds, and the message all of its time', () => {
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

test('timeouts that are shorter already stay, in a hurry or not', () => {
  const short = timeoutsWithin(2_000)
  assert.deepEqual(hurried(short), short)
})
