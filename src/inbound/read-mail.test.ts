// Tests that another parser parses inbound messages with the same results, and that hostile messages are read in
// bounded time and memory, without an error.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HOSTILE_MAILS, mailOfSeed, randomOf, usualMail } from '../../test/support/mails/made.ts'
import { differences } from '../../test/support/mails/readers.ts'
import { thorough } from '../../test/support/thorough.ts'
import { readMail } from './read-mail.ts'
import { MailReading } from './reading.ts'

/** Number of mails in each run; `npm run inbound` tries more. */
const MAILS = 300

test(
  'mails of many shapes, every other one with a fault, are read as mailparser reads them',
  thorough('0.6 CPU s: random mails compared with mailparser'),
  async () => {
    for (let seed = 1; seed <= MAILS; seed++) {
      const { raw, fault } = mailOfSeed(seed)
      assert.deepEqual(await differences(raw), [], `seed ${seed}, ${fault}`)
    }
  },
)

/**
 * Fields of hostile mails that mailparser reads differently, mostly by guessing a value that the mail does not have.
 */
const TOLD_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  // A group is no mailbox (RFC 5322 §3.4).
  'groups in groups': ['to'],
  // Mailparser returns the current time for an invalid date.
  'comments without end': ['date'],
  // A MIME part without a type is text/plain (RFC 2045 §5.2).
  'file names of folders': ['attachments'],
  // A subject of more than 2,000 characters is cut.
  'encoded words without end': ['subject'],
  // Non-ASCII bytes that are not valid UTF-8 are read as Windows-1252.
  'bytes of all values': ['text'],
  // The encoded-word contains a control character.
  'encoded NULs and halves of surrogate pairs': ['from', 'subject'],
}

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
      // PostgreSQL accepts neither NUL nor unpaired surrogates.
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

  test(
    'that both read whole is read as mailparser reads it',
    thorough('1.2 CPU s: random mails compared with mailparser'),
    async () => {
      for (const [name, made] of Object.entries(HOSTILE_MAILS)) {
        const raw = made()
        if (raw.length > 2_000_000) continue
        const fields = (await differences(raw)).map((difference) => difference.split(':')[0])
        assert.deepEqual(fields, TOLD_OTHERWISE[name] ?? [], name)
      }
    },
  )

  test('cut anywhere is read all the same', async () => {
    const random = randomOf(7)
    for (let round = 0; round < 300; round++) {
      const raw = usualMail(random)
      await readMail(raw.subarray(0, Math.floor(random() * raw.length)))
    }
  })
})

test('a date without a zone is in UTC, wherever the process is', async () => {
  const zone = process.env.TZ
  process.env.TZ = 'America/New_York'
  try {
    for (const [date, read] of [
      ['Wed, 1 Jan 2020 10:00:00', '2020-01-01T10:00:00.000Z'],
      ['1 Jan 20 10:00', '2020-01-01T10:00:00.000Z'],
      ['Wed, 1 Jan 2020 10:00:00 +0200 (EET)', '2020-01-01T08:00:00.000Z'],
      ['Wed, 1 Jan 2020 10:00:00 -0000', '2020-01-01T10:00:00.000Z'],
      ['Wed, 1 Jan 2020 10:00:00 EST', '2020-01-01T15:00:00.000Z'],
      ['yesterday', null],
    ] as const) {
      const { parsed } = await readMail(Buffer.from(`From: a@b.example\r\nDate: ${date}\r\n\r\nx\r\n`))
      assert.equal(parsed.date, read, date)
    }
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})

test('a transfer encoding is read where its field is folded, or has white space before its colon', async () => {
  for (const field of ['Content-Transfer-Encoding:\r\n base64', 'Content-Transfer-Encoding : base64']) {
    const { parsed } = await readMail(Buffer.from(`From: a@b.example\r\n${field}\r\n\r\nSGVsbG8=\r\n`))
    assert.equal(parsed.text?.trim(), 'Hello', field)
  }
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
