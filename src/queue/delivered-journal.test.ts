// The delivered journal: it outlives the process, stays small, and forgives a torn line.

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { RecordOutcome } from '../store/queue/outcomes.ts'
import { DeliveredJournal } from './delivered-journal.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'postrider-handed-over-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const outcome = (messageId: string): RecordOutcome =>
  ({
    claimed: { messageId, position: 0, lease: 'nod.1' },
    outcome: { status: 'delivered', reason: 'taken' },
    attempt: { startedAt: 1, durationMs: 2, transcript: 'x'.repeat(10_000) },
    nextAttemptAt: null,
    now: 3,
  }) as unknown as RecordOutcome

const idsLeft = (): string[] => new DeliveredJournal(dir).left().map(({ claimed }) => claimed.messageId)
const fileSize = (): number => statSync(join(dir, 'handed-over.jsonl')).size

test('what was added is there for the next process, without its transcript', () => {
  const file = new DeliveredJournal(dir)
  file.add(outcome('a'))
  file.add(outcome('b'))
  assert.deepEqual(idsLeft(), ['a', 'b'])
  assert.ok(fileSize() < 1_000)
})

test('a line that was not finished is left out', () => {
  const file = new DeliveredJournal(dir)
  file.add(outcome('a'))
  appendFileSync(join(dir, 'handed-over.jsonl'), '{"claimed":{"mess')
  assert.deepEqual(idsLeft(), ['a'])
})

test('it is emptied at the end, when nothing is open', () => {
  const file = new DeliveredJournal(dir)
  const one = outcome('a')
  file.add(one)
  file.remove(one)
  file.close()
  assert.equal(fileSize(), 0)
  file.add(one)
  assert.equal(fileSize(), 0, 'after the end nothing is written')
})

test('it stays small under load, and keeps what is open', () => {
  const file = new DeliveredJournal(dir)
  const open = outcome('open')
  file.add(open)
  for (let index = 0; index < 40_000; index++) {
    const one = outcome(`m${index}`)
    file.add(one)
    file.remove(one)
  }
  assert.ok(fileSize() < 4_200_000, `${fileSize()} octets`)
  assert.ok(idsLeft().includes('open'))
})
