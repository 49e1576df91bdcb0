// Tests of an attachment's header fields: file name, Content-ID, media type.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachmentType } from './attachment-place.ts'
import { fileNameParameters, legalContentId, legalFileName, nameParameter } from './file-name.ts'

test('makes file names harmless', () => {
  const table: [string, string][] = [
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['C:\\temp\\x.exe', 'C:_temp_x.exe'],
    ['a\r\nb\0c', 'a__b_c'],
    ['\u202etxt.exe', 'txt.exe'],
    ['a\u2066b\u200f.txt', 'ab.txt'],
    ['\ud83d.txt', '\ufffd.txt'],
    ['=?utf-8?Q?a?=', '=_utf-8?Q?a?='],
    ['', 'attachment'],
    ['..', 'attachment'],
    ['  ', 'attachment'],
    [' a.txt ', 'a.txt'],
  ]
  for (const [given, expected] of table) assert.equal(legalFileName(given), expected)
  const long = legalFileName(`${'é'.repeat(5000)}.pdf`)
  assert.ok(Buffer.byteLength(long) <= 255)
  assert.match(long, /^é+\.pdf$/)
})

test('writes a file name that is not plain by RFC 2231 and in encoded-words', () => {
  const table: [name: string, parameter: string, word?: string][] = [
    ['a b.pdf', '\r\n filename="a b.pdf"'],
    [`${'a'.repeat(90)}.pdf`, `\r\n filename="${'a'.repeat(90)}.pdf"`],
    ['résumé.pdf', "\r\n filename*=utf-8''r%C3%A9sum%C3%A9.pdf", 'csOpc3Vtw6kucGRm'],
    ['报告.pdf', "\r\n filename*=utf-8''%E6%8A%A5%E5%91%8A.pdf", '5oql5ZGKLnBkZg=='],
    ['a"b%20.pdf', "\r\n filename*=utf-8''a%22b%2520.pdf", 'a=22b=2520=2Epdf'],
    ['／etc.pdf', "\r\n filename*=utf-8''%EF%BC%8Fetc.pdf", '77yPZXRjLnBkZg=='],
  ]
  for (const [name, parameter, word] of table) {
    const encoding = word?.includes('=22') ? 'Q' : 'B'
    const encoded = word === undefined ? '' : `="=?utf-8?${encoding}?${word}?="`
    assert.equal(
      fileNameParameters(name),
      word === undefined ? parameter : `${parameter};\r\n filename${encoded}`,
    )
    assert.equal(nameParameter(name), word === undefined ? '' : `;\r\n name${encoded}`)
  }
})

test('splits long names into sections that fit on their lines', () => {
  for (const name of [legalFileName(`${'é'.repeat(200)}.pdf`), '%'.repeat(250)]) {
    const lines = fileNameParameters(name).split('\r\n').slice(1)
    assert.ok(lines.every((line) => line.length <= 77))
    const sections = lines
      .filter((line) => line.startsWith(' filename*'))
      .map((line, i) => {
        const start = ` filename*${i}*=${i === 0 ? "utf-8''" : ''}`
        assert.ok(line.startsWith(start))
        return line.slice(start.length).replace(/;$/, '')
      })
    assert.equal(sections.map(decodeURIComponent).join(''), name)
  }
})

test('a Content-ID stays between its brackets', () => {
  assert.equal(legalContentId('logo@example.com'), 'logo@example.com')
  assert.equal(legalContentId('<logo>'), 'logo')
  assert.equal(legalContentId('a>\r\nX: <b é'), 'a__X:__b__')
  assert.equal(legalContentId(''), '_')
})

test('takes a media type only where it is one that base64 can carry', () => {
  const unknown = 'application/octet-stream'
  const table: [string | undefined, string][] = [
    [undefined, unknown],
    ['', unknown],
    ['pdf', unknown],
    ['application/pdf', 'application/pdf'],
    [' Text/CSV ', 'text/csv'],
    ['text/csv; charset=utf-8; header="present"', 'text/csv;\r\n charset=utf-8;\r\n header="present"'],
    ['text/calendar;method=REQUEST;name="x.ics"', 'text/calendar;\r\n method=REQUEST'],
    ['text/csv; charset=utf-8; broken', 'text/csv;\r\n charset=utf-8'],
    ['text/csv\r\nBcc: x', unknown],
    ['text/csv; a="\r\nBcc: x"', 'text/csv'],
    ['text/csv x', unknown],
    ['message/rfc822', unknown],
    ['multipart/mixed; boundary=x', unknown],
    ['text/é', unknown],
    [`text/${'x'.repeat(128)}`, unknown],
  ]
  for (const [given, expected] of table) assert.equal(attachmentType(given, 'file'), expected, String(given))
})

test('without a media type the extension of the name says it', () => {
  const unknown = 'application/octet-stream'
  const table: [filename: string, expected: string][] = [
    ['invoice.pdf', 'application/pdf'],
    ['Rechnung März.PDF', 'application/pdf'],
    ['a.tar.gz', 'application/gzip'],
    ['logo.png', 'image/png'],
    ['table.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['invite.ics', 'text/calendar'],
    ['forwarded.eml', unknown],
    ['pdf', unknown],
    ['file', unknown],
    ['file.', unknown],
    ['a.pdf.unheard-of', unknown],
    ['.constructor', unknown],
  ]
  for (const [filename, expected] of table)
    assert.equal(attachmentType(undefined, filename), expected, filename)
  assert.equal(attachmentType('text/csv', 'invoice.pdf'), 'text/csv')
})
