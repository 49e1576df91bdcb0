// Attacks on the SMTP dialog at every port: bytes that are sent one by one, commands out of order, and input at the
// moment when TLS begins.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { knock, RETURN_PATH_HOST, startInbound } from '../../support/inbound.ts'
import { plainToken, RawSmtpClient } from '../../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../../support/submission-listener.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { sleep } from '../../support/test-clock.ts'

let door: SubmissionDoor
let tenant: Tenant
let from: string
let app: TestApp

before(async () => {
  door = await openSubmissionListener()
  tenant = await createTenant(door.store)
  from = `a@${tenant.domain.name}`
  app = await startInbound()
})
after(async () => {
  await door.close()
  await app.stop()
})

async function withStartTls(): Promise<RawSmtpClient> {
  const client = await RawSmtpClient.connect(door.port)
  await client.reply()
  await client.ask('EHLO client.test')
  await client.ask('STARTTLS')
  await client.upgrade()
  await client.ask('EHLO client.test')
  assert.match(await client.ask(`AUTH PLAIN ${plainToken(tenant.smtp)}`), /^235 /)
  return client
}

/** Ports, each with a client that may send a message, and with a permitted sender and recipient. */
const PORTS = {
  587: async () => ({ client: await withStartTls(), sender: from, recipient: 'b@example.net' }),
  465: async () => ({
    client: await RawSmtpClient.loggedIn(door.tlsPort, tenant),
    sender: from,
    recipient: 'b@example.net',
  }),
  25: async () => ({ client: await knock(app), sender: '', recipient: `abuse@${RETURN_PATH_HOST}` }),
}

/** Sends bytes one by one, each in a separate turn of the event loop. */
async function drip(client: RawSmtpClient, bytes: string): Promise<void> {
  for (const byte of bytes) {
    client.send(byte)
    await new Promise(setImmediate)
  }
}

for (const [port, open] of Object.entries(PORTS)) {
  describe(`at port ${port}, byte by byte`, () => {
    for (const end of ['\n.\n', '\n.\r\n', '\r.\r\n', '\r\n.\n', '\r\n.\r\r\n', '\r\n\0.\r\n']) {
      test(`${JSON.stringify(end)} does not end a message`, async () => {
        const { client, sender, recipient } = await open()
        await client.begin(sender, recipient)
        const smuggled = `MAIL FROM:<${sender}>\r\nRCPT TO:<${recipient}>\r\nDATA\r\nx`
        await drip(client, `From: ${from}\r\n\r\nhello${end}${smuggled}\r\n.\r\n`)
        assert.match(await client.reply(), /^550 5\.6\.0 The message has a (?:CR or LF|NUL)/)
        assert.equal(await client.unread(10), '')
        assert.match(await client.ask('NOOP'), /^250 /)
        client.vanish()
      })
    }

    test('commands are read, and a bare LF ends the session', async () => {
      const { client, sender } = await open()
      await drip(client, `MAIL FROM:<${sender}>\r\nRSET\r\nNOOP\n`)
      assert.match(await client.reply(), /^250 2\.1\.0 /)
      assert.match(await client.reply(), /^250 2\.0\.0 /)
      assert.match(await client.reply(), /^500 5\.5\.2 A line ends in CRLF/)
      assert.equal(await client.reply(), 'closed')
    })
  })
}

test('a message before the login is refused, however it is pipelined', async () => {
  const before = (await storedMessages(door.store, tenant)).length
  const client = await RawSmtpClient.connectTls(door.tlsPort)
  const message = `From: ${from}\r\n\r\nx\r\n.\r\n`
  const transaction = `MAIL FROM:<${from}>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n`
  client.send(`EHLO client.test\r\n${transaction}${message}AUTH PLAIN ${plainToken(tenant.smtp)}\r\nDATA\r\n`)
  const codes: string[] = []
  for (let count = 0; count < 11; count++) codes.push((await client.reply()).slice(0, 3))
  // The lines of the message are unknown commands; DATA after the login has no transaction.
  assert.deepEqual(codes.slice(0, 5), ['220', '250', '530', '530', '530'])
  assert.deepEqual(codes.slice(5, 9), ['500', '500', '500', '500'])
  assert.deepEqual(codes.slice(9), ['235', '503'])
  client.vanish()
  assert.equal((await storedMessages(door.store, tenant)).length, before)
})

/**
 * Moments at which plaintext follows STARTTLS: in the same segment, some turns of the event loop or milliseconds later,
 * or after the reply 220.
 */
const MOMENTS: Record<string, (client: RawSmtpClient) => Promise<unknown>> = {
  'at once': async () => {},
  'a turn later': () => new Promise(setImmediate),
  'some turns later': async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  },
  'a millisecond later': () => sleep(1, 'the tested moment'),
  'three milliseconds later': () => sleep(3, 'the tested moment'),
  'behind the 220': (client) => client.reply(),
}

for (const [moment, pass] of Object.entries(MOMENTS)) {
  test(`plaintext that is injected ${moment} is never answered under TLS`, async () => {
    let upgraded = 0
    for (let round = 0; round < 15; round++) {
      const client = await RawSmtpClient.connect(door.port)
      await client.reply()
      await client.ask('EHLO client.test')
      client.send('STARTTLS\r\n')
      await pass(client)
      client.send(`EHLO injected\r\n${`AUTH PLAIN ${plainToken(tenant.smtp)}\r\n`.repeat(round * 20)}`)
      if (moment !== 'behind the 220') assert.match(await client.reply(), /^220 /)
      // Plaintext that TLS receives ends the handshake; plaintext that arrives earlier is discarded.
      const secure = await Promise.race([
        client.upgrade().then(
          () => true,
          () => false,
        ),
        client.ended().then(() => false),
      ])
      if (secure && !client.isOver) {
        upgraded++
        assert.equal(await client.unread(5), '')
        assert.match(await client.ask(`MAIL FROM:<${from}>`), /^503 5\.5\.1 .*EHLO first|^closed/)
      }
      client.vanish()
    }
    if (moment === 'at once') assert.equal(upgraded, 15)
  })
}

test('a client that does not read its replies is not read either', async () => {
  const client = await knock(app)
  assert.match(await client.ask('MAIL FROM:<>'), /^250 /)
  client.stopReading()
  const line = `RCPT TO:<abuse@${RETURN_PATH_HOST}>\r\n`
  for (let count = 0; count < 1_000; count++) client.send(line.repeat(1_000))
  let unsent = client.unsent
  for (let before = -1; unsent !== before; unsent = client.unsent) {
    before = unsent
    await sleep(200, 'time in which the node would read more bytes')
  }
  // The sockets of both sides hold some of the bytes, and the node reads no further bytes.
  assert.ok(unsent > 20_000_000, `${unsent} bytes are still to be read`)
  client.vanish()
})
