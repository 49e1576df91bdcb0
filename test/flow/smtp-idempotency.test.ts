// A message that is submitted twice by SMTP with the same X-Idempotency-Key is accepted once.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { cpuWatch } from '../support/cpu-time.ts'
import { RawSmtpClient } from '../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../support/submission-listener.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'

let door: SubmissionDoor
let tenant: Tenant

before(async () => {
  door = await openSubmissionListener()
})
after(() => door.close())

async function deliver(key: string, body: string, to = ['b@example.net'], of = tenant): Promise<string> {
  const from = `a@${of.domain.name}`
  const client = await RawSmtpClient.loggedIn(door.tlsPort, of)
  const reply = await client.deliver(from, to, `From: ${from}\r\nX-Idempotency-Key: ${key}\r\n\r\n${body}`)
  client.vanish()
  return reply
}

test('the second gets the same reply as the first, whatever the form of its key', async () => {
  tenant = await createTenant(door.store)
  const first = await deliver('order-1', 'hi', ['b@example.net', 'c@example.net'])
  assert.match(first, /^250 2\.0\.0 Ok: queued as msg_/)
  assert.equal(await deliver('"order-1"', 'hi', ['c@example.net', 'b@example.net']), first)
  assert.notEqual(await deliver('order-2', 'hi', ['b@example.net', 'c@example.net']), first)
  const stored = await storedMessages(door.store, tenant)
  assert.equal(stored.length, 2)
  assert.doesNotMatch(stored[0]!.content, /Idempotency/i)
})

test('other content or other recipients are refused permanently', async () => {
  tenant = await createTenant(door.store)
  assert.match(await deliver('order-1', 'hi'), /^250 /)
  const refused = /^554 5\.6\.0 .*Idempotency-Key was used with another body/
  assert.match(await deliver('order-1', 'ho'), refused)
  assert.match(await deliver('order-1', 'hi', ['c@example.net']), refused)
  assert.equal((await storedMessages(door.store, tenant)).length, 1)
})

test('keys belong to their credential', async () => {
  tenant = await createTenant(door.store)
  const other = await createTenant(door.store)
  const first = await deliver('order-1', 'hi')
  const second = await deliver('order-1', 'hi', ['b@example.net'], other)
  assert.match(second, /^250 /)
  assert.notEqual(second, first)
})

test('a program that composes its mail again sends the same', async () => {
  tenant = await createTenant(door.store)
  const transport = createTransport({
    host: '127.0.0.1',
    port: door.tlsPort,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: tenant.smtp.username, pass: tenant.smtp.password },
  })
  const mail = (id: string, text: string): SendMailOptions => ({
    from: `a@${tenant.domain.name}`,
    to: 'b@example.net',
    subject: 'Receipt',
    messageId: `<${id}@${tenant.domain.name}>`,
    date: new Date(Number(id)),
    text,
    html: `<p>${text}</p>`,
    attachments: [{ filename: 'a.txt', content: 'a' }],
    headers: { 'X-Idempotency-Key': 'receipt-7' },
  })
  const { response: first } = await transport.sendMail(mail('1', 'hi'))
  const { response: second } = await transport.sendMail(mail('2', 'hi'))
  assert.equal(second, first)
  await assert.rejects(transport.sendMail(mail('3', 'ho')), /554 5\.6\.0/)
  assert.equal((await storedMessages(door.store, tenant)).length, 1)
})

test('boundaries of one letter, each of which occurs in the text that replaces the others, cost no more than others', async () => {
  tenant = await createTenant(door.store)
  const letters = [...'boundary 0123456789'].filter((letter) => letter !== ' ')
  const boundaries = letters.map((letter) => `boundary=${letter};\r\n`).join('')
  const body = `${boundaries}${`${'b'.repeat(76)}\r\n`.repeat(400)}`
  const used = cpuWatch()
  const first = await deliver('letters', body)
  assert.match(first, /^250 /)
  assert.equal(await deliver('letters', body), first)
  const took = used()
  assert.ok(took < 1_500, `${took} ms`)
})

test('the boundaries of nested parts may differ, their order may not', async () => {
  tenant = await createTenant(door.store)
  const nested = (outer: string, inner: string, last = inner): string =>
    [
      `Content-Type: multipart/mixed; boundary="${outer}"`,
      ...['', `--${outer}`, `Content-Type: multipart/alternative; boundary=${inner}`, ''],
      ...[`--${inner}`, '', 'hi', `--${last}--`, `--${outer}--`],
    ].join('\r\n')
  const first = await deliver('parts', nested('=_1', '=_12'))
  assert.match(first, /^250 /)
  assert.equal(await deliver('parts', nested('=_ab', '=_abc')), first)
  assert.match(await deliver('parts', nested('=_1', '=_12', '=_1')), /^554 /)
})

test('an invalid key, and two of them, are refused', async () => {
  tenant = await createTenant(door.store)
  assert.match(await deliver('', 'hi'), /^554 5\.6\.0 X-Idempotency-Key has 1 to 255/)
  assert.match(await deliver('a'.repeat(256), 'hi'), /^554 5\.6\.0 X-Idempotency-Key has 1 to 255/)
  assert.match(await deliver(Buffer.from('ключ').toString('latin1'), 'hi'), /^554 5\.6\.0 /)
  assert.match(await deliver('a\r\nX-Idempotency-Key: a', 'hi'), /^554 5\.6\.0 There is more than one/)
})
