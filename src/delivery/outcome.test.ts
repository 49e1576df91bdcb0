// What follows from how an attempt ended, as a table.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Stage, StageFailure } from '../smtp/stage.ts'
import { outcomeOf, worthAnotherHost } from './outcome.ts'
import { nextWait } from './retry.ts'

const reply = (stage: Stage, code: number): StageFailure => ({ stage, reply: { code, text: 'x' } })
const error = (stage: Stage, code: NonNullable<StageFailure['error']>['code']): StageFailure => ({
  stage,
  error: { code, message: 'x' },
})

const TABLE: [StageFailure, 'deferred' | 'bounced', anotherHost: boolean][] = [
  [reply('greeting', 421), 'deferred', true],
  [reply('greeting', 554), 'deferred', true],
  [reply('ehlo', 550), 'deferred', true],
  [reply('starttls', 454), 'deferred', true],
  [reply('auth', 535), 'deferred', true],
  [reply('mail', 421), 'deferred', true],
  [reply('mail', 451), 'deferred', false],
  [reply('mail', 550), 'bounced', false],
  [reply('rcpt', 450), 'deferred', false],
  [reply('rcpt', 550), 'bounced', false],
  [reply('data', 554), 'bounced', false],
  [reply('message', 552), 'bounced', false],
  [reply('end-of-data', 421), 'deferred', true],
  [reply('end-of-data', 451), 'deferred', false],
  [reply('end-of-data', 554), 'bounced', false],
  [error('connect', 'refused'), 'deferred', true],
  [error('connect', 'timeout'), 'deferred', true],
  [error('greeting', 'timeout'), 'deferred', true],
  [error('starttls', 'tls'), 'deferred', true],
  [error('starttls', 'protocol'), 'deferred', true],
  [error('mail', 'closed'), 'deferred', true],
  [error('message', 'reset'), 'deferred', true],
  [error('end-of-data', 'timeout'), 'deferred', false],
  [error('mail', 'size'), 'bounced', true],
  [error('mail', 'smtputf8'), 'bounced', true],
  [error('mail', 'eight-bit'), 'bounced', true],
]

describe('an attempt that stopped', () => {
  for (const [failure, status, another] of TABLE) {
    const what = failure.reply === undefined ? failure.error?.code : failure.reply.code
    test(`at ${failure.stage} with ${what}: ${status}${another ? ', after the other hosts' : ''}`, () => {
      assert.equal(outcomeOf({ kind: 'stopped', failure }).status, status)
      assert.equal(worthAnotherHost(failure), another)
    })
  }
})

test('an accepted message is delivered; without a route it bounces or waits', () => {
  assert.equal(outcomeOf({ kind: 'accepted', reply: { code: 250, text: 'ok' } }).status, 'delivered')
  assert.equal(outcomeOf({ kind: 'no_route', permanent: true, reason: 'x' }).status, 'bounced')
  assert.equal(outcomeOf({ kind: 'no_route', permanent: false, reason: 'x' }).status, 'deferred')
})

test('waits follow the schedule with a tenth of jitter, and end with it', () => {
  assert.equal(nextWait([1_000, 5_000], 1, 0.5), 1_000)
  assert.equal(nextWait([1_000, 5_000], 2, 0), 4_500)
  assert.equal(nextWait([1_000, 5_000], 2, 0.999999), 5_500)
  assert.equal(nextWait([1_000, 5_000], 3, 0.5), undefined)
})
