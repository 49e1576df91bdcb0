// Tests of free-text header fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReservedName, legalName, textField } from './header-field.ts'

test('writes, folds and encodes values', () => {
  const words = 'lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor'
  const table: [name: string, value: string, field: string][] = [
    ['Subject', 'Hello', 'Subject: Hello\r\n'],
    ['Subject', '', 'Subject: \r\n'],
    ['Subject', 'a\tb', 'Subject: a\tb\r\n'],
    ['Subject', ' a', 'Subject: =?utf-8?Q?_a?=\r\n'],
    ['Subject', 'a\r\nBcc: x@example.com', 'Subject: a Bcc: x@example.com\r\n'],
    ['Subject', '\r\n', 'Subject: =?utf-8?Q?_?=\r\n'],
    [
      'Subject',
      words,
      'Subject: lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam\r\n nonumy eirmod tempor\r\n',
    ],
    ['X-Long', `a ${'b'.repeat(899)}`, `X-Long: a\r\n ${'b'.repeat(899)}\r\n`],
    ['X-Blanks', `a${' '.repeat(80)}b`, `X-Blanks: a\r\n${' '.repeat(80)}b\r\n`],
    ['Subject', 'Grüße', 'Subject: =?utf-8?B?R3LDvMOfZQ==?=\r\n'],
    ['Subject', '=?utf-8?Q?a?= b', 'Subject: =?utf-8?B?PT91dGYtOD9RP2E/PSBi?=\r\n'],
  ]
  for (const [name, value, field] of table) assert.equal(textField(name, value), field)
})

test('no line is over 998 bytes, and none with an encoded-word over 76', () => {
  for (const name of ['X', 'Subject', 'X-'.padEnd(76, 'n')]) {
    for (const value of [
      'a'.repeat(5000),
      `a ${'b'.repeat(899)}`,
      `${'b'.repeat(899)}`,
      'é'.repeat(5000),
      `a${' '.repeat(2000)}b`,
    ]) {
      const field = textField(name, value)
      const lines = field.split('\r\n')
      assert.equal(lines.pop(), '')
      for (const line of lines) {
        assert.ok(line.length <= 998, `${name}: ${line.length}`)
        if (line.includes('=?')) assert.ok(line.length <= 76, line)
        assert.match(line, /[!-~]/)
      }
      for (const line of lines.slice(1)) assert.match(line, /^[ \t]/)
    }
  }
})

test('a name cannot end the field', () => {
  assert.equal(legalName('X-Tag'), 'X-Tag')
  assert.equal(legalName('X\r\nBcc: a'), 'X--Bcc--a')
  assert.equal(legalName(''), 'X')
  assert.equal(legalName('é'), '-')
  assert.equal(legalName('n'.repeat(100)).length, 76)
})

test('knows the names that custom headers may not have', () => {
  for (const name of [
    'from',
    'BCC',
    'Message-Id',
    'content-type',
    'Content-Foo',
    'Resent-Bcc',
    'DKIM-Signature',
  ]) {
    assert.equal(isReservedName(name), true, name)
  }
  for (const name of ['X-From', 'List-Unsubscribe', 'References', 'Sender', 'Feedback-ID']) {
    assert.equal(isReservedName(name), false, name)
  }
})
