// Tests of the characters that free text may bring into a header.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlain, legalText } from './legal-text.ts'

test('replaces line breaks and controls, keeps everything else', () => {
  const table: [string, string][] = [
    ['plain', 'plain'],
    ['a\r\nBcc: b', 'a Bcc: b'],
    ['a\nb\rc\0d', 'a b c d'],
    ['a\u0085b\u2028c\u2029d\x7fe\x1bf', 'a b c d e f'],
    ['tab\tstays', 'tab\tstays'],
    ['\ud83d half', '\ufffd half'],
    ['\u202e\ufeff bidi and BOM stay', '\u202e\ufeff bidi and BOM stay'],
    ['e\u0301 is not normalised', 'e\u0301 is not normalised'],
  ]
  for (const [given, expected] of table) assert.equal(legalText(given), expected)
})

test('takes for plain only what no reader changes', () => {
  for (const text of ['a', 'Hello, world!', '= ? =', 'a  b']) assert.equal(isPlain(text), true, text)
  for (const text of ['', ' a', 'a ', 'a\tb', 'é', 'a\nb', '=?utf-8?Q?a?=', '\x7f']) {
    assert.equal(isPlain(text), false, text)
  }
})
