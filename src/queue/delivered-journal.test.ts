// The journal of deliveries: survives the process, stays small, and tolerates incomplete lines.

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { until } from '../../test/support/test-clock.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { writeEntry } from '../smtp/journal-entry.ts'
import { DeliveredJournal, type Noted } from './delivered-journal.ts'

const PAGE = 4_096

let dir: string
let path: string
let journal: DeliveredJournal
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'postrider-handed-over-'))
  path = join(dir, 'handed-over.jsonl')
  journal = new DeliveredJournal(dir)
})
afterEach(() => rmSync(dir, { recursive: true }))

const noted = (messageId: string, more = {}): Noted =>
  ({
    claimed: { messageId, position: 0, relayUrl: 'smtp://user:secret@relay', ...more },
    lease: 'nod.1',
  }) as unknown as Noted

/** Writes an entry as the SMTP thread does after the host has accepted the message. */
const take = (place: JournalPlace | undefined, text = 'Ok'): void =>
  writeEntry(place as JournalPlace, {
    mx: 'mx.test',
    address: '192.0.2.1',
    tls: 'TLSv1.3',
    reply: { code: 250, text },
  })

const left = () => new DeliveredJournal(dir).left()
const idsLeft = (): string[] => left().map(({ claimed }) => claimed.messageId)
const fileSize = (): number => statSync(path).size

test('the next process finds a delivery, without secrets', () => {
  const [one, , three] = ['a', 'b', 'c'].map((id) => journal.open(noted(id), 1_000))
  take(one)
  take(three)
  const [first, second] = left()
  assert.deepEqual([first?.claimed.messageId, second?.claimed.messageId], ['a', 'c'], 'b was not delivered')
  assert.equal(first?.lease, 'nod.1')
  assert.equal(first?.outcome.status, 'delivered')
  assert.equal(first?.nextAttemptAt, null)
  assert.ok(first !== undefined && first.now > first.attempt.startedAt)
  const { durationMs, ...attempt } = first.attempt
  assert.equal(durationMs, first.now - 1_000)
  assert.deepEqual(attempt, {
    ...{ startedAt: 1_000, transcript: '', mx: 'mx.test', address: '192.0.2.1', tls: 'TLSv1.3' },
    reply: { code: 250, text: 'Ok' },
  })
  assert.ok(!readFileSync(path, 'utf8').includes('secret'))
})

test('an unfinished line is skipped', () => {
  take(journal.open(noted('a'), 1))
  appendFileSync(path, '{"claimed":{"mess')
  assert.deepEqual(idsLeft(), ['a'])
})

test('an entry replaces a longer one', () => {
  take(journal.open(noted('long', { tag: 'x'.repeat(500) }), 1))
  journal.close(noted('long').claimed)
  take(journal.open(noted('short'), 1))
  assert.deepEqual(idsLeft(), ['short'])
})

test('the longest reply is shortened to fit its place', () => {
  for (const [id, text] of Object.entries({ ascii: 'x'.repeat(2_000), wide: '\u{1f600}'.repeat(1_000) })) {
    take(journal.open(noted(id, { tag: 'y'.repeat(1_500) }), 1), text)
  }
  take(journal.open(noted('next'), 1))
  assert.deepEqual(idsLeft(), ['ascii', 'wide', 'next'])
  for (const { attempt } of left()) assert.equal(attempt.reply?.code, 250)
  assert.ok(fileSize() <= 3 * PAGE)
})

test('the file stays small under load and keeps open entries', () => {
  take(journal.open(noted('open'), 1))
  for (let index = 0; index < 5_000; index++) {
    take(journal.open(noted(`m${index}`), 1))
    journal.close(noted(`m${index}`).claimed)
  }
  assert.ok(fileSize() <= 2 * PAGE)
  assert.ok(idsLeft().includes('open'))
})

test('the file is emptied when no attempt is under way', async () => {
  take(journal.open(noted('a'), 1))
  take(journal.open(noted('b'), 1))
  journal.close(noted('a').claimed)
  assert.notEqual(fileSize(), 0)
  journal.close(noted('b').claimed)
  await until('the file is empty', () => fileSize() === 0)
})

test('after stop, attempts under way still write, and the last one empties the file', () => {
  const [one, other] = [journal.open(noted('a'), 1), journal.open(noted('b'), 1)]
  journal.stop()
  assert.equal(journal.open(noted('c'), 1), undefined)
  take(one)
  assert.deepEqual(idsLeft(), ['a'])
  take(other)
  journal.close(noted('a').claimed)
  assert.deepEqual(idsLeft(), ['a', 'b'])
  journal.close(noted('b').claimed)
  assert.equal(fileSize(), 0)
})
