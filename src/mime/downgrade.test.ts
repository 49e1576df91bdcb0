import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { thorough } from '../../test/support/thorough.ts'
import { type ComposedMessage, messageChunks } from '../model/composed-message.ts'
import { toAsciiHeader, toSevenBit } from './downgrade.ts'
import { isRawMessage, parseRawMessage } from './raw-message.ts'
import { rewrite } from './rewrite.ts'

function messageOf(...lines: string[]): ComposedMessage {
  const raw = parseRawMessage(Buffer.from(`${lines.join('\r\n')}\r\n`))
  assert.ok(isRawMessage(raw))
  return rewrite(raw)
}

const bytesOf = (message: ComposedMessage): Buffer => Buffer.concat(messageChunks(message))

describe('a body with bytes over 127', () => {
  test('of one part is encoded, and says so', async () => {
    const message = messageOf(
      'Subject: x',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Grüße von weit her, in Worten fast ohne Umlaute',
    )
    assert.equal(message.needs8Bit, true)
    const seven = toSevenBit(message)
    assert.ok(seven)
    assert.equal(seven.needs8Bit, false)
    assert.equal(
      bytesOf(seven).toString('latin1'),
      [
        'Subject: x',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Gr=C3=BC=C3=9Fe von weit her, in Worten fast ohne Umlaute',
        '',
      ].join('\r\n'),
    )
    assert.deepEqual(bytesOf(toSevenBit(message)!), bytesOf(seven), 'the same every time')
  })

  test('a field whose name ends like that of the encoding stays', () => {
    const seven = toSevenBit(
      messageOf(
        'X-Content-Transfer-Encoding: 8bit',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
        '',
        'ä',
      ),
    )
    const [head = ''] = bytesOf(seven!).toString('latin1').split('\r\n\r\n')
    assert.match(head, /^X-Content-Transfer-Encoding: 8bit\r\n/)
    assert.match(head, /\r\nContent-Transfer-Encoding: quoted-printable$/)
  })

  test('of several parts has those encoded that need it', async () => {
    const cyrillic = 'Привет, мир. '.repeat(20)
    const message = messageOf(
      'Content-Type: multipart/mixed; boundary="b"',
      'Content-Transfer-Encoding: 8bit',
      '',
      'preamble',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      cyrillic,
      '--b',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      '<p>ascii</p>',
      '--b',
      'Content-Type: message/rfc822',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Subject: inner',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'é inside',
      '--b',
      'Content-Type: application/octet-stream',
      'Content-Disposition: attachment; filename=x',
      'Content-Transfer-Encoding: 8bit',
      '',
      'é bytes',
      '--b--',
    )
    const seven = toSevenBit(message)
    assert.ok(seven)
    const bytes = bytesOf(seven)
    assert.doesNotMatch(bytes.toString('latin1'), /[\x80-\xff]/)
    assert.match(bytes.toString('latin1'), /<p>ascii<\/p>/)
    const [before, after] = await Promise.all([PostalMime.parse(bytesOf(message)), PostalMime.parse(bytes)])
    const squeezed = (text: string | undefined) => text?.replace(/\s+/g, ' ').trim()
    assert.equal(squeezed(after.text), squeezed(before.text))
    assert.match(after.text ?? '', /Привет/)
    assert.match(after.text ?? '', /é inside/)
    assert.deepEqual(Buffer.from(after.attachments.at(-1)!.content as ArrayBuffer).toString(), 'é bytes')
  })

  test('is left alone when it is signed within, or nobody knows where its bytes belong', () => {
    const signed = messageOf(
      'Content-Type: multipart/signed; boundary=b; protocol="application/pgp-signature"',
      '',
      '--b',
      '',
      'é',
      '--b--',
    )
    const signedWithin = messageOf(
      'Content-Type: multipart/mixed; boundary=o',
      '',
      '--o',
      'Content-Type: multipart/signed; boundary=b; protocol="application/pgp-signature"',
      '',
      '--b',
      '',
      'é',
      '--b--',
      '--o--',
    )
    const lying = messageOf('Content-Type: text/plain', 'Content-Transfer-Encoding: base64', '', 'é')
    const preamble = messageOf('Content-Type: multipart/mixed; boundary=b', '', 'é', '--b', '', 'a', '--b--')
    for (const message of [signed, signedWithin, lying, preamble]) {
      assert.equal(message.needs8Bit, true)
      assert.equal(toSevenBit(message), undefined)
    }
  })
})

describe('a header with bytes over 127', () => {
  test('keeps the addresses of others as names', async () => {
    const message = messageOf(
      'From: a@example.com',
      'To: Jørgen <jørgen@example.org>, Plain <b@example.com>, 用户@example.com',
      'Cc: c@example.com',
      'Subject: x',
      '',
      'text',
    )
    assert.equal(message.needsSmtpUtf8, true)
    const ascii = toAsciiHeader(message)
    assert.ok(ascii)
    assert.equal(ascii.needsSmtpUtf8, false)
    const bytes = bytesOf(ascii)
    assert.doesNotMatch(bytes.toString('latin1'), /[\x80-\xff]/)
    const { to } = await PostalMime.parse(bytes)
    assert.deepEqual(
      to?.map(({ name, address, group }) => [name, address, group?.length]),
      [
        ['Jørgen <jørgen@example.org>', undefined, 0],
        ['Plain', 'b@example.com', undefined],
        ['用户@example.com', undefined, 0],
      ],
    )
  })

  test('names a group of addresses that are none any more, and is never empty', () => {
    const table: [field: string, written: string][] = [
      ['To: Empfänger:;', 'To: =?utf-8?Q?Empf=C3=A4nger?= :;'],
      ['To: Gruppe: jørgen@example.org;', 'To: =?utf-8?Q?j=C3=B8rgen=40example=2Eorg?= :;'],
      ['Cc: jørgen@example.org, ü', 'Cc: =?utf-8?Q?j=C3=B8rgen=40example=2Eorg?= :;, =?utf-8?B?w7w=?= :;'],
    ]
    for (const [field, written] of table) {
      const ascii = toAsciiHeader(messageOf('From: a@example.com', field, '', 'text'))
      assert.equal(ascii?.headers[1]?.raw.replaceAll('\r\n', ''), written)
    }
  })

  test('passes on what programs read under a name that they do not', () => {
    const ascii = toAsciiHeader(messageOf('From: a@example.com', 'References: <é@example.com>', '', 'text'))
    assert.deepEqual(
      ascii?.headers.map(({ name }) => name),
      ['From', 'Downgraded-References'],
    )
  })

  test(
    'whatever stands in an address field, it gets an ASCII form with an address list in it',
    thorough('0.7 CPU s; the other tests of the file cover the common cases'),
    () => {
      const piece = fc.oneof(
        fc.constantFrom(
          ...[
            'ü',
            'Jürgen <>',
            '"ü',
            '(ü',
            ',',
            ';',
            ':',
            ':;',
            '<',
            '>',
            '@',
            ' ',
            '\t',
            '\\',
            '.',
            '=?utf-8?Q?=C3?=',
          ],
          ...[
            'jø@example.org',
            'a@example.com',
            '<a@b>',
            'ü: a@example.com, ü@b;',
            '\u0085',
            '\u2028',
            '\ufeff',
            'ü@',
            '@ü',
          ],
        ),
        fc.string({ unit: 'grapheme', maxLength: 12 }),
      )
      const value = fc
        .array(piece, { maxLength: 12 })
        .map((pieces) => pieces.join('').replace(/[\r\n\0]/g, ''))
      const name = fc.constantFrom(
        'To',
        'Cc',
        'Reply-To',
        'Resent-To',
        'References',
        'X-Any',
        'List-Help',
        'Subject',
      )
      fc.assert(
        fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (fields) => {
          const lines = fields.map(([field, text]) => `${field}: ${text.toWellFormed()}`)
          const message = messageOf('From: a@example.com', ...lines, '', 'text')
          const ascii = message.needsSmtpUtf8 ? toAsciiHeader(message) : message
          assert.ok(ascii)
          for (const { name: field, raw } of ascii.headers) {
            assert.doesNotMatch(raw, /[\x80-\xff]/)
            assert.ok(raw.split('\r\n').every((line) => line.length <= 998))
            // An address list that this service writes is never empty (RFC 5322 §3.6.3).
            const isOurs = !lines.some((line) => `${line}\r\n` === raw)
            if (isOurs && /^(?:(?:Resent-)?(?:To|Cc)|Reply-To)$/.test(field)) assert.match(raw, /[@;]/)
          }
          assert.ok(isRawMessage(parseRawMessage(bytesOf(ascii))))
        }),
        { numRuns: 3_000 },
      )
    },
  )

  test('has no other form when the author is named in it', () => {
    const message = messageOf('From: jørgen@example.com', 'To: b@example.com', '', 'text')
    assert.equal(message.needsSmtpUtf8, true)
    assert.equal(toAsciiHeader(message), undefined)
  })

  test('nor when it is structured in another way', () => {
    const message = messageOf('From: a@example.com', 'Content-Disposition: inline; filename=é', '', 'text')
    assert.equal(message.needsSmtpUtf8, true)
    assert.equal(toAsciiHeader(message), undefined)
  })
})
