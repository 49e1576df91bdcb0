// Tests of encoded-words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeWords, encodedWords } from './encoded-word.ts'

test('takes the shorter encoding', () => {
  const table: [string, string][] = [
    ['Grüße', '=?utf-8?B?R3LDvMOfZQ==?='],
    ['Your receipt – thank you', '=?utf-8?Q?Your_receipt_=E2=80=93_thank_you?='],
    ['你好', '=?utf-8?B?5L2g5aW9?='],
    ['a=b, c?', '=?utf-8?B?YT1iLCBjPw==?='],
    ['the sum a=b_c is', '=?utf-8?Q?the_sum_a=3Db=5Fc_is?='],
    ['=?utf-8?Q?a?=', '=?utf-8?B?PT91dGYtOD9RP2E/PQ==?='],
    ['"quotes", (comments) <and> @', '=?utf-8?B?InF1b3RlcyIsIChjb21tZW50cykgPGFuZD4gQA==?='],
  ]
  for (const [text, expected] of table) assert.deepEqual(encodedWords(text), [expected])
})

test('every word is at most 75 characters, valid UTF-8 by itself, and all of them are the text', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(text, fc.integer({ min: 40, max: 75 }), (text, firstRoom) => {
      const words = encodedWords(text, firstRoom)
      assert.ok(words[0]!.length <= firstRoom)
      for (const word of words) {
        assert.match(word, /^=\?utf-8\?(?:Q\?[A-Za-z0-9!*+/=_-]+|B\?[A-Za-z0-9+/]+={0,2})\?=$/)
        assert.ok(word.length <= 75)
      }
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      assert.equal(words.map((word) => decoder.decode(bytesOf(word))).join(''), text)
    }),
  )
})

function bytesOf(word: string): Buffer {
  const text = word.slice(10, -2)
  if (word[8] === 'B') return Buffer.from(text, 'base64')
  const unescaped = text
    .replaceAll('_', ' ')
    .replace(/=(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(unescaped, 'latin1')
}

test('decoding never fails and never yields a line break', () => {
  const table: [string, string][] = [
    ['=?utf-8?Q?Gr=C3=BC?=\t =?UTF-8?b?w59l?=', 'Grüße'],
    ['=?utf-8?B?DQpCY2M6IHg=?=', ' Bcc: x'],
    ['=?x?Q?=0D=0A?=', ' '],
    ['=?no-such-charset?Q?abc?=', 'abc'],
    ['=?utf-8?Q?=C3?=', 'Ã'],
    ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['=?utf-8?B?', '=?utf-8?B?'],
  ]
  for (const [value, expected] of table) assert.equal(decodeWords(value), expected)
})
