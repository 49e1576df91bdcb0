// DSN parameters of MAIL and RCPT for a host that offers the DSN extension (RFC 3461).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageOf, openTo, startHost } from '../../test/support/mail-host/client.ts'
import { chunkingExtensions, usualExtensions } from '../../test/support/mail-host/script.ts'

const message = messageOf('Subject: x\r\n\r\nHello\r\n')
const from = 'us@us.test'
const envelope = { from, recipients: ['a+b=c@mx.test', 'd@mx.test', 'é@mx.test'], id: 'msg_1+2' }

const named = (commands: readonly string[]): string[] =>
  commands.filter((line) => /^(?:MAIL|RCPT)/.test(line)).map((line) => line.replace(/ (?:SIZE|BODY)=\S+/, ''))

for (const [way, extensions] of [
  ['at once', chunkingExtensions],
  ['pipelined', usualExtensions],
  ['step by step', usualExtensions.filter((keyword) => keyword !== 'PIPELINING')],
] as const) {
  test(`the parameters, ${way}`, async () => {
    const host = await startHost({ extensions: [...extensions, 'DSN'] })
    const connection = await openTo(host)
    const sent = await connection.send(envelope, message)
    assert.ok(sent.recipients.every((recipient) => recipient.reply?.code === 250))
    assert.deepEqual(named(host.connections[0]!.commands), [
      'MAIL FROM:<us@us.test> SMTPUTF8 RET=HDRS ENVID=msg_1+2B2',
      'RCPT TO:<a+b=c@mx.test> NOTIFY=FAILURE,DELAY ORCPT=rfc822;a+2Bb+3Dc@mx.test',
      'RCPT TO:<d@mx.test> NOTIFY=FAILURE,DELAY ORCPT=rfc822;d@mx.test',
      'RCPT TO:<é@mx.test> NOTIFY=FAILURE,DELAY',
    ])
  })
}

test('nothing where DSN is not offered, or no ID is given', async () => {
  for (const [extensions, id] of [
    [usualExtensions, 'msg_1'],
    [[...usualExtensions, 'DSN'], undefined],
  ] as const) {
    const host = await startHost({ extensions })
    const connection = await openTo(host)
    await connection.send({ from, recipients: ['d@mx.test'], id }, message)
    assert.deepEqual(named(host.connections[0]!.commands), ['MAIL FROM:<us@us.test>', 'RCPT TO:<d@mx.test>'])
  }
})

test('an ID that would break out of its command throws', async () => {
  const connection = await openTo(await startHost())
  await assert.rejects(connection.send({ ...envelope, id: 'a\r\nRSET' }, message), TypeError)
})
