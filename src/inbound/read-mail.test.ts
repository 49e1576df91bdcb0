// Inbound messages are read as another parser reads them; hostile ones in bounded time and memory, and never with an error.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type AddressObject, simpleParser } from 'mailparser'
import { withoutEncoding } from '../mime/parts.ts'
import { HOSTILE_MAILS, randomOf, usualMail } from './mails.test-data.ts'
import { readMail } from './read-mail.ts'
import { MailReading } from './reading.ts'

const words = (text: string | null | undefined | false): string => (text || '').replace(/\s+/g, ' ').trim()
const hash = (octets: Buffer): string => createHash('sha256').update(octets).digest('hex')
const flat = (found: AddressObject | AddressObject[] | undefined): string[] =>
  [found ?? []].flat().flatMap(({ value }) => value.map(({ address, name }) => `${name}|${address}`))

/** Findings of the other parser. */
async function asOther(raw: Buffer): Promise<object> {
  const mail = await simpleParser(raw, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    skipTextLinks: true,
  })
  return {
    from: flat(mail.from),
    to: flat(mail.to),
    cc: flat(mail.cc),
    reply_to: flat(mail.replyTo),
    subject: words(mail.subject),
    date: mail.date?.toISOString() ?? null,
    message_id: mail.messageId?.replace(/^<|>$/g, '') ?? null,
    in_reply_to: mail.inReplyTo?.replace(/^<|>$/g, '') ?? null,
    references: [mail.references ?? []].flat().map((one) => one.replace(/^<|>$/g, '')),
    text: words(mail.text),
    html: words(mail.html),
    attachments: mail.attachments.map(
      ({ filename, contentType, size, content }) => `${filename} ${contentType} ${size} ${hash(content)}`,
    ),
  }
}

async function asOurs(raw: Buffer): Promise<object> {
  const { parsed } = await readMail(raw)
  const mailboxes = (list: typeof parsed.from) => list.map(({ email, name }) => `${name ?? ''}|${email}`)
  return {
    from: mailboxes(parsed.from),
    to: mailboxes(parsed.to),
    cc: mailboxes(parsed.cc),
    reply_to: mailboxes(parsed.reply_to),
    subject: words(parsed.subject),
    date: parsed.date,
    message_id: parsed.message_id,
    in_reply_to: parsed.in_reply_to,
    references: parsed.references,
    text: words(parsed.text),
    html: words(parsed.html),
    attachments: parsed.attachments.map(({ filename, content_type, size, start, end, encoding }) => {
      const content = withoutEncoding(raw.subarray(start, end), encoding)
      return `${filename} ${content_type} ${size} ${hash(content)}`
    }),
  }
}

test('a thousand mails of many shapes are read as mailparser reads them', async () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const raw = usualMail(randomOf(seed))
    const other = await asOther(raw)
    for (const [field, value] of Object.entries(await asOurs(raw))) {
      assert.deepEqual(value, other[field as keyof typeof other], `seed ${seed}: ${field}`)
    }
  }
})

describe('a hostile mail', () => {
  let reading: MailReading
  before(() => {
    reading = new MailReading()
  })
  after(() => reading.stop())

  for (const [name, made] of Object.entries(HOSTILE_MAILS)) {
    test(`of ${name} is read within its bounds`, async () => {
      const raw = made()
      const { parsed, flags } = await reading.run({ accountId: 'a' }, 'read', new Uint8Array(raw), raw.length)
      const size = JSON.stringify(parsed).length
      assert.ok(size < 24 * 1024 * 1024, `${size}`)
      assert.ok(parsed.attachments.length <= 1_000)
      // PostgreSQL takes neither.
      assert.doesNotMatch(JSON.stringify(parsed), /\\u0000|\\ud[89a-f]/)
      const isCut =
        /ten thousand|thousand levels|20 MB|million|without end/.test(name) && raw.length > 3_000_000
      if (isCut) assert.ok(flags.includes('incomplete'), flags.join())
      const text = parsed.text?.slice(0, 65_536)
      if (text !== undefined) {
        await reading.run({ accountId: 'a' }, 'reply', text, text.length).catch((error: Error) => {
          assert.match(error.message, /was not read/)
        })
      }
    })
  }

  test('cut anywhere is read all the same', async () => {
    const random = randomOf(7)
    for (let round = 0; round < 300; round++) {
      const raw = usualMail(random)
      await readMail(raw.subarray(0, Math.floor(random() * raw.length)))
    }
  })
})

describe('the kind of a message', () => {
  const reported = (type: string): string =>
    `From: a@b.example\r\nSubject: x\r\nContent-Type: multipart/report; report-type=${type}; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n`
  const withFile = (name: string, type: string, subject = 'x'): string =>
    `From: a@b.example\r\nSubject: ${subject}\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nx\r\n`
  const cases: readonly [mail: string, kind: string][] = [
    [reported('delivery-status'), 'bounce'],
    [reported('"feedback-report"'), 'feedback_report'],
    [reported('tlsrpt'), 'tls_report'],
    [reported('disposition-notification'), 'message'],
    [withFile('x.json.gz', 'application/tlsrpt+gzip'), 'tls_report'],
    [withFile('google.com!example.test!1700000000!1700086399.zip', 'application/zip'), 'dmarc_report'],
    [withFile('mx.example!example.test!1700000000!1700086399!7.xml.gz', 'application/gzip'), 'dmarc_report'],
    [
      withFile(
        'report.gz',
        'application/gzip',
        'Report Domain: example.test Submitter: mx.example Report-ID: <1>',
      ),
      'dmarc_report',
    ],
    [withFile('invoice.zip', 'application/zip', 'Report'), 'message'],
    [
      'From: a@b.example\r\nSubject: Report Domain: example.test Submitter: mx\r\n\r\nwhy do I get this?\r\n',
      'message',
    ],
    [
      'From: a@b.example\r\nSubject: Undelivered Mail Returned to Sender\r\n\r\nI got this, what is it?\r\n',
      'message',
    ],
  ]
  for (const [mail, kind] of cases) {
    test(`is ${kind} for ${mail.slice(18, 110).replace(/\r\n/g, ' ')}`, async () => {
      assert.equal((await readMail(Buffer.from(mail))).kind, kind)
    })
  }
})
