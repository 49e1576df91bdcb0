// The remaining time of work, in words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeLeft } from './time-left.ts'

test('is told in minutes, then hours, and not at all while it is unknown', () => {
  assert.equal(timeLeft(null), undefined)
  assert.equal(timeLeft(0), 'about a minute left')
  assert.equal(timeLeft(89), 'about a minute left')
  assert.equal(timeLeft(90), 'about 2 minutes left')
  assert.equal(timeLeft(3_600), 'about 60 minutes left')
  assert.equal(timeLeft(7_200), 'about 2 hours left')
})
