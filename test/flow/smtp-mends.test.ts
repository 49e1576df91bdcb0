// Devices, scripts and old programs that submit almost valid SMTP and messages: the service repairs the message, or its
// reply names the fault.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RawSmtpClient } from '../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type Stored,
  type SubmissionDoor,
  storedMessages,
} from '../support/submission-listener.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'

let door: SubmissionDoor
let tenant: Tenant
let client: RawSmtpClient

before(async () => {
  door = await openSubmissionListener()
  tenant = await createTenant(door.store, { domain: 'example.test' })
  client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
})
after(() => {
  client.vanish()
  return door.close()
})

const FROM = 'app@example.test'
const DATED = 'Date: Sat, 28 Nov 2026 22:50:00 +0000\r\nMessage-ID: <case@example.test>\r\n'
const USUAL = `To: reader@example.net\r\nSubject: Field case\r\n${DATED}`

/** Submits a message, and returns the stored message. */
async function stored(message: string): Promise<Stored> {
  const reply = await client.deliver(FROM, ['reader@example.net'], message)
  assert.match(reply, /^250 2\.0\.0 /, message.slice(0, 300))
  return (await storedMessages(door.store, tenant)).at(-1)!
}

/** Submits a message, and returns the stored content without the Received field. */
const contentOf = async (message: string): Promise<string> =>
  (await stored(message)).content.replace(/^Received:.*\r\n .*\r\n/, '')

const refusal = (message: string): Promise<string> => client.deliver(FROM, ['reader@example.net'], message)

test('devices greet with free text', async () => {
  for (const [line, reply] of [
    ['EHLO Laser Printer 400', /^250-/],
    ['HELO HP Scanner (2nd floor)', /^250 /],
    ['ehlo  Büro Drucker', /^250-/],
    ['EHLO pc_1.my_lan.internal', /^250-/],
    ['EHLO', /^501 5\.5\.4 /],
    ['EHLO   ', /^501 5\.5\.4 /],
  ] as const) {
    assert.match(await client.ask(Buffer.from(line).toString('latin1')), reply, line)
  }
})

test('paths without angle brackets or with a blank before the colon are accepted', async () => {
  for (const [mail, rcpt] of [
    [`MAIL FROM:${FROM}`, 'RCPT TO:reader@example.net'],
    [`MAIL FROM :<${FROM}>`, 'RCPT TO :<reader@example.net>'],
    [`mail from : ${FROM} BODY=8BITMIME`, 'rcpt to : reader@example.net'],
    [`MAIL  FROM:<${FROM}>`, 'RCPT  TO:<reader@example.net>'],
  ] as const) {
    assert.match(await client.ask(mail), /^250 /, mail)
    assert.match(await client.ask(rcpt), /^250 /, rcpt)
    assert.match(await client.ask('DATA'), /^354 /)
    assert.match(await client.ask(`From: ${FROM}\r\n\r\n${mail}\r\n.`), /^250 /)
    const { message, recipients } = (await storedMessages(door.store, tenant)).at(-1)!
    assert.deepEqual([message.from_email, recipients[0]?.email], [FROM, 'reader@example.net'])
  }
})

test('a From with exactly one permitted address is rewritten', async () => {
  const table: [from: string, written: string, name: string | null][] = [
    [`Shop (Support) <${FROM}>`, `"Shop (Support)" <${FROM}>`, 'Shop (Support)'],
    // The API shows null for a name that repeats the address.
    [`${FROM} <${FROM}>`, `"${FROM}" <${FROM}>`, null],
    [`[Tickets] Shop <${FROM}>`, `"[Tickets] Shop" <${FROM}>`, '[Tickets] Shop'],
  ]
  for (const [from, written, name] of table) {
    const { content, message } = await stored(`From: ${from}\r\n${USUAL}\r\nHello`)
    assert.ok(content.includes(`\r\nFrom: ${written}\r\n${USUAL}\r\nHello`), content)
    assert.deepEqual([message.from_email, message.from_name], [FROM, name])
  }
})

test('a From with two readings, or of another domain, stays refused, and the reply names the fault', async () => {
  const table: [from: string, reply: RegExp][] = [
    [`Shop (Support <${FROM}>`, /^550 5\.7\.1 The From field has < in a comment/],
    [`Doe, Ann <${FROM}>`, /^550 5\.7\.1 The From field has a comma.* quotation marks/],
    [`Shop: Billing <${FROM}>`, /^550 5\.7\.1 The From field has a colon.* quotation marks/],
    [`ceo@bank.example <${FROM}>`, /^550 5\.7\.1 The From field names a second address/],
    [`<${FROM}> <ceo@bank.example>`, /^550 5\.7\.1 .*more than one address/],
    ['Shop (Support) <ceo@bank.example>', /^550 5\.7\.1 This credential sends from example\.test only/],
    ['[Tickets] <app@sub.example.test>', /^550 5\.7\.1 This credential sends from example\.test only/],
  ]
  for (const [from, reply] of table) assert.match(await refusal(`From: ${from}\r\n${USUAL}\r\nHello`), reply)
  assert.match(
    await refusal(`From: ${FROM}\r\nSender: List (x) <list@lists.example>\r\n${USUAL}\r\nHello`),
    /^550 5\.7\.1 .*the Sender field has another domain/,
  )
})

test('a missing From is taken from the envelope, and a missing header is added', async () => {
  assert.equal(await contentOf(`${USUAL}\r\nHello`), `From: ${FROM}\r\n${USUAL}\r\nHello\r\n`)
  const { content, message } = await stored('Disk 3 of the array has failed.\r\nReplace it.')
  assert.match(
    content,
    /\r\nFrom: app@example\.test\r\nMessage-ID: <.*>\r\nDate: .*\r\n\r\nDisk 3 of the array has failed\.\r\nReplace it\.\r\n$/,
  )
  assert.equal(message.from_email, FROM)
})

test('header text that is not UTF-8 is encoded, and the stored message has an ASCII header', async () => {
  const { content, message } = await stored(
    `From: Gr\xfcn <${FROM}>\r\nTo: J\xf6rg <reader@example.net>\r\nSubject: Stra\xdfe gesperrt, Br\xfccke zu\r\n${DATED}\r\nHello`,
  )
  assert.equal(message.subject, 'Straße gesperrt, Brücke zu')
  assert.equal(message.from_name, 'Grün')
  assert.match(content.slice(0, content.indexOf('\r\n\r\n')), /^[\0-\x7f]+$/)
})

test('fields without use are repaired, rewritten or dropped', async () => {
  const from = `From: Shop <${FROM}>\r\n`
  assert.equal(
    await contentOf(`${from}To:\r\nSubject: x\r\n${DATED}\r\ny`),
    `${from}Subject: x\r\n${DATED}\r\ny\r\n`,
  )
  const undated = (date: string) => contentOf(`${from}Message-ID: <a@b.example>\r\nDate: ${date}\r\n\r\nx`)
  const now =
    /^From: .*\r\nMessage-ID: <a@b\.example>\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r\n\r\nx/
  for (const date of [
    '2026-11-28T22:50:00Z',
    'Sa, 28 Nov 2026 23:50:00 +0100',
    '',
    '31 Feb 2026 10:00:00 +0000',
  ]) {
    assert.match(await undated(date), now)
  }
  const withId = async (id: string): Promise<string> =>
    /Message-ID: <(.*)>\r\n/.exec(
      await contentOf(`${from}${DATED.replace(/Message-ID: .*\r\n/, `Message-ID: ${id}\r\n`)}\r\nx`),
    )![1]!
  assert.equal(await withId('case-17@example.test'), 'case-17@example.test')
  assert.match(await withId(''), /^[0-9A-Z]{26}@example\.test$/)
  const link =
    'List-Unsubscribe: =?utf-8?q?=3Chttps=3A//shop=2Eexample=2Eorg/leave=3Ft=3D012345?=\r\n =?utf-8?q?6789=3E?=\r\n'
  assert.match(
    await contentOf(`${from}${USUAL}${link}\r\nx`),
    /\r\nList-Unsubscribe: <https:\/\/shop\.example\.org\/leave\?t=0123456789>\r\n/,
  )
})

test('lines over 998 bytes are folded or encoded', async () => {
  const from = `From: Shop <${FROM}>\r\n`
  const readers = Array.from({ length: 45 }, (_, n) => `reader.number.${n}@example.net`)
  const folded = await contentOf(`${from}To: ${readers.join(', ')}\r\nSubject: x\r\n${DATED}\r\ny`)
  assert.equal(/To: (.*(?:\r\n .*)*)/.exec(folded)![1]!.replace(/\s+/g, ' '), readers.join(', '))
  assert.ok(folded.split('\r\n').every((line) => line.length <= 998))
  const html = `<p>${'many plain words '.repeat(80)}</p>`
  const typed = `${from}${USUAL}MIME-Version: 1.0\r\nContent-Type: text/html; charset=us-ascii\r\n`
  const encoded = await contentOf(`${typed}\r\n${html}`)
  assert.ok(encoded.startsWith(`${typed}Content-Transfer-Encoding: quoted-printable\r\n\r\n<p>many`))
  assert.equal(encoded.slice(encoded.indexOf('<p>')).replaceAll('=\r\n', ''), `${html}\r\n`)
})

test('signed content with such a line is refused, and the reply names the line and the remedy', async () => {
  const signed = `MIME-Version: 1.0\r\nContent-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\n${'x '.repeat(600)}\r\n--b--\r\n`
  assert.match(
    await refusal(`From: ${FROM}\r\n${signed}`),
    /^554 5\.6\.0 Line 7 of the message is over 998 bytes, and the message is signed or encrypted.*quoted-printable/,
  )
})

test('field names that are not the service’s own pass through', async () => {
  const own =
    'X-Template-ID: welcome-7\r\nX-Track-Clicks: HtmlOnly\r\nX-Trackers: 1\r\nX-Metadata: a\r\nX-Stream-Id: 4\r\n'
  assert.equal(
    await contentOf(`From: ${FROM}\r\n${USUAL}${own}\r\nHello`),
    `From: ${FROM}\r\n${USUAL}${own}\r\nHello\r\n`,
  )
})

test('obsolete syntax and lines of mbox files are read', async () => {
  const plain = `From: ${FROM}\r\n${USUAL}\r\nHello\r\n`
  assert.equal(await contentOf(plain.replace('Subject:', 'Subject :').trimEnd()), plain)
  assert.equal(await contentOf(`From ${FROM} Sat Nov 28 22:50:00 2026\r\n${plain.trimEnd()}`), plain)
  assert.equal(await contentOf(plain.replace('\r\n\r\n', '\r\n').trimEnd()), plain)
  assert.match(
    await refusal(`From : ceo@bank.example\r\n${plain.trimEnd()}`),
    /^554 5\.6\.0 There is more than one From field/,
  )
})

test('a mended message is the same message under its idempotency key', async () => {
  const message = (n: number) =>
    `From: Shop (x) <${FROM}>\r\nX-Idempotency-Key: once-${FROM}\r\nSubject: \xfc\r\nDate: today ${n}\r\n\r\n${'long '.repeat(300)}`
  const [first, second] = [await refusal(message(1)), await refusal(message(2))]
  assert.match(first, /^250 /)
  assert.equal(second, first)
})

test('a large message is mended in a thread, with the same result and the same refusals', async () => {
  const lines = Array.from({ length: 3 }, (_, at) => `${at}${'word '.repeat(30_000)}`)
  const text = lines.join('\r\n')
  const { content } = await stored(
    `From: Shop (Support) <${FROM}>\r\n${USUAL}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}`,
  )
  const end = content.indexOf('\r\n\r\n')
  assert.match(content.slice(0, end), /\r\nContent-Transfer-Encoding: quoted-printable/)
  const decoded = content
    .slice(end + 4)
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  assert.equal(decoded.trimEnd(), text.trimEnd())
  const signed = `Content-Type: multipart/signed; boundary=b; protocol="application/pgp-signature"; micalg=pgp-sha256`
  assert.match(
    await refusal(
      `From: ${FROM}\r\n${USUAL}MIME-Version: 1.0\r\n${signed}\r\n\r\n--b\r\n\r\n${text}\r\n--b\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--b--`,
    ),
    /^554 5\.6\.0 Line \d+ of the message is over 998 bytes, and the message is signed/,
  )
})
