// Only the sequence CRLF "." CRLF ends a message; the server refuses a message with any similar sequence that another
// server may accept as the end.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RawSmtpClient } from '../../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../../support/submission-listener.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'

let door: SubmissionDoor
let tenant: Tenant
let from: string

before(async () => {
  door = await openSubmissionListener()
  tenant = await createTenant(door.store)
  from = `a@${tenant.domain.name}`
})
after(() => door.close())

const WRONG_ENDS = [
  '\n.\n',
  '\n.\r\n',
  '\n.\r',
  '\r.\n',
  '\r.\r\n',
  '\r.\r',
  '\r\n.\n',
  '\r\n.\r',
  '\r\n.\r\r\n',
  '\r\n\0.\r\n',
  '\r\n.\0\r\n',
]

for (const end of WRONG_ENDS) {
  test(`${JSON.stringify(end)} does not end a message`, async () => {
    const before = (await storedMessages(door.store, tenant)).length
    const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
    await client.begin(from, 'b@example.net')
    const smuggled = `MAIL FROM:<evil@bank.test>\r\nRCPT TO:<b@example.net>\r\nDATA\r\nFrom: evil@bank.test\r\n\r\nx`
    client.send(`From: ${from}\r\n\r\nhello${end}${smuggled}\r\n.\r\n`)
    assert.match(await client.reply(), /^550 5\.6\.0 The message has a (?:CR or LF|NUL)/)
    assert.equal(await client.unread(20), '')
    assert.equal(await client.ask('NOOP'), '250 2.0.0 OK')
    assert.equal((await storedMessages(door.store, tenant)).length, before)
    client.vanish()
  })
}

for (const [end, reply] of [
  ['\r\n.\r\n', /^250 2\.0\.0 /],
  ['\r\r\n.\r\n', /^550 5\.6\.0 /],
] as const) {
  test(`${JSON.stringify(end)} ends a message, and what follows is a command`, async () => {
    const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
    await client.begin(from, 'b@example.net')
    client.send(`From: ${from}\r\n\r\nhello${end}MAIL FROM:<evil@bank.test>\r\nRCPT TO:<b@example.net>\r\n`)
    assert.match(await client.reply(), reply)
    assert.match(await client.reply(), /^550 5\.7\.1 /)
    assert.match(await client.reply(), /^503 5\.5\.1 /)
    client.vanish()
  })
}

test('a message that ends at once is empty, and lines of dots lose one dot each', async () => {
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  await client.begin(from, 'b@example.net')
  assert.match(await client.ask('.'), /^554 5\.6\.0 The message is empty/)
  await client.begin(from, 'b@example.net')
  for (const byte of `From: ${from}\r\n\r\n..\r\n...x\r\n.y.\r\n..\r\n.\r\n`) {
    client.send(byte)
    await new Promise(setImmediate)
  }
  assert.match(await client.reply(), /^250 /)
  const stored = await storedMessages(door.store, tenant)
  assert.ok(stored.at(-1)!.content.endsWith('\r\n\r\n.\r\n..x\r\ny.\r\n.\r\n'))
})
