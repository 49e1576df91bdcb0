// Property: the composed message has exactly the requested fields, for any content.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime, { decodeWords } from 'postal-mime'
import { thorough } from '../../test/support/thorough.ts'
import { type ComposedMessage, messageChunks } from '../model/composed-message.ts'
import { compose } from './compose.ts'
import type { Content, Mailbox } from './content.ts'
import { legalFileName } from './file-name.ts'
import { isReservedName, legalName } from './header-field.ts'
import { legalText } from './legal-text.ts'
import { legalDisplayName } from './mailbox-field.ts'

const HOSTILE = [
  '\r\nBcc: evil@example.org\r\n',
  '\r\n\r\n',
  '\r\n ',
  '\n',
  '\r',
  '\0',
  '\u2028',
  '\u0085',
  '\x1b',
  '\ud83d',
  '\ude00',
  '=?utf-8?B?DQpCY2M6IGV2aWxAZXhhbXBsZS5vcmc=?=',
  '=?x?Q?=0D=0A?=',
  '=?',
  '?=',
  '\u202e',
  '\u200d',
  '"',
  '\\',
  '<evil@example.org>',
  ',',
  ';',
  ':',
  '(',
  ')',
  ' ',
  '\t',
  '%0d%0a',
  "''",
  '/',
  '--=_',
  'From ',
  '.',
]

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.string({ maxLength: 20 }),
    ),
    {
      maxLength: 6,
    },
  )
  // postal-mime drops a BOM at the start of an encoded-word; `legal-text.test.ts` shows that this service does not.
  .map((pieces) => pieces.join('').replaceAll('\ufeff', ''))
const text = fc.oneof(
  { weight: 100, arbitrary: hostile },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'x'.repeat(5000),
      `a ${'é'.repeat(5000)}`,
      `${' '.repeat(3000)}a`,
      'a b '.repeat(900),
    ),
  },
)

const email = fc.constantFrom(
  'a@example.com',
  "!#$%&'*+/=?^_`{|}~-@example.com",
  '"a, b: c; (d)"@example.com',
  '"\\"\\\\ "@example.com',
  'jøe@example.com',
  `${'l'.repeat(64)}@${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(50)}.com`,
)
const mailbox: fc.Arbitrary<Mailbox> = fc.oneof(fc.record({ email }), fc.record({ email, name: text }))
const mailboxes = fc.array(mailbox, { minLength: 1, maxLength: 3 })
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('X-A', 'References', 'List-Unsubscribe', `X-${'n'.repeat(74)}`) },
  { weight: 1, arbitrary: fc.constantFrom('Bcc', 'From', 'content-type') },
  { weight: 1, arbitrary: hostile },
)

const content: fc.Arbitrary<Content> = fc.record(
  {
    from: mailbox,
    to: mailboxes,
    cc: mailboxes,
    replyTo: mailboxes,
    subject: text,
    messageId: fc.oneof(fc.constant('01J@example.com'), hostile),
    date: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    text,
    html: text,
    attachments: fc.array(
      fc.record(
        {
          filename: text,
          content: fc.uint8Array({ maxLength: 100 }).map(Buffer.from),
          contentType: hostile,
          contentId: hostile,
        },
        { requiredKeys: ['filename', 'content'] },
      ),
      { maxLength: 2 },
    ),
    headers: fc.array(fc.tuple(name, text), { maxLength: 3 }),
  },
  { requiredKeys: ['from', 'to', 'subject', 'messageId', 'date', 'text'] },
) as fc.Arbitrary<Content>

test(
  'hostile messages, others in each run',
  thorough('1.0 CPU s: random hostile messages; src/mime/compose.test.ts has each by itself'),
  async () => {
    await fc.assert(
      fc.asyncProperty(content, async (content) => {
        const message = compose(content)
        checkWire(message)
        await checkReading(content, message)
      }),
      { numRuns: 2_000 },
    )
  },
)

/**
 * Asserts RFC 5322 §2.1.1 and §2.3: lines end only in CRLF and have at most 998 bytes, the header section ends at the
 * first empty line, and the body ends in one CRLF.
 */
function checkWire(message: ComposedMessage): void {
  const [head, body] = messageChunks(message)
  const wire = Buffer.concat([head, body]).toString('latin1')
  assert.doesNotMatch(wire, /\0|\r(?!\n)|(?<!\r)\n/)
  assert.ok(wire.split('\r\n').every((line) => line.length <= 998))
  assert.equal(wire.indexOf('\r\n\r\n'), head.length - 4)
  assert.match(wire, /(?:[^\n]\r\n|\r\n\r\n\r\n)$/)
  assert.doesNotMatch(body.toString('latin1'), /[^\0-\x7f]/)
  assert.equal(message.needs8Bit, false)
  assert.equal(message.needsSmtpUtf8, /[^\0-\x7f]/.test(wire))
}

async function checkReading(content: Content, message: ComposedMessage): Promise<void> {
  const read = await PostalMime.parse(Buffer.concat(messageChunks(message)))
  const custom = (content.headers ?? [])
    .map(([name, value]) => [legalName(name), value] as const)
    .filter(([name]) => !isReservedName(name))
  const hasParts = content.html !== undefined || (content.attachments ?? []).length > 0
  const expected = [
    'Date',
    'From',
    'To',
    ...(content.cc === undefined ? [] : ['Cc']),
    ...(content.replyTo === undefined ? [] : ['Reply-To']),
    'Subject',
    'Message-ID',
    ...custom.map(([name]) => name),
    'MIME-Version',
    'Content-Type',
    ...(hasParts ? [] : ['Content-Transfer-Encoding']),
  ]
  assert.deepEqual(
    read.headers.map((field) => field.originalKey),
    expected,
  )

  const customValues = read.headers.slice(expected.indexOf('Message-ID') + 1).slice(0, custom.length)
  assert.deepEqual(
    customValues.map((field) => decodeWords(field.value)),
    custom.map(([, value]) => legalText(value)),
  )
  assert.equal(read.subject ?? '', legalText(content.subject))
  assert.deepEqual([read.from], shown([content.from]))
  assert.deepEqual(read.to, shown(content.to))
  assert.deepEqual(read.cc, content.cc && shown(content.cc))
  assert.deepEqual(read.replyTo, content.replyTo && shown(content.replyTo))

  checkText(read.text, content.text!, hasParts)
  if (content.html !== undefined) checkText(read.html, content.html, true)
  const byName = (a: unknown[], b: unknown[]) => (`${a}` < `${b}` ? -1 : 1)
  assert.deepEqual(
    read.attachments
      .map((part) => [part.filename, Buffer.from(part.content as ArrayBuffer).toString('hex')])
      .sort(byName),
    (content.attachments ?? [])
      .map((part) => [legalFileName(part.filename), part.content.toString('hex')])
      .sort(byName),
  )
}

function shown(mailboxes: readonly Mailbox[]): { address: string; name: string }[] {
  return mailboxes.map(({ email, name = '' }) => ({ address: email, name: legalDisplayName(name) }))
}

/** Asserts the text. postal-mime adds a line break to text that is not base64, unless the text is the whole body. */
function checkText(read: string | undefined, given: string, isPart: boolean): void {
  const lines = given.toWellFormed().replace(/\r\n?/g, '\n')
  const expected = isPart ? [lines, `${lines}\n`] : [lines, `${lines.replace(/\n+$/, '')}\n`]
  assert.ok(expected.includes((read ?? '').replaceAll('\r\n', '\n')), JSON.stringify([read, given]))
}
