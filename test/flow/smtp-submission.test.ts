// A program submits a message by SMTP: the service stores the content unchanged, for the recipients of the envelope.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTransport, type SendMailOptions } from 'nodemailer'
import PostalMime from 'postal-mime'
import { systemClock } from '../../src/lib/clock.ts'
import { beforeIdsOf } from '../../src/lib/ids.ts'
import { RawSmtpClient } from '../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../support/submission-listener.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'

let door: SubmissionDoor

before(async () => {
  door = await openSubmissionListener()
})
after(() => door.close())

async function send(tenant: Tenant, port: 'port' | 'tlsPort', mail: SendMailOptions): Promise<string> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: door[port],
    secure: port === 'tlsPort',
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: tenant.smtp.username, pass: tenant.smtp.password },
  })
  return (await transport.sendMail(mail)).response
}

/** Submits one message, and returns the stored message. */
async function kept(tenant: Tenant, to: readonly string[], message: string) {
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  const reply = await client.deliver(`app@${tenant.domain.name}`, to, message)
  client.vanish()
  assert.match(reply, /^250 2\.0\.0 Ok: queued as msg_[0-9A-Z]{26}$/)
  const [stored, more] = await storedMessages(door.store, tenant)
  assert.equal(more, undefined)
  return stored!
}

test('nodemailer sends with STARTTLS, an attachment, UTF-8 and a blind copy', async () => {
  const tenant = await createTenant(door.store)
  const file = randomBytes(50_000)
  const response = await send(tenant, 'port', {
    from: `Jörg <jorg@${tenant.domain.name}>`,
    to: 'Ann Müller <ann@example.net>, bob@example.net',
    cc: '"Carl, C." <carl@example.org>',
    bcc: 'dora@example.org',
    subject: 'Grüße €',
    text: 'Zeile\n.\n..\nEnde',
    html: '<p>Grüße</p>',
    attachments: [{ filename: 'räksmörgås.bin', content: file }],
    headers: { 'X-Tag': 'wélcome', 'X-Metadata-order_id': '7', 'X-Track-Opens': 'false', 'X-Kept': 'yes' },
  })
  const [stored, more] = await storedMessages(door.store, tenant)
  assert.equal(more, undefined)
  const { message, recipients, content } = stored!
  assert.equal(response, `250 2.0.0 Ok: queued as ${message.id}`)
  assert.equal(message.from_email, `jorg@${tenant.domain.name}`)
  assert.equal(message.from_name, 'Jörg')
  assert.equal(message.subject, 'Grüße €')
  assert.equal(message.tag, 'wélcome')
  assert.deepEqual(JSON.parse(message.metadata!), { order_id: '7' })
  assert.equal(message.key_id, tenant.smtp.username)
  assert.equal(message.size, content.length)
  assert.deepEqual(
    recipients.map(({ role, email, name, status }) => [role, email, name, status]),
    [
      ['to', 'ann@example.net', 'Ann Müller', 'queued'],
      ['to', 'bob@example.net', null, 'queued'],
      ['cc', 'carl@example.org', 'Carl, C.', 'queued'],
      ['bcc', 'dora@example.org', null, 'queued'],
    ],
  )
  const read = await PostalMime.parse(Buffer.from(content, 'latin1'))
  assert.equal(read.text, 'Zeile\n.\n..\nEnde\n')
  assert.deepEqual(Buffer.from(read.attachments[0]!.content as ArrayBuffer), file)
  const names = read.headers.map(({ key }) => key)
  assert.ok(names.includes('x-kept'))
  for (const gone of ['bcc', 'x-tag', 'x-metadata-order_id', 'x-track-opens'])
    assert.ok(!names.includes(gone), gone)
})

test('the port with implicit TLS accepts the same', async () => {
  const tenant = await createTenant(door.store)
  const mail = { from: `a@${tenant.domain.name}`, to: 'b@example.net', subject: 's', text: 't' }
  assert.match(await send(tenant, 'tlsPort', mail), /^250 2\.0\.0 Ok: queued as msg_/)
})

test('missing fields are added, and everything else stays byte for byte', async () => {
  const tenant = await createTenant(door.store)
  const kind = 'X-Odd:  two  spaces\r\n\tand a tab \r\n'
  const header = `From: app@${tenant.domain.name}\r\n${kind}X-Empty:\r\nSubject: a\r\n`
  const body = 'one\r\n\r\n \ttwo\t \r\n'
  const { content } = await kept(tenant, ['b@example.net'], `${header}\r\n${body}`.replace(/\r\n$/, ''))
  const added = /^Message-ID: <[0-9A-Z]{26}@(\S+)>\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r\n$/
  const [trace = ''] = /^Received:.*\r\n .*\r\n/.exec(content) ?? []
  assert.equal(content.slice(trace.length, trace.length + header.length), header)
  assert.ok(content.endsWith(`\r\n\r\n${body}`))
  const [, domain] = added.exec(content.slice(trace.length + header.length, -body.length - 2)) ?? []
  assert.equal(domain, tenant.domain.name)
})

test('the trace field has the service and the time, and nothing about the client', async () => {
  const tenant = await createTenant(door.store)
  const from = `a@${tenant.domain.name}`
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  await client.ask('EHLO workstation-7.internal.test')
  const message = `Received: from elsewhere by here; Sat, 21 Nov 2026 12:00:00 +0000\r\nFrom: ${from}\r\n\r\nhi`
  const reply = await client.deliver(from, ['b@example.net'], message)
  await client.ask(`MAIL FROM:<${from}> SMTPUTF8`)
  await client.ask(Buffer.from('RCPT TO:<jörg@example.net>').toString('latin1'))
  await client.ask('DATA')
  assert.match(await client.ask(`${message}\r\n.`), /^250/)
  const [plain, utf8] = await storedMessages(door.store, tenant)
  const id = /msg_\w+/.exec(reply)?.[0]
  assert.equal(plain?.message.id, id)
  const trace =
    /^Received: by mail\.test with ESMTPSA id (msg_\w+);\r\n \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r\nReceived: from elsewhere/
  assert.equal(trace.exec(plain?.content ?? '')?.[1], id)
  assert.match(utf8?.content ?? '', /^Received: by mail\.test with UTF8SMTPSA id /)
  assert.doesNotMatch(plain?.content ?? '', /workstation|127\.0\.0\.1|b@example/)
})

test('a body beyond ASCII without MIME fields gets them, one with them keeps them', async () => {
  const bare = await createTenant(door.store)
  const utf8 = Buffer.from('Grüße').toString('latin1')
  const one = await kept(bare, ['b@example.net'], `From: a@${bare.domain.name}\r\n\r\n${utf8}`)
  assert.match(one.content, /\r\nMIME-Version: 1\.0\r\nContent-Type: text\/plain; charset=utf-8\r\n/)
  const old = await createTenant(door.store)
  const latin = await kept(old, ['b@example.net'], `From: a@${old.domain.name}\r\n\r\nGr\xfc\xdfe`)
  assert.match(latin.content, /\r\nContent-Type: text\/plain; charset=windows-1252\r\n/)
  const typed = await createTenant(door.store)
  const fields = `From: a@${typed.domain.name}\r\nContent-Type: text/plain; charset=iso-8859-1\r\n`
  const two = await kept(typed, ['b@example.net'], `${fields}\r\nGr\xfc\xdfe`)
  assert.match(two.content, /\r\nMIME-Version: 1\.0\r\n/)
  assert.equal(two.content.match(/Content-Type/g)?.length, 1)
})

test('the envelope decides the recipients, the header only their display names', async () => {
  const tenant = await createTenant(door.store)
  const header = [
    `From: a@${tenant.domain.name}`,
    'To: Friends: Ann <ann@EXAMPLE.net>, other@example.net;',
    'Cc: Ann again <ann@example.net>, =?utf-8?Q?B=C3=B6b?= <bob@example.net>',
    'Bcc: secret@example.net',
  ]
  const to = ['hidden@example.net', 'bob@example.net', 'ann@example.net', 'ann@Example.NET']
  const { recipients, content } = await kept(tenant, to, `${header.join('\r\n')}\r\n\r\nhi`)
  assert.deepEqual(
    recipients.map(({ role, email, name }) => [role, email, name]),
    [
      ['to', 'ann@example.net', 'Ann'],
      ['cc', 'bob@example.net', 'Böb'],
      ['bcc', 'hidden@example.net', null],
    ],
  )
  assert.ok(!/secret|hidden/.test(content))
})

test('signatures, return paths and fields for the service are not passed on', async () => {
  const tenant = await createTenant(door.store)
  const header = [
    'Return-Path: <x@evil.test>',
    'DKIM-Signature: v=1; a=rsa-sha256;\r\n d=evil.test',
    `From: a@${tenant.domain.name}`,
    'x-stream: transactional',
    'X-TAG: =?utf-8?Q?gr=C3=BCn?=',
    'X-Metadata-Customer: 12 345',
    'X-Track-Links: None',
    'Resent-Bcc: secret@example.net',
  ]
  const { message, content } = await kept(tenant, ['b@example.net'], `${header.join('\r\n')}\r\n\r\nhi`)
  assert.equal(message.tag, 'grün')
  assert.deepEqual(JSON.parse(message.metadata!), { customer: '12 345' })
  assert.deepEqual(
    content
      .slice(0, content.indexOf('\r\n\r\n'))
      .split(/\r\n(?! )/)
      .map((line) => line.slice(0, line.indexOf(':'))),
    ['Received', 'From', 'Message-ID', 'Date'],
  )
})

test('unsupported features are refused with the reason', async () => {
  const tenant = await createTenant(door.store)
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  const cases = [
    ['X-Stream: news', /^554 5\.6\.0 stream: There is no stream "news"/],
    ['X-Stream:', /^554 5\.6\.0 X-Stream is empty; name a stream, or leave the field out/],
    ['X-Send-At: 2099-01-01T00:00:00Z', /^554 5\.6\.0 X-Send-At: .* send it over HTTP with send_at/],
    ['X-Track-Opens: HtmlOnly', /^554 5\.6\.0 X-Track-Opens is true or false/],
    ['X-Track-Links: HtmlAndText', /^554 5\.6\.0 X-Track-Links/],
    [`X-Tag: ${'a'.repeat(256)}`, /^554 5\.6\.0 X-Tag has at most 255 characters/],
    [
      Array.from({ length: 11 }, (_, i) => `X-Tag: t${i}`).join('\r\n'),
      /^554 5\.6\.0 There are at most 10 X-Tag/,
    ],
    ['X-Metadata-a: 1\r\nX-metadata-A: 2', /^554 5\.6\.0 There is more than one X-Metadata-A field/],
    ['X-Metadata-: 1', /^554 5\.6\.0 A key must follow X-Metadata-/],
    [
      `X-Metadata-a: ${'a '.repeat(450)}\r\n`
        .repeat(19)
        .replace(/-a/g, () => `-${Math.random()}`)
        .trim(),
      /^554 5\.6\.0 X-Metadata fields have at most 16384/,
    ],
    [
      Array.from({ length: 51 }, (_, i) => `X-Metadata-k${i}: v`).join('\r\n'),
      /^554 5\.6\.0 There are at most 50/,
    ],
  ] as const
  for (const [field, expected] of cases) {
    const message = `From: a@${tenant.domain.name}\r\n${field}\r\n\r\nhi`
    assert.match(await client.deliver(`a@${tenant.domain.name}`, ['b@example.net'], message), expected)
  }
  assert.match(
    await client.deliver(
      `a@${tenant.domain.name}`,
      ['b@example.net'],
      `From: a@${tenant.domain.name}\r\n\r\n`,
    ),
    /^250/,
  )
  assert.equal((await storedMessages(door.store, tenant)).length, 1)
})

test('commands may be sent without waiting for replies', async () => {
  const tenant = await createTenant(door.store)
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  const from = `a@${tenant.domain.name}`
  const transaction = (n: number) =>
    `MAIL FROM:<${from}>\r\nRCPT TO:<b${n}@example.net>\r\nDATA\r\nFrom: ${from}\r\n\r\n${n}\r\n.\r\n`
  client.send(`${transaction(1)}${transaction(2)}RSET\r\n${transaction(3)}QUIT\r\n`)
  const codes: string[] = []
  for (let reply = await client.reply(); reply !== 'closed'; reply = await client.reply())
    codes.push(reply.slice(0, 3))
  const one = ['250', '250', '354', '250']
  assert.deepEqual(codes, [...one, ...one, '250', ...one, '221'])
  const stored = await storedMessages(door.store, tenant)
  assert.deepEqual(
    stored.map(({ recipients, content }) => [recipients[0]!.email, content.slice(-3)]),
    [1, 2, 3].map((n) => [`b${n}@example.net`, `${n}\r\n`]),
  )
})

test('the replies to commands that came together leave together', async () => {
  const tenant = await createTenant(door.store)
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  const from = `a@${tenant.domain.name}`
  const before = client.arrivals
  const recipients = Array.from({ length: 20 }, (_, index) => `RCPT TO:<b${index}@example.net>\r\n`).join('')
  client.send(`MAIL FROM:<${from}>\r\n${recipients}DATA\r\n`)
  for (let count = 0; count < 21; count++) assert.match(await client.reply(), /^250/)
  assert.match(await client.reply(), /^354/)
  assert.equal(client.arrivals, before + 1)
  client.send(`From: ${from}\r\n\r\nhi\r\n.\r\nMAIL FROM:<${from}>\r\nRSET\r\nNOOP\r\n`)
  for (let count = 0; count < 4; count++) assert.match(await client.reply(), /^250/)
  assert.ok(client.arrivals <= before + 4)
})

test('a message has the time of its acceptance in its ID and its header, whatever the clock of its node says', async (context) => {
  const acceptedAt = Date.UTC(2026, 0, 2)
  const behind = await openSubmissionListener({
    clock: { ...systemClock, now: () => acceptedAt - 60 * 86_400_000 },
    messageClock: { ...systemClock, now: () => acceptedAt },
  })
  context.after(() => behind.close())
  const tenant = await createTenant(behind.store)
  const client = await RawSmtpClient.loggedIn(behind.tlsPort, tenant)
  await client.deliver(
    `app@${tenant.domain.name}`,
    ['ann@example.net'],
    `From: app@${tenant.domain.name}\r\nSubject: a\r\n\r\nb\r\n`,
  )
  client.vanish()
  const [stored] = await storedMessages(behind.store, tenant)
  assert.equal(stored?.message.created_at, acceptedAt)
  assert.ok(stored.message.id >= beforeIdsOf('msg', acceptedAt), 'retention goes by the ID')
  assert.match(String(stored.content), /Date: Fri, 02 Jan 2026/)
})
