// Tests of reading address fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { parseMailboxList, parseSoleMailbox } from './read-mailboxes.ts'

test('reads lists, groups and encoded names', () => {
  assert.deepEqual(
    parseMailboxList(
      'a@example.com, =?utf-8?Q?J=C3=B8e=0D=0A_x?= <b@example.com>, T: "C, D" <c@example.com>;',
    ),
    [
      { address: 'a@example.com', name: '' },
      { address: 'b@example.com', name: 'Jøe  x' },
      { address: 'c@example.com', name: 'C, D' },
    ],
  )
  assert.deepEqual(parseMailboxList(''), [])
})

test('takes a sole mailbox that all readers agree on', () => {
  const table: [value: string, email: string, name: string | undefined][] = [
    ['a@example.com', 'a@example.com', undefined],
    ['<a@example.com>', 'a@example.com', undefined],
    ['Jane Q. Doe <a@EXAMPLE.com>', 'a@example.com', 'Jane Q. Doe'],
    ['Jané<a@example.com>', 'a@example.com', 'Jané'],
    ['"Doe, \\"J\\" <x@example.org>" <a@example.com> ', 'a@example.com', 'Doe, "J" <x@example.org>'],
    ['=?utf-8?Q?x=40example.org?= <a@example.com>', 'a@example.com', 'x@example.org'],
    ['A <"a b"@example.com>', '"a b"@example.com', 'A'],
    ['jøe@example.com', 'jøe@example.com', undefined],
    ['a@example.com (Jane Doe)', 'a@example.com', 'Jane Doe'],
  ]
  for (const [value, email, name] of table) {
    assert.deepEqual(parseSoleMailbox(value), name === undefined ? { email } : { email, name }, value)
  }
})

test('takes nothing that could be read in two ways', () => {
  const values = [
    '',
    'a',
    'a@example.com, b@example.com',
    'a@example.com,',
    'a@example.com b@example.com',
    'a@example.com <b@example.com>',
    '<a@example.com> <b@example.com>',
    '<a@example.com> b',
    'b <a@example.com',
    'a@example.com>',
    'a b@example.com',
    'a @ example.com',
    'a@example.com (x <b@example.com>)',
    'a@example.com (b@example.com)',
    '(x) a@example.com',
    'G: a@example.com;',
    '<@x.example,@y.example:a@example.com>',
    '"x"@example.org <a@example.com>',
    '"x"a@example.com',
    '"x" y"@example.org <a@example.com>',
    '"unclosed <a@example.com>',
    '=?utf-8?B?PGFAZXhhbXBsZS5jb20+?=',
    'a@example.com\\ <b@example.com>',
    'x\0"y <b@example.com>" <a@example.com>',
    'a.@example.com',
    'a@example',
    `${'x'.repeat(2000)} <a@example.com>`,
  ]
  for (const value of values) assert.equal(parseSoleMailbox(value), undefined, value)
})

test('hostile values cost little time', () => {
  for (const piece of ['a:', 'a:"', '"', '(', '<', '"\\"', ',', 'a@', '=?', '=?utf-8?Q?', '<a@b> ', ' ']) {
    const value = piece.repeat(65_536 / piece.length)
    const used = cpuWatch()
    parseMailboxList(value)
    parseSoleMailbox(value)
    parseSoleMailbox(value.slice(0, 2000))
    const spent = used()
    assert.ok(spent < 1000, `${piece}: ${spent} ms`)
  }
})
