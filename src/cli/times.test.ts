// Parsing and formatting of times on the command line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTime } from '../lib/rfc3339.ts'
import { parseExpiry, shortTime } from './times.ts'

const NOW = Date.UTC(2026, 0, 1)

test('parseExpiry reads RFC 3339 and durations, and nothing else', () => {
  const readable: [string, number][] = [
    ['30d', NOW + 30 * 86_400_000],
    ['90s', NOW + 90_000],
    ['12h', NOW + 12 * 3_600_000],
    ['2027-01-31T00:00:00Z', Date.UTC(2027, 0, 31)],
    ['2027-01-31t00:00:00.5z', Date.UTC(2027, 0, 31) + 500],
    ['2027-01-31T02:00:00+02:00', Date.UTC(2027, 0, 31)],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ]
  for (const [text, at] of readable) assert.equal(parseExpiry(text, NOW), at, text)
  const unreadable = [
    '',
    'never',
    '0d',
    '30',
    '30 d',
    '1w',
    '2027-01-31',
    '2027-01-31T00:00:00',
    '2027-02-29T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-00-01T00:00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01T00:60:00Z',
    '2027-01-01T00:00:00+24:00',
  ]
  for (const text of unreadable) assert.equal(parseExpiry(text, NOW), undefined, text)
})

test('times are written in UTC, for programs with milliseconds', () => {
  assert.equal(formatTime(NOW), '2026-01-01T00:00:00.000Z')
  assert.equal(formatTime(null), null)
  assert.equal(shortTime(NOW + 999), '2026-01-01T00:00:00Z')
  assert.equal(shortTime(null), '-')
})
