// Tests the numbers of events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../lib/ids.ts'
import { numberOfEvent, secondOfNumber } from './event-number.ts'

test('the number of an event is exact, and names the second of the event', () => {
  for (const at of [Date.UTC(2020, 0, 1), Date.UTC(2026, 10, 30, 9, 27, 29, 999), Date.UTC(2087, 11, 31)]) {
    const number = numberOfEvent({ id: newId('evt', at), at })
    assert.ok(Number.isSafeInteger(number), String(number))
    assert.equal(secondOfNumber(number), Math.floor(at / 1_000) * 1_000)
  }
})

test('events of the same second have different numbers', () => {
  const at = Date.UTC(2026, 10, 30)
  const numbers = Array.from({ length: 50 }, () => numberOfEvent({ id: newId('evt', at), at }))
  assert.ok(new Set(numbers).size >= 49)
})
