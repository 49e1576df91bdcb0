// Formatting of plain text for people.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fields, printable, table } from './text.ts'

test('a table is aligned and has no trailing blanks', () => {
  const text = table(
    ['name', 'size'],
    [
      ['short', 1],
      ['much longer', 22],
    ],
    'none',
  )
  assert.equal(text, 'NAME         SIZE\nshort        1\nmuch longer  22')
  assert.equal(table(['name'], [], 'There is none.'), 'There is none.')
})

test('foreign text cannot control the terminal', () => {
  assert.equal(printable('a\x1b[2Jb\r\nc\u202ed'), 'a\\x1b[2Jb\\x0d\\x0ac\\x202ed')
  assert.equal(table(['s'], [['\x07']], ''), 'S\n\\x07')
  assert.equal(fields([['Subject', '\u009b1m']]), '  Subject   \\x9b1m')
})
