// Tests of the back-off of a host: start and length of pauses, and failures that cause no pause.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage, StageFailure } from '../smtp/stage.ts'
import { BackOff, isAboutUsOrTheWay, isObjection } from './back-off.ts'

const refused = (stage: Stage, code: number, text: string): StageFailure => ({ stage, reply: { code, text } })
const unreachable: StageFailure = { stage: 'connect', error: { code: 'refused', message: 'x' } }

test('pauses grow with each failure in a row, and end with a success', () => {
  const backOff = new BackOff()
  const pauses = Array.from({ length: 12 }, () => {
    backOff.note(unreachable, 1_000)
    return backOff.pauseLeft(1_000)
  })
  assert.deepEqual(pauses.slice(0, 4), [250, 500, 1_000, 2_000])
  assert.equal(pauses.at(-1), 60_000)
  assert.ok(backOff.hopeless)
  assert.equal(backOff.pauseLeft(61_000), 0)
  assert.equal(backOff.failure, unreachable)
  backOff.note(undefined, 2_000)
  assert.deepEqual([backOff.pauseLeft(2_000), backOff.hopeless, backOff.failure], [0, false, undefined])
})

test('only a failure that the next probe would meet as well counts', () => {
  const rows: [StageFailure, boolean][] = [
    [unreachable, true],
    [refused('greeting', 554, 'Blocked'), true],
    [refused('mail', 550, 'No'), true],
    [refused('rcpt', 421, 'Too many connections'), true],
    [refused('rcpt', 550, 'Blocked using Spamhaus'), true],
    [refused('rcpt', 450, 'Rate limit exceeded'), true],
    [refused('rcpt', 550, 'No such user'), false],
    [refused('rcpt', 451, 'Greylisted, try again later'), false],
    [refused('rcpt', 552, 'Mailbox full'), false],
    [refused('rcpt', 451, 'Temporary lookup failure'), false],
    [refused('rcpt', 554, 'Relay access denied'), false],
    [refused('rcpt', 450, 'The user is receiving mail at a rate that prevents more'), false],
    [{ stage: 'mail', error: { code: 'smtputf8', message: 'x' } }, false],
  ]
  for (const [failure, counts] of rows) {
    assert.equal(isAboutUsOrTheWay(failure), counts, JSON.stringify(failure))
  }
})

test('an objection is a reply about us', () => {
  const rows: [StageFailure, boolean][] = [
    [unreachable, false],
    [refused('greeting', 554, 'Blocked'), true],
    [refused('ehlo', 421, 'Too many connections'), true],
    [refused('end-of-data', 421, 'Closing'), true],
    [refused('rcpt', 550, 'Blocked using Spamhaus'), true],
    [refused('end-of-data', 550, 'Blocked using Spamhaus'), true],
    [refused('rcpt', 450, 'Rate limit exceeded'), true],
    [refused('rcpt', 550, 'No such user'), false],
    [refused('rcpt', 451, 'Greylisted, try again later'), false],
    [refused('rcpt', 552, 'Mailbox full'), false],
    [refused('end-of-data', 552, 'Message too large'), false],
  ]
  for (const [failure, objects] of rows) assert.equal(isObjection(failure), objects, JSON.stringify(failure))
})
