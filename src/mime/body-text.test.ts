// Tests that the text of a body is decoded from its actual charset, changed, and labelled correctly.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bytePositions, editedText, readBodyText, withCrlf, withTrueMeta } from './body-text.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const leaf = (type: string | undefined, body: Buffer, encoding = '8bit') => ({
  head: Buffer.from(
    `${type === undefined ? '' : `Content-Type: ${type}\r\n`}Content-Transfer-Encoding: ${encoding}\r\n`,
  ),
  body,
})
const plain = (charset: string | undefined, body: Buffer, encoding?: string) =>
  readBodyText(leaf(charset === undefined ? undefined : `text/plain; charset=${charset}`, body, encoding))

const GRUESSE = Buffer.from('Grüße')
const KOI8 = Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4])
const SHIFT_JIS = Buffer.from([0x82, 0xb1, 0x5c, 0x82, 0xf1])
const ISO_2022_JP = Buffer.from('\x1b$B$3$s\x1b(B <a>')
const UTF_16 = Buffer.from('\ufeffGrüße', 'utf16le')

describe('the text of a body', () => {
  // Charset label that must be written; undefined if the label must stay.
  const cases: readonly (readonly [
    charset: string | undefined,
    body: Buffer,
    text: string,
    relabel?: string,
  ])[] = [
    ['utf-8', GRUESSE, 'Grüße'],
    ['"UTF-8"', GRUESSE, 'Grüße'],
    ['iso-8859-1', latin1('Grüße'), 'Grüße'],
    ['windows-1252', latin1('\x80 5'), '€ 5'],
    ['koi8-r', KOI8, 'Привет'],
    ['utf-8', latin1('Grüße'), 'Grüße', 'windows-1252'],
    ['us-ascii', GRUESSE, 'Grüße', 'utf-8'],
    ['us-ascii', latin1('Grüße \x80'), 'Grüße €', 'windows-1252'],
    ['iso-8859-1', GRUESSE, 'Grüße', 'utf-8'],
    [undefined, GRUESSE, 'Grüße', 'utf-8'],
    [undefined, latin1('Grüße'), 'Grüße', 'windows-1252'],
    [undefined, Buffer.from('plain'), 'plain'],
    ['no-such-charset', GRUESSE, 'Grüße', 'utf-8'],
    ['no-such-charset', Buffer.from('plain'), 'plain'],
    ['utf8mb4', GRUESSE, 'Grüße', 'utf-8'],
    ['shift_jis', SHIFT_JIS, 'こ\\ん', 'utf-8'],
    ['gb2312', Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), '你好', 'utf-8'],
    ['gb2312', Buffer.from('你好吗'), '你好吗', 'utf-8'],
    ['iso-2022-jp', ISO_2022_JP, 'こん <a>', 'utf-8'],
    ['iso-2022-jp', Buffer.from('plain'), 'plain'],
    ['utf-16', Buffer.from('plain'), 'plain', 'utf-8'],
    ['utf-16', GRUESSE, 'Grüße', 'utf-8'],
  ]
  for (const [charset, body, text, relabel] of cases) {
    test(`as ${charset}: ${text}${relabel === undefined ? '' : `, which becomes ${relabel}`}`, () => {
      const read = plain(charset, body)
      assert.deepEqual([read?.text, read?.relabel], [text, relabel])
      const label = relabel ?? (charset === 'no-such-charset' ? 'us-ascii' : charset?.replaceAll('"', ''))
      assert.equal(new TextDecoder(read?.isUtf8 ? 'utf-8' : label).decode(read?.bytes), text)
    })
  }

  test('comes out of its transfer encoding', () => {
    const base64 = (bytes: Buffer) => Buffer.from(bytes.toString('base64'))
    assert.equal(plain('utf-8', base64(GRUESSE), 'BASE64')?.text, 'Grüße')
    assert.equal(plain('utf-16le', base64(UTF_16), 'base64')?.text, 'Grüße')
    assert.equal(plain('utf-8', Buffer.from('Gr=C3=BC=C3=\r\n=9Fe'), 'quoted-printable')?.text, 'Grüße')
    for (const encoding of ['7bit', '8bit', 'binary'])
      assert.equal(plain('utf-8', GRUESSE, encoding)?.text, 'Grüße')
  })

  test('is read as it stands where its encoding is none', () => {
    for (const encoding of ['7-bit', '8bits', 'plain', 'text/html', 'quoted printable', ''])
      assert.equal(plain('utf-8', Buffer.from('a=3D'), encoding)?.text, 'a=3D', encoding)
  })

  test('is not read where its bytes have no certain meaning', () => {
    assert.equal(plain('utf-8', Buffer.from('R3L#8OfZQ=='), 'base64'), undefined)
    assert.equal(plain('utf-8', Buffer.from('R3I=R3I='), 'base64'), undefined)
    assert.equal(plain('utf-8', Buffer.from('x'), 'x-uuencode'), undefined)
    for (const charset of ['utf-7', 'UNICODE-1-1-UTF-7', 'hz-gb-2312', 'iso-2022-kr'])
      assert.equal(plain(charset, Buffer.from('+AGE-')), undefined, charset)
  })

  test('keeps its bytes where what is put in is ASCII, and becomes UTF-8 where it is not', () => {
    const read = plain('koi8-r', Buffer.concat([KOI8, Buffer.from('!')]))!
    const ascii = editedText(read, { start: 6, end: 7, by: '?' })
    assert.deepEqual(
      [ascii.text, ascii.relabel, ascii.bytes],
      ['Привет?', undefined, Buffer.concat([KOI8, Buffer.from('?')])],
    )
    const other = editedText(read, { start: 0, end: 0, by: '退订' })
    assert.deepEqual([other.relabel, other.isUtf8, other.bytes.toString()], ['utf-8', true, '退订Привет!'])
    const utf8 = editedText(plain('utf-8', GRUESSE)!, { start: 2, end: 3, by: 'ue' })
    assert.deepEqual([utf8.text, utf8.relabel, utf8.bytes.toString()], ['Grueße', undefined, 'Grueße'])
  })

  test('has CRLF between its lines and its positions in bytes', () => {
    const lines = withCrlf(plain('utf-8', Buffer.from('ü\nß\r\n𝒳\rx'))!)
    assert.equal(lines.text, 'ü\r\nß\r\n𝒳\r\nx')
    const units = [0, 1, 3, 6, 8, 10, 11]
    assert.deepEqual(
      bytePositions(lines, units),
      units.map((unit) => Buffer.byteLength(lines.text.slice(0, unit))),
    )
    const single = withCrlf(plain('koi8-r', Buffer.concat([KOI8, Buffer.from('\n')]))!)
    assert.deepEqual([single.bytes.length, bytePositions(single, [3, 8])], [8, [3, 8]])
  })

  test('says in its HTML the charset of its label, where the label becomes another', () => {
    const meta = (html: string, charset: string, body = latin1(`${html}ü`)) =>
      withTrueMeta(readBodyText(leaf(`text/html; charset=${charset}`, body))!).text
    assert.equal(meta('<meta charset="utf-8">', 'utf-8'), '<meta charset="windows-1252">ü')
    assert.equal(meta('<META Charset=utf-8>', 'us-ascii'), '<META Charset=windows-1252>ü')
    const equiv = '<meta http-equiv=content-type content="text/html; charset=iso-8859-1">'
    assert.equal(meta(equiv, 'iso-8859-1'), `${equiv}ü`)
    assert.equal(
      meta(equiv, 'us-ascii', Buffer.from(`${equiv}ü`)),
      `${equiv.replace('iso-8859-1', 'utf-8')}ü`,
    )
    assert.equal(meta('<p>charset=utf-8</p>', 'utf-8'), '<p>charset=utf-8</p>ü')
  })
})
