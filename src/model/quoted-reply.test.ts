// Tests of quoted replies: the innermost reply, the command that the reply answered, and replies without a quotation.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quotedInReport, quotedWithin } from './quoted-reply.ts'

test('the reply that is quoted in a reply, without the host that is named before it', () => {
  const within = (text: string) => {
    const quoted = quotedWithin({ code: 550, text })
    return quoted === undefined ? undefined : [quoted.reply.code, quoted.reply.text, quoted.answered]
  }
  for (const [text, ...expected] of [
    [
      'host a.example[192.0.2.1] said: 552 full (in reply to end of DATA command)',
      552,
      'full',
      'end-of-data',
    ],
    ['undeliverable address: User unknown', 550, 'User unknown', undefined],
    ['host a.example[192.0.2.1] refused to talk to me: 554 no', 554, 'no', 'greeting'],
    ['(jo@b.example:550 5.1.1 unknown)', 550, '5.1.1 unknown)', undefined],
    ['a said: 550 b.example [192.0.2.1]: 452 full', 452, 'full', undefined],
  ] as const) {
    assert.deepEqual(within(text), expected, text)
  }
})

test('a reply about the sender, a number and a limit are no quoted replies', () => {
  for (const text of [
    'User unknown',
    'Sender address rejected: undeliverable address: host a.example said: 550 unknown',
    'Verification failed for <a@b.example> Called: 192.0.2.1 Response: 550 unknown',
    'the limit was: 500 messages per hour',
    'error: 450 MB are too large',
  ]) {
    assert.equal(quotedWithin({ code: 550, text }), undefined, text)
  }
})

test('the reply that is quoted in a report ends where the transcript goes on', () => {
  const quoted = quotedInReport(
    '(reason: 550 5.7.1 Blocked) ----- Transcript ----- >>> RCPT To:<jo@b.example> <<< 550 5.7.1 Blocked 550 5.1.1 <jo@b.example>... User unknown',
  )
  assert.deepEqual(quoted?.reply, { code: 550, enhanced: '5.7.1', text: '5.7.1 Blocked)' })
  assert.equal(quoted?.answered, 'rcpt')
  assert.equal(quotedInReport('no such user here'), undefined)
  assert.equal(quotedInReport('550-5.1.1 No such 550 5.1.1 user')?.reply.text, '5.1.1 No such user')
})
