// Limits of the submission port for lines, parameters, addresses, sizes, header fields, invalid commands, slow clients
// and many connections.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CredentialRates } from '../../../src/access/credential-rates.ts'
import { ContentMemory } from '../../../src/lib/content-memory.ts'
import { RawSmtpClient } from '../../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../../support/submission-listener.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { TestClock } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

let door: SubmissionDoor
let tenant: Tenant
let from: string
let client: RawSmtpClient

before(async () => {
  door = await openSubmissionListener()
  tenant = await createTenant(door.store)
  from = `a@${tenant.domain.name}`
})
after(() => door.close())

/** Sends each line in a new session, after the lines of `first`, and checks the reply. */
async function answers(
  cases: readonly (readonly [line: string, expected: RegExp])[],
  first: readonly string[] = [],
) {
  for (const [line, expected] of cases) {
    client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
    for (const one of first) assert.match(await client.ask(one), /^250/)
    const shown = JSON.stringify(line.slice(0, 80))
    assert.match(await client.ask(Buffer.from(line).toString('latin1')), expected, shown)
    assert.match(await client.ask('NOOP'), /^250/, `after ${shown}`)
    client.vanish()
  }
}

test('lines that are not commands', async () => {
  client = await RawSmtpClient.connect(door.port)
  await client.reply()
  const lines = [
    ['EHLO x\rNOOP\r\n', /^500 5\.5\.2 The line contains a control character/],
    ['EHLO \0x\r\n', /^500 5\.5\.2 The line contains a control character/],
    ['EHLO \xff\xfe\r\n', /^501 5\.5\.2 The line is not UTF-8/],
    [`EHLO ${'x'.repeat(506)}\r\n`, /^500 5\.5\.6 /],
    [`EHLO ${'x'.repeat(2048)}\r\n`, /^500 5\.5\.6 /],
    [`EHLO ${'x'.repeat(20_000)}\r\n`, /^500 5\.5\.6 /],
    ['FROB\r\n', /^500 5\.5\.1 /],
    ['FROB x\r\n', /^500 5\.5\.1 /],
    ['EHLO client.test\r\n', /^250-/],
    ['\r\n', /^500 5\.5\.1 /],
    ['\r\n', /^421 4\.7\.0 /],
  ] as const
  for (const [line, expected] of lines) {
    client.send(line)
    assert.match(await client.reply(), expected, JSON.stringify(line.slice(0, 40)))
  }
  client.vanish()
})

test('a line that ends in LF alone ends the session, so that no reply is taken for the reply to another command', async () => {
  for (const lines of ['NOOP\n', 'NOOP\n\r\n', 'NOOP\nNOOP\r\n', 'NOOP\n\n', '\nNOOP\r\n']) {
    client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
    client.send(lines)
    assert.match(await client.reply(), /^500 5\.5\.2 A line ends in CRLF/, JSON.stringify(lines))
    assert.equal(await client.reply(), 'closed', JSON.stringify(lines))
  }
})

test('an endless line is refused once, skipped, and finally ends the session', async () => {
  client = await RawSmtpClient.connect(door.port)
  await client.reply()
  client.send('x'.repeat(1024 * 1024))
  assert.match(await client.reply(), /^500 5\.5\.6 /)
  client.send('\r\nNOOP\r\n')
  assert.equal(await client.reply(), '250 2.0.0 OK')
  client.send('x'.repeat(3 * 1024 * 1024))
  assert.match(await client.reply(), /^500 5\.5\.6 /)
  assert.match(await client.reply(), /^421 5\.5\.6 |^closed/)
})

test('other protocols are refused', async () => {
  for (const line of [
    'GET / HTTP/1.1\r\n',
    'PROXY TCP4 1.2.3.4 5.6.7.8 9 10\r\n',
    '\x16\x03\x01\x02\x00\x01',
  ]) {
    client = await RawSmtpClient.connect(door.port)
    await client.reply()
    client.send(line)
    assert.match(await client.reply(), /^421 4\.7\.0 /)
    await client.ended()
  }
})

test('parameters and addresses of MAIL', async () => {
  await answers([
    [`MAIL FROM:<${from}> SIZE=1000 BODY=8BITMIME SMTPUTF8 AUTH=<>`, /^250 2\.1\.0 /],
    [`mail from: <${from}>  body=7bit`, /^250 2\.1\.0 /],
    [`MAIL FROM:<${from}> SIZE=1000001`, /^552 5\.3\.4 /],
    [`MAIL FROM:<${from}> SIZE=-1`, /^501 5\.5\.4 /],
    [`MAIL FROM:<${from}> SIZE=1e9`, /^501 5\.5\.4 /],
    [`MAIL FROM:<${from}> SIZE`, /^501 5\.5\.4 /],
    [`MAIL FROM:<${from}> SIZE=1 SIZE=2`, /^501 5\.5\.4 /],
    [`MAIL FROM:<${from}> BODY=BINARYMIME`, /^501 5\.5\.4 /],
    [`MAIL FROM:<${from}> SMTPUTF8=1`, /^501 5\.5\.4 /],
    [`MAIL FROM:<${from}> RET=HDRS`, /^555 5\.5\.4 /],
    [`MAIL FROM:<${from}> REQUIRETLS`, /^555 5\.5\.4 /],
    [`MAIL FROM:<${from}> CONSTRUCTOR`, /^555 5\.5\.4 /],
    [`MAIL FROM:<${from}> =x`, /^501 5\.5\.4 /],
    [`MAIL FROM:<${from}>SIZE=1`, /^501 5\.1\.7 /],
    [`MAIL FROM:${from}`, /^250 2\.1\.0 /],
    [`mail from : ${from} SIZE=1000`, /^250 2\.1\.0 /],
    [`MAIL FROM :<${from}>`, /^250 2\.1\.0 /],
    ['MAIL FROM:', /^501 5\.1\.7 /],
    [`MAIL FROM:${from}>`, /^501 5\.1\.7 /],
    [`MAIL FROM:Ann <${from}>`, /^501 5\.5\.4 /],
    [`MAIL FROM:a b@${tenant.domain.name}`, /^501 5\.5\.4 /],
    ['MAIL FROM:b@other.test', /^550 5\.7\.1 /],
    ['MAIL FROM:<>', /^550 5\.7\.1 /],
    ['MAIL FROM:<a@other.test>', /^550 5\.7\.1 /],
    [`MAIL FROM:<a@sub.${tenant.domain.name}>`, /^550 5\.7\.1 /],
    [`MAIL FROM:<a@${tenant.domain.name}.>`, /^501 5\.1\.7 /],
    [`MAIL FROM:<@relay.test:${from}>`, /^501 5\.1\.7 /],
    [`MAIL FROM:<jøe@${tenant.domain.name}>`, /^553 5\.6\.7 /],
    [`MAIL FROM:<jøe@${tenant.domain.name}> SMTPUTF8`, /^250 2\.1\.0 /],
    [`MAIL FROM:<"x>"@${tenant.domain.name}>`, /^501 5\.1\.7 /],
    [`MAIL FROM:<a@b.test,${from}>`, /^501 5\.1\.7 /],
    ['MAIL', /^501 5\.1\.7 /],
    [`MAIL FROM:<${from}> AUTH=${'a'.repeat(1_040)}`, /^500 5\.5\.6 /],
    ['VRFY postmaster', /^252 2\.0\.0 /],
    ['EXPN staff', /^252 2\.0\.0 /],
    ['RCPT TO:<b@example.net>', /^503 5\.5\.1 /],
    ['DATA', /^503 5\.5\.1 /],
    ['XCLIENT ADDR=1.2.3.4', /^500 5\.5\.1 /],
  ])
})

test('parameters and addresses of RCPT', async () => {
  await answers(
    [
      ['RCPT TO:<b@example.net>', /^250 2\.1\.5 /],
      ['RCPT TO:<"b b"@example.net>', /^250 2\.1\.5 /],
      ['RCPT TO:<b@example.net> NOTIFY=NEVER', /^555 5\.5\.4 /],
      ['RCPT TO:<b@example.net> ORCPT=rfc822;b@example.net', /^555 5\.5\.4 /],
      ['RCPT TO:<>', /^553 5\.1\.3 /],
      ['RCPT TO:b@example.net', /^250 2\.1\.5 /],
      ['rcpt to : <b@example.net>', /^250 2\.1\.5 /],
      ['RCPT TO:b@example.net,c@example.net', /^553 5\.1\.3 /],
      ['RCPT TO:<b@example.net', /^501 5\.1\.3 /],
      ['RCPT TO:<postmaster>', /^553 5\.1\.3 /],
      ['RCPT TO:<@a.test,@b.test:u@c.test>', /^553 5\.1\.3 /],
      ['RCPT TO:<b@[127.0.0.1]>', /^553 5\.1\.3 /],
      ['RCPT TO:<b@example.net.>', /^553 5\.1\.3 /],
      [`RCPT TO:<${'x'.repeat(65)}@example.net>`, /^553 5\.1\.3 /],
      [`RCPT TO:<b@${'x'.repeat(60)}.${'y.'.repeat(100)}net>`, /^553 5\.1\.3 /],
      ['RCPT TO:<bøb@example.net>', /^553 5\.6\.7 /],
      [`MAIL FROM:<${from}>`, /^503 5\.5\.1 /],
      ['DATA', /^503 5\.5\.1 /],
      ['DATA now', /^501 5\.5\.4 /],
    ],
    [`MAIL FROM:<${from}>`],
  )
})

test(
  'the first 50 of 30,000 recipients get the message',
  thorough('0.8 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const sender = await createTenant(door.store)
    client = await RawSmtpClient.loggedIn(door.tlsPort, sender)
    await client.ask(`MAIL FROM:<a@${sender.domain.name}>`)
    const count = 30_000
    client.send(Array.from({ length: count }, (_, n) => `RCPT TO:<r${n}@example.net>\r\n`).join(''))
    for (let n = 0; n < count; n++) {
      const reply = await client.reply()
      assert.match(reply, n < 50 ? /^250 2\.1\.5 / : /^452 4\.5\.3 /)
    }
    assert.match(await client.ask('RCPT TO:<r7@example.net>'), /^250 2\.1\.5 /)
    assert.match(await client.ask('DATA'), /^354 /)
    assert.match(await client.ask(`From: a@${sender.domain.name}\r\n\r\nx\r\n.`), /^250 2\.0\.0 /)
    const [stored] = await storedMessages(door.store, sender)
    assert.deepEqual(
      stored!.recipients.map(({ email }) => email),
      Array.from({ length: 50 }, (_, n) => `r${n}@example.net`),
    )
    client.vanish()
  },
)

test('a message over the limit is refused after its end, whatever SIZE said', async () => {
  client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  await client.ask(`MAIL FROM:<${from}> SIZE=1`)
  await client.ask('RCPT TO:<b@example.net>')
  await client.ask('DATA')
  client.send(`From: ${from}\r\n\r\n`)
  client.send(`${'x'.repeat(98)}\r\n`.repeat(150_000))
  client.send('.\r\n')
  assert.match(await client.reply(), /^552 5\.3\.4 /)
  assert.match(await client.deliver(from, ['b@example.net'], `From: ${from}\r\n\r\nx`), /^250 /)
  client.vanish()
})

test('headers and bodies that are not passed on', async () => {
  client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  const start = `From: ${from}\r\n`
  const cases: [message: string, expected: RegExp][] = [
    [`${start}${`X: ${'y'.repeat(90)}\r\n`.repeat(1_100)}\r\nx`, /^552 5\.3\.4 /],
    [`${start}${'X: y\r\n'.repeat(1_001)}\r\nx`, /^552 5\.3\.4 /],
    [`${start}${'Received: by x\r\n'.repeat(51)}\r\nx`, /^554 5\.4\.6 /],
    [
      `${start}Reply To: x\r\nTo: b@example.net\r\n\r\nx`,
      /^554 5\.6\.0 Line 2 of the header is no field \("Reply To: x"\): /,
    ],
    [`no colon here\r\n${start}\r\nx`, /^554 5\.6\.0 Line 1 of the header is no field \("no colon here"\): /],
    [
      `${start}List-Help: <https://x.test/${'y'.repeat(999)}>\r\n\r\nx`,
      /^554 5\.6\.0 The List-Help field .*998/,
    ],
    [`${start}X: a\rb\r\n\r\nx`, /^550 5\.6\.0 /],
    ...['From', 'Content-Type', 'Content-Transfer-Encoding'].map((name): [string, RegExp] => [
      `${start}${name}: x\r\n${name.toUpperCase()}: y\r\n\r\nx`,
      new RegExp(`^554 5\\.6\\.0 There is more than one ${name} field`),
    ]),
  ]
  for (const [message, expected] of cases) {
    assert.match(await client.deliver(from, ['b@example.net'], message), expected, message.slice(0, 60))
  }
  assert.match(await client.deliver(from, ['b@example.net'], `${start}\r\n${'y'.repeat(998)}`), /^250 /)
  client.vanish()
})

test('noise is limited, more strictly before a login', async () => {
  client = await RawSmtpClient.connect(door.port)
  await client.reply()
  for (let n = 0; n < 20; n++) assert.match(await client.ask('NOOP'), /^250 /)
  assert.match(await client.ask('NOOP'), /^421 4\.7\.0 /)
  client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  for (let n = 0; n < 95; n++) assert.match(await client.ask('RSET'), /^250 /)
  assert.match(await client.deliver(from, ['b@example.net'], `From: ${from}\r\n\r\nx`), /^250 /)
  for (let n = 0; n < 100; n++) assert.match(await client.ask('RSET'), /^250 /)
  assert.match(await client.ask('RSET'), /^421 4\.7\.0 /)
  await client.ended()
})

test('slow clients are disconnected, in commands and in messages', async () => {
  const clock = new TestClock(Date.now())
  const slow = await openSubmissionListener({ clock })
  const sender = await createTenant(slow.store, { clock })
  client = await RawSmtpClient.connect(slow.port)
  await client.reply()
  client.send('EHLO cli')
  await client.unread(20)
  clock.advance(200_000)
  client.send('ent')
  await client.unread(20)
  clock.advance(100_000)
  assert.match(await client.reply(), /^421 4\.4\.2 /)
  await client.ended()
  client = await RawSmtpClient.loggedIn(slow.tlsPort, sender)
  await client.begin(`a@${sender.domain.name}`, 'b@example.net')
  for (let minute = 0; minute < 6; minute++) {
    client.send(`X: ${'y'.repeat(95)}\r\n`.repeat(300))
    await client.unread(20)
    clock.advance(60_000)
  }
  client.send('X: y\r\n')
  await client.unread(20)
  clock.advance(60_000)
  assert.match(await client.reply(), /^421 4\.4\.2 /)
  await client.ended()
  assert.deepEqual(await storedMessages(slow.store, sender), [])
  await slow.close()
})

test('the number of connections is limited, and each closed one makes room', async () => {
  const crowded = await openSubmissionListener({ limits: { connectionsPerNetwork: 3 } })
  const clients = await Promise.all([1, 2, 3].map(() => RawSmtpClient.connect(crowded.port)))
  for (const one of clients) assert.match(await one.reply(), /^220 /)
  client = await RawSmtpClient.connect(crowded.port)
  assert.match(await client.reply(), /^421 mail\.test Too many connections/)
  await client.ended()
  await assert.rejects(RawSmtpClient.connectTls(crowded.tlsPort))
  clients[0]!.vanish()
  await clients[1]!.unread(30)
  client = await RawSmtpClient.connect(crowded.port)
  assert.match(await client.reply(), /^220 /)
  await crowded.close()
})

test('messages that are too large together are deferred, and not kept in memory', async () => {
  const small = await openSubmissionListener({ memory: new ContentMemory(300_000) })
  const sender = await createTenant(small.store)
  const address = `a@${sender.domain.name}`
  const large = `From: ${address}\r\n\r\n${`${'x'.repeat(98)}\r\n`.repeat(1_000)}x`
  const one = await RawSmtpClient.loggedIn(small.tlsPort, sender)
  await one.begin(address, 'b@example.net')
  one.send(`${large}\r\n`)
  await one.unread(50)
  const two = await RawSmtpClient.loggedIn(small.tlsPort, sender)
  assert.match(await two.deliver(address, ['b@example.net'], large), /^452 4\.3\.1 /)
  assert.match(await one.ask('.'), /^250 /)
  assert.match(await two.deliver(address, ['b@example.net'], large), /^250 /)
  await small.close()
})

test('a credential that sends too often is deferred at MAIL, and others are not', async () => {
  const clock = new TestClock()
  const few = { count: 3, perMs: 3_600_000 }
  const rates = new CredentialRates(clock, { sending: few, verification: few })
  const limited = await openSubmissionListener({ clock, rates })
  const [one, other] = [await createTenant(limited.store), await createTenant(limited.store)]
  const sendOnce = async ({ domain, smtp }: Tenant): Promise<string> => {
    const session = await RawSmtpClient.loggedIn(limited.tlsPort, { smtp })
    const reply = await session.ask(`MAIL FROM:<a@${domain.name}>`)
    if (reply.startsWith('250')) {
      await session.ask('RCPT TO:<b@example.net>')
      await session.ask('DATA')
      assert.match(await session.ask(`From: a@${domain.name}\r\n\r\nx\r\n.`), /^250/)
    }
    session.vanish()
    return reply.slice(0, 9)
  }
  const replies: string[] = []
  for (let count = 0; count < 5; count++) replies.push(await sendOnce(one))
  assert.deepEqual(replies, ['250 2.1.0', '250 2.1.0', '250 2.1.0', '450 4.7.1', '450 4.7.1'])
  assert.equal(await sendOnce(other), '250 2.1.0')
  clock.advance(1_200_000)
  assert.equal(await sendOnce(one), '250 2.1.0')
  assert.equal(await sendOnce(one), '450 4.7.1')
  await limited.close()
})
