// Outcomes of attempts for each kind of end, as a table.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BounceCategory } from '../model/bounce-category.ts'
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

const said = (stage: Stage, code: number, text: string): StageFailure => ({ stage, reply: { code, text } })

const CATEGORIES: [StageFailure, 'deferred' | 'bounced', BounceCategory, hard: boolean][] = [
  [said('rcpt', 550, 'No such user'), 'bounced', 'mailbox_not_found', true],
  [said('rcpt', 450, 'No such user'), 'deferred', 'mailbox_not_found', false],
  [said('mail', 550, 'No such user'), 'bounced', 'policy', false],
  [said('rcpt', 550, 'Account disabled'), 'bounced', 'mailbox_disabled', true],
  [said('rcpt', 552, 'Mailbox full'), 'bounced', 'mailbox_full', false],
  [said('rcpt', 556, 'Domain does not accept mail'), 'bounced', 'domain_invalid', true],
  [said('rcpt', 554, 'Blocked using zen.spamhaus.org'), 'bounced', 'blocked', false],
  [said('greeting', 554, 'Blocked using zen.spamhaus.org'), 'deferred', 'blocked', false],
  [said('end-of-data', 550, 'Rejected by policy'), 'bounced', 'policy', false],
  [said('end-of-data', 550, 'Spam detected'), 'bounced', 'content', false],
  [said('mail', 552, 'Message size exceeds limit'), 'bounced', 'size', false],
  [said('rcpt', 451, 'Greylisted'), 'deferred', 'rate_limited', false],
  [said('auth', 535, 'Wrong password'), 'deferred', 'auth', false],
  [error('connect', 'refused'), 'deferred', 'network', false],
  [error('starttls', 'certificate'), 'deferred', 'tls', false],
  [error('rcpt', 'protocol'), 'deferred', 'protocol', false],
  [error('mail', 'size'), 'bounced', 'size', false],
  [error('mail', 'smtputf8'), 'bounced', 'content', false],
]

describe('the end has a category, and is hard only if the address is the cause', () => {
  for (const [failure, status, category, hard] of CATEGORIES) {
    const what = failure.reply?.text ?? failure.error?.code
    test(`at ${failure.stage}: ${what}: ${status}, ${category}${hard ? ', hard' : ''}`, () => {
      const outcome = outcomeOf({ kind: 'stopped', failure })
      assert.deepEqual([outcome.status, outcome.category, outcome.hard], [status, category, hard])
    })
  }
})

test('an attempt without a route is about a domain without mail or a failed DNS lookup', () => {
  const none = outcomeOf({ kind: 'no_route', permanent: true, reason: 'x' })
  assert.deepEqual([none.category, none.hard], ['domain_invalid', true])
  const unknown = outcomeOf({ kind: 'no_route', permanent: false, reason: 'x' })
  assert.deepEqual([unknown.category, unknown.hard], ['dns', false])
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
