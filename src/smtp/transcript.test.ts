import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Transcript } from './transcript.ts'

test('shows commands, replies and their times', () => {
  const transcript = new Transcript()
  transcript.note('connecting')
  transcript.sent('EHLO us.test')
  transcript.received(250, ['mx.test', 'PIPELINING'])
  const lines = transcript.text().split('\n')
  assert.match(lines[0]!, /^\d+ \* connecting$/)
  assert.match(lines[1]!, /^\d+ > EHLO us\.test$/)
  assert.match(lines[2]!, /^\d+ < 250-mx\.test$/)
  assert.match(lines[3]!, /^\d+ < 250 PIPELINING$/)
})

test('keeps the beginning and the end of a long dialog', () => {
  const transcript = new Transcript(2000)
  for (let i = 0; i < 1000; i++) transcript.sent(`RCPT TO:<person${i}@example.com>`)
  transcript.received(250, ['Ok: queued'])
  const text = transcript.text()
  assert.ok(text.length < 2200, String(text.length))
  assert.match(text, /person0@/)
  assert.match(text, /\(\d+ lines left out\)/)
  assert.match(text, /person999@.*\n.*Ok: queued$/)
})

test('truncates endless lines', () => {
  const transcript = new Transcript()
  transcript.sent('x'.repeat(100_000))
  assert.ok(transcript.text().length < 1100)
})
