// The period of figures in local time, and the choices in the URL.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choiceOf, dayOfStep, isOfLast, offsetHours, offsetText, spanOf } from './choice.ts'

test('days begin where the reader is, and the one under way is part of the span', () => {
  const now = Date.UTC(2026, 0, 31, 23, 30)
  const span = (hours: number) => {
    const { from, to } = spanOf('7d', 'day', now, hours)
    return [from.toISOString(), to.toISOString()]
  }
  assert.deepEqual(span(0), ['2026-01-25T00:00:00.000Z', '2026-02-01T00:00:00.000Z'])
  assert.deepEqual(span(2), ['2026-01-25T22:00:00.000Z', '2026-02-01T22:00:00.000Z'])
  assert.deepEqual(span(-5), ['2026-01-25T05:00:00.000Z', '2026-02-01T05:00:00.000Z'])
  const { from, to } = spanOf('24h', 'hour', now, 2)
  assert.deepEqual([from.getTime(), to.getTime()], [Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1)])
  assert.deepEqual([offsetText(2), offsetText(0), offsetText(-11)], ['+02:00', '+00:00', '-11:00'])
})

test('each day has its own name, also where the clocks were changed within the span', () => {
  const before = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    // Summer time began on 29 March of this year.
    const now = new Date('2026-04-02T12:00:00+02:00')
    const hours = offsetHours(now)
    const { from } = spanOf('7d', 'day', now.getTime(), hours)
    const days = Array.from({ length: 7 }, (_, day) => new Date(from.getTime() + day * 86_400_000))
    assert.deepEqual(
      days.map((day) => dayOfStep(day.toISOString(), hours).getUTCDate()),
      [27, 28, 29, 30, 31, 1, 2],
    )
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
})

test('an address that names no choice, or a wrong one, shows the first of its kind', () => {
  const shown = (filter: object) => {
    const { range, by, groupBy } = choiceOf(filter)
    return [range, by, groupBy]
  }
  assert.deepEqual(shown({}), ['7d', 'day', 'stream'])
  assert.deepEqual(shown({ range: 'toString', by: 'week', group: 'constructor' }), ['7d', 'day', 'stream'])
  assert.deepEqual(shown({ range: '24h', by: 'day' }), ['24h', 'hour', 'stream'])
  assert.deepEqual(shown({ range: '30d', by: 'hour', group: 'tag' }), ['30d', 'hour', 'tag'])
  assert.equal(choiceOf({ tag: 'a', provider: 'Gmail' }).provider, undefined)
})

test('figures are of their last step alone when nothing was accepted before it', () => {
  const of = (...counts: number[]) => isOfLast(counts.map((accepted) => ({ accepted })))
  assert.deepEqual([of(0, 0, 3), of(1, 0, 3), of(1, 0), of(0, 0), of()], [true, false, false, false, false])
})
