// Tests of changing the header of raw messages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageChunks } from '../model/composed-message.ts'
import { isRawMessage, parseRawMessage } from './raw-message.ts'
import { type HeaderEdit, rewrite } from './rewrite.ts'

function rewritten(text: string, edit?: HeaderEdit) {
  const raw = parseRawMessage(Buffer.from(text))
  assert.ok(isRawMessage(raw))
  const message = rewrite(raw, edit)
  return { message, wire: Buffer.concat(messageChunks(message)).toString('utf8') }
}

test('removes, prepends and appends, and leaves the rest alone', () => {
  const { message, wire } = rewritten(
    'bcc: x@example.org\r\nSubject:  a\r\n  b\r\nBCC: y\r\nX-Tag: t\r\n\r\n.\r\n',
    {
      remove: ['Bcc', 'x-tag'],
      prepend: [['Received', 'from a by b']],
      append: [
        ['X-É', 'é'],
        ['X-B', 'a\r\nBcc: z'],
      ],
    },
  )
  assert.equal(
    wire,
    'Received: from a by b\r\nSubject:  a\r\n  b\r\nX--: =?utf-8?B?w6k=?=\r\nX-B: a Bcc: z\r\n\r\n.\r\n',
  )
  assert.deepEqual([message.needs8Bit, message.needsSmtpUtf8], [false, false])
})

test('ends the body in a line end', () => {
  assert.equal(rewritten('A: b\r\n\r\nx').wire, 'A: b\r\n\r\nx\r\n')
  assert.equal(rewritten('A: b').wire, 'A: b\r\n\r\n')
})

test('says in ASCII what can be said in it', () => {
  const table: [field: string, written: string, needsSmtpUtf8: boolean][] = [
    ['Subject: Grüße', 'Subject: =?utf-8?B?R3LDvMOfZQ==?=', false],
    ['Subject: é =?utf-8?Q?=C3=BC?=', 'Subject: =?utf-8?B?w6kgw7w=?=', false],
    ['From: Jané <a@example.com>', 'From: =?utf-8?B?SmFuw6k=?= <a@example.com>', false],
    [
      'To: a@example.com, "É, x" <b@example.com>',
      'To: a@example.com, =?utf-8?B?w4ksIHg=?= <b@example.com>',
      false,
    ],
    ['To: jøe@example.com', 'To: jøe@example.com', true],
    ['To: a@bücher.example', 'To: a@xn--bcher-kva.example', false],
    ['To: É <not an address>', 'To: =?utf-8?Q?=C3=89_=3Cnot_an_address=3E?= :;', false],
    ['To: Jürgen <>', 'To: =?utf-8?Q?J=C3=BCrgen?= :;', false],
    ['Cc: ü, b@example.com', 'Cc: =?utf-8?B?w7w=?= :;, b@example.com', false],
    ['Reply-To: ü <>, jøe@example.com', 'Reply-To: =?utf-8?B?w7w=?= :;, jøe@example.com', true],
    ['Errors-To: ü <j@example.com>', 'Errors-To: =?utf-8?B?w7w=?= <j@example.com>', false],
    ['To: Empfänger:;', 'To: =?utf-8?Q?Empf=C3=A4nger?= :;', false],
    ['To: Empfänger: a@example.com, b@example.com;', 'To: a@example.com, b@example.com', false],
    ['References: <é@example.com>', 'References: <é@example.com>', true],
    ['X-Name: plain', 'X-Name: plain', false],
  ]
  for (const [field, written, needsSmtpUtf8] of table) {
    const { message, wire } = rewritten(`${field}\r\n\r\n`)
    assert.equal(wire, `${written}\r\n\r\n`)
    assert.equal(message.needsSmtpUtf8, needsSmtpUtf8)
  }
  assert.equal(rewritten('A: b\r\n\r\né').message.needs8Bit, true)
})
