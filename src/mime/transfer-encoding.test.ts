// Tests of base64, quoted-printable, and the choice between them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { base64Length, base64Lines } from './base64-lines.ts'
import { fromQuotedPrintable, quotedPrintable } from './quoted-printable.ts'
import { encodeText } from './text-encoding.ts'

test('base64 is in lines of 76 and decodes to the bytes', () => {
  for (let length = 0; length < 400; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length) & 255))
    const lines = base64Lines(bytes).toString('latin1')
    assert.equal(lines.length, base64Length(length))
    assert.deepEqual(Buffer.from(lines, 'base64'), bytes)
    const all = lines.split('\r\n')
    const last = all.pop()!
    assert.ok(last.length <= 76 && all.every((line) => line.length === 76))
    assert.equal(lines.replaceAll('\r\n', ''), bytes.toString('base64'))
  }
})

test('quoted-printable, case by case', () => {
  const table: [text: string, encoded: string][] = [
    ['', ''],
    ['plain', 'plain'],
    ['a=b', 'a=3Db'],
    ['é', '=C3=A9'],
    ['a \r\nb\t', 'a=20\r\nb=09'],
    ['a b', 'a b'],
    ['.\r\n.a\r\na.', '=2E\r\n=2Ea\r\na.'],
    ['--\r\n--b\r\n-b\r\na--b', '=2D-\r\n=2D-b\r\n-b\r\na--b'],
    [`${'x'.repeat(75)}--b`, `${'x'.repeat(75)}=\r\n=2D-b`],
    ['From here\r\nFrom\r\nA From b', '=46rom here\r\nFrom\r\nA From b'],
    ['\0\x1b\x7f', '=00=1B=7F'],
    ['a\r\n\r\nb', 'a\r\n\r\nb'],
    ['x'.repeat(75), 'x'.repeat(75)],
    ['x'.repeat(76), `${'x'.repeat(75)}=\r\nx`],
    [`${'x'.repeat(74)}=`, `${'x'.repeat(74)}=\r\n=3D`],
    [`${'x'.repeat(75)}From y`, `${'x'.repeat(75)}=\r\n=46rom y`],
    [`${'x'.repeat(75)} `, `${'x'.repeat(75)}=\r\n=20`],
  ]
  for (const [text, encoded] of table) {
    assert.equal(quotedPrintable(Buffer.from(text), 10_000)?.toString('latin1'), encoded)
    assert.equal(quotedPrintable(Buffer.from(text), encoded.length)?.length, encoded.length)
    if (encoded !== '') assert.equal(quotedPrintable(Buffer.from(text), encoded.length - 1), undefined)
  }
})

test('quoted-printable is undone, and what is none of it stands for itself', () => {
  const table: [encoded: string, text: string][] = [
    ['a=3Db=3d', 'a=b='],
    ['=C3=bc', '\xc3\xbc'],
    ['a=\r\nb=\nc', 'abc'],
    ['a= \t\r\nb', 'ab'],
    [`a=${' '.repeat(80)}\r\nb`, 'ab'],
    [`a=${' '.repeat(81)}\r\nb`, `a=${' '.repeat(81)}\r\nb`],
    ['=', '='],
    ['a=4', 'a=4'],
    ['=4G=G4==3D', '=4G=G4=='],
    ['=\r', '=\r'],
    ['= x', '= x'],
    ['a=\r\n', 'a'],
  ]
  for (const [encoded, text] of table)
    assert.equal(fromQuotedPrintable(Buffer.from(encoded, 'latin1')).toString('latin1'), text, encoded)
  const lines = fc
    .array(fc.uint8Array({ maxLength: 200 }))
    .map((all) =>
      Buffer.concat(
        all.flatMap((line) => [
          Buffer.from(line).filter((byte) => byte !== 10 && byte !== 13),
          Buffer.from('\r\n'),
        ]),
      ),
    )
  fc.assert(
    fc.property(lines, (text) => {
      const encoded = quotedPrintable(text, 4 * text.length + 100)
      assert.ok(encoded !== undefined)
      assert.deepEqual(Buffer.from(fromQuotedPrintable(encoded)), Buffer.from(text))
    }),
  )
})

test('text goes as it is only where nobody has a reason to change it', () => {
  const safe = ['', 'a', 'a\nb', 'a\tb', '\n\n', 'x'.repeat(998), ' a', '.', 'From', 'a From b', '--\n']
  for (const text of safe) assert.equal(encodeText(text).encoding, '7bit', JSON.stringify(text.slice(0, 20)))
  const unsafe = [
    'x'.repeat(999),
    `a\n${'x'.repeat(999)}`,
    'From a',
    'a\nFrom b',
    'a \nb',
    'a\t',
    '\0',
    '\x1b',
    '--=_',
    'é',
  ]
  for (const text of unsafe)
    assert.notEqual(encodeText(text).encoding, '7bit', JSON.stringify(text.slice(0, 20)))
  assert.equal(encodeText('Grüße aus Köln, und noch etwas mehr Text').encoding, 'quoted-printable')
  assert.equal(encodeText('你好，世界').encoding, 'base64')
})

test('whatever the text, it comes back with CRLF for each line break, in lines of 76 where encoded', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\r\n',
      '\n',
      '\r',
      ' ',
      '\t',
      'From ',
      '.',
      '=',
      '--=_',
      '\0',
      '\ud83d',
      '\ufeff',
      'x'.repeat(80),
    ),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('')
      const { encoding, bytes } = encodeText(text)
      const encoded = bytes.toString('latin1')
      const expected = Buffer.from(text.replace(/\r\n?|\n/g, '\r\n'))
      assert.deepEqual(decoded(encoding, encoded), expected)
      assert.doesNotMatch(encoded, /--=_|^From |[ \t]$|[^\t\r\n -~]/m)
      if (encoding !== '7bit') {
        assert.ok(encoded.split('\r\n').every((line) => line.length <= 76))
        assert.ok(encoded.length <= base64Length(expected.length))
      }
    }),
    { numRuns: 2000 },
  )
})

function decoded(encoding: string, encoded: string): Buffer {
  if (encoding === '7bit') return Buffer.from(encoded, 'latin1')
  if (encoding === 'base64') return Buffer.from(encoded, 'base64')
  const joined = encoded.replaceAll('=\r\n', '')
  return Buffer.from(
    joined.replace(/=(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
