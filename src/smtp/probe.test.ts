// Probes of recipients without a message, against a scripted host.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTo, startHost } from '../../test/support/mail-host/client.ts'
import { answerTo, usualExtensions } from '../../test/support/mail-host/script.ts'

const envelope = (recipient: string) => ({ from: '', recipients: [recipient] })

test('MAIL and RCPT go in one write, and nothing follows', async () => {
  const host = await startHost({ extensions: usualExtensions })
  const connection = await openTo(host)
  const { recipients, transcript } = await connection.probe(envelope('a@b.test'))
  assert.equal(recipients[0]?.reply?.code, 250)
  assert.match(transcript, /MAIL FROM:<>/)
  assert.deepEqual(host.connections[0]?.commands.slice(1), ['MAIL FROM:<>', 'RCPT TO:<a@b.test>'])
  assert.equal(host.connections[0]?.chunks[1], 'MAIL FROM:<>\r\nRCPT TO:<a@b.test>\r\n')
  assert.equal(host.mails.length, 0)
})

test('the next probe on the connection begins with RSET, in the same write', async () => {
  const host = await startHost({ script: answerTo('RCPT', '550 5.1.1 No such user') })
  const connection = await openTo(host)
  for (const name of ['a', 'b']) {
    const { recipients } = await connection.probe(envelope(`${name}@b.test`))
    assert.equal(recipients[0]?.failure?.stage, 'rcpt')
    assert.equal(recipients[0]?.failure?.reply?.enhanced, '5.1.1')
  }
  assert.equal(host.connections[0]?.chunks[2], 'RSET\r\nMAIL FROM:<>\r\nRCPT TO:<b@b.test>\r\n')
  assert.ok(connection.usable)
})

test('a refusal of MAIL is reported as one, although RCPT was answered too', async () => {
  const host = await startHost({ script: answerTo('MAIL', '550 5.7.1 Go away') })
  const connection = await openTo(host)
  const { recipients } = await connection.probe(envelope('a@b.test'))
  assert.equal(recipients[0]?.failure?.stage, 'mail')
})

test('without PIPELINING the commands go step by step', async () => {
  const host = await startHost({ extensions: [] })
  const connection = await openTo(host)
  assert.equal((await connection.probe(envelope('a@b.test'))).recipients[0]?.reply?.code, 250)
  assert.equal((await connection.probe(envelope('b@b.test'))).recipients[0]?.reply?.code, 250)
  assert.deepEqual(host.connections[0]?.chunks.slice(1), [
    'MAIL FROM:<>\r\n',
    'RCPT TO:<a@b.test>\r\n',
    'RSET\r\n',
    'MAIL FROM:<>\r\n',
    'RCPT TO:<b@b.test>\r\n',
  ])
})

test('an address with non-ASCII needs SMTPUTF8', async () => {
  const able = await startHost({ extensions: usualExtensions })
  const unable = await startHost({ extensions: ['PIPELINING'] })
  const recipient = 'ящик@b.test'
  const taken = await (await openTo(able)).probe(envelope(recipient))
  assert.equal(taken.recipients[0]?.reply?.code, 250)
  assert.equal(able.connections[0]?.commands[1], 'MAIL FROM:<> SMTPUTF8')
  const refused = await (await openTo(unable)).probe(envelope(recipient))
  assert.equal(refused.recipients[0]?.failure?.error?.code, 'smtputf8')
  assert.equal(unable.connections[0]?.commands.length, 1)
})

test('a host that breaks off is reported as a value', async () => {
  const host = await startHost({ script: answerTo('RCPT', { after: 'reset' }) })
  const { recipients } = await (await openTo(host)).probe(envelope('a@b.test'))
  assert.equal(recipients[0]?.failure?.stage, 'rcpt')
  assert.ok(recipients[0]?.failure?.error)
})

test('an address that does not fit into a command throws', async () => {
  const host = await startHost()
  const connection = await openTo(host)
  await assert.rejects(connection.probe(envelope('a@b.test>\r\nDATA')), TypeError)
})
