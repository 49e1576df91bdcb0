// Tests that a transcript is stored without the last reply, and shown completely.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedTranscript, wholeTranscript } from './attempt-transcript.ts'
import type { Reply } from './reply.ts'

const DIALOG = '0 > MAIL FROM:<a@example.org>\n3 < 250 2.1.0 Ok\n4 > DATA\n'
const OK: Reply = { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 42' }

const stored = (transcript: string, reply: Reply | undefined) => ({
  transcript: storedTranscript(transcript, reply),
  smtp_code: reply?.code ?? null,
  smtp_enhanced: reply?.enhanced ?? null,
  smtp_response: reply?.text ?? null,
})

for (const [what, transcript, reply, length] of [
  ['the last reply stands in its row', `${DIALOG}9 < 250 2.0.0 Ok: queued as 42`, OK, DIALOG.length + 4],
  [
    'one without an enhanced code as well',
    `${DIALOG}9 < 550 No`,
    { code: 550, text: 'No' },
    DIALOG.length + 4,
  ],
  ['one of several lines stays', `${DIALOG}9 < 250-2.0.0 Ok:\n9 < 250 2.0.0 queued as 42`, OK, undefined],
  [
    'one that is not the last line stays',
    `${DIALOG}9 < 250 2.0.0 Ok: queued as 42\n9 * closed`,
    OK,
    undefined,
  ],
  ['one that ends like a longer one stays', `${DIALOG}9 < 1250 2.0.0 Ok: queued as 42`, OK, undefined],
  ['without a reply nothing changes', `${DIALOG}9 * closed`, undefined, undefined],
] as const) {
  test(what, () => {
    const row = stored(transcript, reply)
    assert.equal(row.transcript.length, length ?? transcript.length)
    assert.equal(wholeTranscript(row), transcript)
  })
}

test('a transcript that the retention has removed stays empty', () => {
  assert.equal(wholeTranscript({ ...stored('', OK), transcript: '' }), '')
})
