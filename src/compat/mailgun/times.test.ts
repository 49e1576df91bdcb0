// Tests of times in the form of Mailgun.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryTime, mailgunTime, readMailgunTime } from './times.ts'

const AT = Date.UTC(2026, 11, 25, 9)

test('dates and seconds are read', () => {
  for (const text of [
    ...['Fri, 25 Dec 2026 09:00:00 +0000', 'Fri, 25 Dec 2026 09:00:00 GMT', '25 Dec 2026 09:00 UTC'],
    ...['Fri, 25 Dec 2026 10:00:00 +0100', '1798189200', '1798189200.0', ' 1798189200 '],
  ]) {
    assert.equal(readMailgunTime(text), AT, text)
  }
  assert.equal(readMailgunTime('1798189200.123456'), AT + 123)
  assert.equal(readMailgunTime(mailgunTime(AT)), AT)
})

test('other texts are no times', () => {
  for (const text of [
    '',
    'tomorrow',
    '2026-12-25',
    'Fri, 32 Foo 2026 09:00:00 +0000',
    '1e9',
    '-5',
    'x'.repeat(9_999),
  ]) {
    assert.equal(readMailgunTime(text), undefined, text.slice(0, 20))
  }
})

test('a delivery in the past is due now', () => {
  assert.equal(deliveryTime('1000', AT), AT)
  assert.equal(deliveryTime('1798189201', AT), AT + 1_000)
  assert.equal(deliveryTime('x', AT), undefined)
})

test('a time is written in UTC', () => {
  assert.equal(mailgunTime(AT), 'Fri, 25 Dec 2026 09:00:00 UTC')
})
