// Tests when a listing and its end are reported.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterLook, type LookedUp, type LookState } from './list-look.ts'

const MINUTE = 60_000

/** Returns the reported events, with their minutes, of lookups whose states depend on the minute. */
function reported(stateAt: (minute: number) => LookState, minutes: number): string[] {
  let before: LookedUp = { state: 'not_known', since: 0, told_at: null }
  const events: string[] = []
  for (let now = 0; now <= minutes * MINUTE; ) {
    const { event, due_at, ...after } = afterLook(before, { state: stateAt(now / MINUTE), answer: null }, now)
    if (event !== undefined) events.push(`${event} ${now / MINUTE}`)
    before = after
    now = due_at
  }
  return events
}

test('a listing and its end are each reported by a second lookup ten minutes later, within 70 minutes', () => {
  assert.deepEqual(
    reported((minute) => (minute < 200 ? 'listed' : 'not_listed'), 400),
    ['listed 10', 'delisted 248'],
  )
  for (let begin = 0; begin < 120; begin++) {
    const [event = ''] = reported((minute) => (minute >= begin ? 'listed' : 'not_listed'), begin + 70)
    assert.match(event, /^listed /)
  }
})

test('a listing that is over at the second lookup, and lookups without a result, report nothing', () => {
  assert.deepEqual(
    reported((minute) => (minute === 0 ? 'listed' : 'not_listed'), 300),
    [],
  )
  assert.deepEqual(
    reported(() => 'not_known', 3_000),
    [],
  )
  assert.deepEqual(
    reported((minute) => (minute < 20 ? 'listed' : 'not_known'), 3_000),
    ['listed 10'],
  )
})

test('a zone that answers as no list does rests for a day', () => {
  const before = { state: 'listed', since: 0, told_at: 10 * MINUTE } as const
  const after = afterLook(before, { state: 'not_known', answer: 'x', isBroken: true }, 60 * MINUTE)
  assert.deepEqual([after.due_at, after.told_at, after.event], [1_500 * MINUTE, 10 * MINUTE, undefined])
})
