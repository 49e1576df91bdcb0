// Tests that a DKIM signature of only the beginning of a body is reported for internal decisions, and is not stored
// with the message.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { authenticateMail, storedAuthentication } from './authenticate.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const FROM = 'From: fbl@isp.example\r\n'

/** Builds a mail with this body, whose DKIM signature covers `signed`. */
function mailOf(tags: string, body: string, signed: string): Buffer {
  const hash = createHash('sha256').update(signed).digest('base64')
  const field = `DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=isp.example; s=s; h=from; ${tags}bh=${hash}; b=`
  const signature = sign('sha256', Buffer.from(FROM + field), privateKey).toString('base64')
  return Buffer.from(`${field}${signature}\r\n${FROM}\r\n${body}`)
}

async function dkimOf(raw: Buffer) {
  const answer = { records: [[`v=DKIM1; k=rsa; p=${key}`]] }
  const { authentication } = await authenticateMail({
    ...{ raw, ip: '192.0.2.1', helo: 'x.example', sender: '', host: 'us' },
    known: [{ type: 'TXT', name: 's._domainkey.isp.example', answer }],
  })
  const [found] = authentication.dkim
  return { found, stored: JSON.parse(storedAuthentication(authentication)).dkim[0] }
}

test('a signature of a part of the body is distinguished from one of the whole, and stored as before', async () => {
  const whole = await dkimOf(mailOf('', 'a\r\n', 'a\r\n'))
  assert.deepEqual([whole.found?.result, whole.found?.partial], ['pass', undefined])
  const part = await dkimOf(mailOf('l=0; ', 'Feedback-Type: abuse\r\n', ''))
  assert.deepEqual([part.found?.result, part.found?.partial], ['pass', true])
  assert.deepEqual(part.stored, whole.stored)
})
