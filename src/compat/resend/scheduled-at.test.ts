// Tests reading the times of Resend's clients.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readScheduledAt } from './scheduled-at.ts'

/** A Wednesday. */
const NOW = Date.UTC(2026, 10, 25, 10, 30)

const read = (text: string): string | undefined => {
  const at = readScheduledAt(text, NOW)
  return at === undefined ? undefined : new Date(at).toISOString().replace(':00.000Z', 'Z')
}

test('times in ISO 8601', () => {
  for (const [text, expected] of [
    ['2026-11-26T08:00:00.000Z', '2026-11-26T08:00Z'],
    ['2026-11-26T08:00:00+02:00', '2026-11-26T06:00Z'],
    ['2026-11-26 08:00:00.000+00:00', '2026-11-26T08:00Z'],
    ['2026-11-26 08:00:00+00', '2026-11-26T08:00Z'],
    ['2026-11-27', '2026-11-27T00:00Z'],
  ] as const) {
    assert.equal(read(text), expected, text)
  }
})

test('delays in English', () => {
  for (const [text, expected] of [
    ['now', '2026-11-25T10:30Z'],
    ['in 1 min', '2026-11-25T10:31Z'],
    ['in 1 hour', '2026-11-25T11:30Z'],
    ['In an hour', '2026-11-25T11:30Z'],
    ['in half an hour', '2026-11-25T11:00Z'],
    ['in 1h', '2026-11-25T11:30Z'],
    ['in 1.5 hours', '2026-11-25T12:00Z'],
    ['in 2 days and 3 hours', '2026-11-27T13:30Z'],
    ['in 1 hour, 15 minutes', '2026-11-25T11:45Z'],
    ['5 minutes from now', '2026-11-25T10:35Z'],
    ['in two weeks', '2026-12-09T10:30Z'],
    ['in 1 month', '2026-12-25T10:30Z'],
  ] as const) {
    assert.equal(read(text), expected, text)
  }
})

test('days and times of day in English, with time zones', () => {
  for (const [text, expected] of [
    ['tomorrow', '2026-11-26T10:30Z'],
    ['tomorrow at 9am', '2026-11-26T09:00Z'],
    ['tomorrow at 9:15 PM', '2026-11-26T21:15Z'],
    ['today at 17:00', '2026-11-25T17:00Z'],
    ['at noon', '2026-11-25T12:00Z'],
    ['at 8am', '2026-11-26T08:00Z'],
    ['Friday at 3pm ET', '2026-11-27T20:00Z'],
    ['wednesday at 10am', '2026-12-02T10:00Z'],
    ['next monday at midnight', '2026-11-30T00:00Z'],
    ['tomorrow at 9am Europe/Paris', '2026-11-26T08:00Z'],
    ['tomorrow at 9am +02:00', '2026-11-26T07:00Z'],
    ['2026-12-01 at 9am', '2026-12-01T09:00Z'],
  ] as const) {
    assert.equal(read(text), expected, text)
  }
  const summer = readScheduledAt('2027-07-01 at 9am PT', NOW)
  assert.equal(new Date(summer ?? 0).toISOString(), '2027-07-01T16:00:00.000Z')
})

test('other texts are no times', () => {
  for (const text of [
    ...[
      '',
      'soon',
      'in',
      'in a while',
      'in one',
      'in 1 fortnight',
      'at 25:00',
      'tomorrow at 13pm',
      'someday at 9am',
    ],
    ...['2026-13-01', 'tomorrow at 9am Nowhere/Land', 'x'.repeat(10_000), 'in 1 hour and', '1 hour ago'],
  ]) {
    assert.equal(read(text), undefined, text.slice(0, 50))
  }
})
