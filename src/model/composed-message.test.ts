// Tests the conversion of a composed message to bytes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageChunks } from './composed-message.ts'

test('puts signatures on top, an empty line before the body, and does not copy the body', () => {
  const body = Buffer.from('hello\r\n')
  const headers = [{ name: 'To', raw: 'To: j\xc3\xb8e@example.com\r\n' }]
  const chunks = messageChunks({ headers, body, needs8Bit: false, needsSmtpUtf8: true }, [
    { name: 'DKIM-Signature', raw: 'DKIM-Signature: v=1\r\n' },
  ])
  assert.equal(chunks[0].toString('utf8'), 'DKIM-Signature: v=1\r\nTo: jøe@example.com\r\n\r\n')
  assert.equal(chunks[1], body)
})
