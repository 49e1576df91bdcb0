// Tests of the composer: structure and order of the parts, and the result of a third-party parser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { messageChunks } from '../model/composed-message.ts'
import { compose } from './compose.ts'
import type { Content } from './content.ts'

const BASE: Content = {
  from: { email: 'billing@example.com', name: 'Example Billing' },
  to: [{ email: 'jane@example.net', name: 'Jane Doe' }],
  subject: 'Your receipt',
  messageId: '01JABC@mail.example.com',
  date: Date.UTC(2026, 10, 5, 7, 8, 9),
}

const wire = (content: Content): string => Buffer.concat(messageChunks(compose(content))).toString('latin1')
const parse = (content: Content) => PostalMime.parse(Buffer.concat(messageChunks(compose(content))))

test('addresses, links and IDs in fields of the sender are no part of an encoded-word (RFC 2047 §5)', () => {
  const url = `<https://example.com/leave?a=?b&${'c'.repeat(90)}>`
  const { headers } = compose({
    ...BASE,
    text: 'x',
    headers: [
      ['Disposition-Notification-To', 'Jürgen <j@example.com>'],
      ['List-Unsubscribe', `<mailto:leave@example.com>, ${url}`],
      ['In-Reply-To', '<=?x@example.com>'],
      ['List-Name', 'a=?b'],
    ],
  })
  assert.deepEqual(
    headers.slice(5, 9).map(({ raw }) => raw),
    [
      'Disposition-Notification-To: =?utf-8?Q?J=C3=BCrgen?= <j@example.com>\r\n',
      `List-Unsubscribe: <mailto:leave@example.com>,\r\n ${url}\r\n`,
      'In-Reply-To: <=?x@example.com>\r\n',
      'List-Name: =?utf-8?Q?a=3D=3Fb?=\r\n',
    ],
  )
})

test('composes plain text, byte for byte', () => {
  const content = {
    ...BASE,
    cc: [{ email: 'c@example.net' }],
    replyTo: [{ email: 'r@example.com' }, { email: 'r2@example.com' }],
    text: 'Hello\nWorld\n\n',
    headers: [['X-Order', '42']] as const,
  }
  const expected = [
    'Date: Thu, 05 Nov 2026 07:08:09 +0000',
    'From: Example Billing <billing@example.com>',
    'To: Jane Doe <jane@example.net>',
    'Cc: c@example.net',
    'Reply-To: r@example.com, r2@example.com',
    'Subject: Your receipt',
    'Message-ID: <01JABC@mail.example.com>',
    'X-Order: 42',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
    '',
    'Hello',
    'World',
    '',
  ]
  assert.equal(wire(content), expected.join('\r\n'))
})

test('a message keeps its bytes when others are composed, however long their texts are', () => {
  // Texts that fit and texts that do not fit into the reused memory.
  const texts = [100, 3_000, 20_000, 32_768, 40_000, 70_000].map((length) =>
    'ä and plain text '.repeat(length / 17),
  )
  const contents = texts.flatMap((text) => [
    { ...BASE, text },
    { ...BASE, text, html: `<p>${text}</p>` },
  ])
  const composed = contents.map((content) => compose(content))
  for (const [index, content] of contents.entries()) {
    assert.ok(composed[index]!.body.equals(compose(content).body), `message ${index}`)
    assert.ok(composed[index]!.body.includes('=C3=A4 and plain'))
  }
})

test('has one structure for each kind of content', () => {
  const file = { filename: 'a', content: Buffer.from('a') }
  const image = { filename: 'i.png', content: Buffer.from('i'), contentType: 'image/png', contentId: 'i' }
  const table: [Partial<Content>, types: string[]][] = [
    [{}, ['text/plain']],
    [{ text: 'a' }, ['text/plain']],
    [{ html: 'a' }, ['text/html']],
    [{ text: 'a', html: 'a' }, ['multipart/alternative', 'text/plain', 'text/html']],
    [{ text: '', html: '' }, ['multipart/alternative', 'text/plain', 'text/html']],
    [{ html: 'cid:i', attachments: [image] }, ['multipart/related', 'text/html', 'image/png']],
    [{ html: 'a', attachments: [image] }, ['multipart/mixed', 'text/html', 'image/png']],
    [{ text: 'a', attachments: [image] }, ['multipart/mixed', 'text/plain', 'image/png']],
    [{ text: 'a', attachments: [file] }, ['multipart/mixed', 'text/plain', 'application/octet-stream']],
    [
      { text: 'a', html: '<img src="cid:i">', attachments: [file, image] },
      [
        'multipart/mixed',
        'multipart/alternative',
        'text/plain',
        'multipart/related',
        'text/html',
        'image/png',
        'application/octet-stream',
      ],
    ],
  ]
  for (const [content, types] of table) {
    const found = wire({ ...BASE, ...content }).matchAll(/^Content-Type: ([^;\r]+)/gm)
    assert.deepEqual(
      Array.from(found, (match) => match[1]),
      types,
    )
  }
})

test('all of it comes back from a foreign parser', async () => {
  const pdf = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) & 255))
  const content: Content = {
    ...BASE,
    from: { email: 'billing@example.com', name: 'Doe, "Jané" \\ Co. 😀' },
    to: [{ email: '"a, b"@example.net', name: 'x <evil@example.org>' }, { email: 'jøe@example.net' }],
    subject: `Größe 😀 ${'你好'.repeat(40)} ende`,
    text: 'Grüße,\nzwei  Leerzeichen am Ende  \n\nFrom here\n.\n',
    html: '<p>=?utf-8?Q?a?= = 你好 <img src="cid:logo@x"></p>\r\n',
    attachments: [
      { filename: 'résumé "final" (1).pdf', content: pdf, contentType: 'application/pdf' },
      { filename: 'logo.png', content: pdf.subarray(0, 57), contentType: 'image/png', contentId: 'logo@x' },
      { filename: `${'長い名前'.repeat(12)}.txt`, content: Buffer.alloc(0), contentType: 'text/html' },
    ],
  }
  const read = await parse(content)
  assert.deepEqual(read.from, { address: 'billing@example.com', name: 'Doe, "Jané" \\ Co. 😀' })
  assert.deepEqual(read.to, [
    { address: '"a, b"@example.net', name: 'x <evil@example.org>' },
    { address: 'jøe@example.net', name: '' },
  ])
  assert.equal(read.subject, content.subject)
  assert.equal(read.messageId, '<01JABC@mail.example.com>')
  assert.equal(read.date, '2026-11-05T07:08:09.000Z')
  // postal-mime adds a line break to text that is not base64.
  assert.equal(read.text, `${content.text}\n`)
  assert.equal(read.html, content.html)
  // Inline parts come before files.
  const [logo, first, third] = read.attachments
  assert.deepEqual([logo!.filename, logo!.contentId, logo!.disposition], ['logo.png', '<logo@x>', 'inline'])
  assert.deepEqual(Buffer.from(logo!.content as ArrayBuffer), pdf.subarray(0, 57))
  assert.deepEqual([first!.filename, first!.mimeType], ['résumé "final" (1).pdf', 'application/pdf'])
  assert.deepEqual(Buffer.from(first!.content as ArrayBuffer), pdf)
  assert.deepEqual([third!.filename, third!.disposition], [`${'長い名前'.repeat(12)}.txt`, 'attachment'])
  assert.equal((third!.content as ArrayBuffer).byteLength, 0)
})

test('text cannot close the part it is in', async () => {
  const text = '--=_a_01JABCmailexamplecom\n\n--=_a_01JABCmailexamplecom--\nstill text'
  const read = await parse({ ...BASE, text, html: text })
  assert.equal(read.text, `${text}\n`)
  assert.equal(read.html, `${text}\n`)
  assert.equal(read.attachments.length, 0)
})

test('says when a host must know SMTPUTF8, and never needs 8BITMIME', () => {
  const plain = compose({ ...BASE, subject: 'é', text: 'é' })
  assert.deepEqual([plain.needs8Bit, plain.needsSmtpUtf8], [false, false])
  const utf8 = compose({ ...BASE, to: [{ email: 'jøe@example.net' }], text: 'é' })
  assert.deepEqual([utf8.needs8Bit, utf8.needsSmtpUtf8], [false, true])
})

test('leaves out custom fields with a reserved name', () => {
  const headers = [
    ['bcc', 'x@example.org'],
    ['Content-Type', 'text/html'],
    ['From', 'x@example.org'],
    ['X-Kept', 'yes'],
  ] as const
  const names = compose({ ...BASE, headers, text: 'a' }).headers.map((field) => field.name)
  assert.deepEqual(names, [
    'Date',
    'From',
    'To',
    'Subject',
    'Message-ID',
    'X-Kept',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
  ])
})

test('a Message-ID and a date cannot break the header', () => {
  const raw = wire({ ...BASE, messageId: `a>\r\nBcc: x${'y'.repeat(5000)}`, text: 'a' })
  assert.match(raw, /\r\nMessage-ID: <a___Bcc:_xy+>\r\n/)
  assert.ok(raw.split('\r\n').every((line) => line.length <= 998))
  assert.throws(() => compose({ ...BASE, date: Number.NaN, text: 'a' }), RangeError)
})

test('the same content is the same bytes', () => {
  const content = { ...BASE, text: 'é', html: 'é', headers: [['X-É', 'é']] as const }
  assert.equal(wire(content), wire(structuredClone(content)))
  assert.notEqual(wire(content), wire({ ...content, messageId: 'other@example.com' }))
})
