import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { dotStuffed } from './dot-stuffing.ts'

function stuffed(...chunks: string[]): string {
  return Buffer.concat([...dotStuffed(chunks.map((chunk) => Buffer.from(chunk)))]).toString()
}

const cases: [string, string[], string][] = [
  ['no dots', ['a\r\nb\r\n'], 'a\r\nb\r\n.\r\n'],
  ['a dot at the very start', ['.a\r\n'], '..a\r\n.\r\n'],
  ['a line of one dot', ['a\r\n.\r\nb\r\n'], 'a\r\n..\r\nb\r\n.\r\n'],
  ['a line of two dots', ['..\r\n'], '...\r\n.\r\n'],
  ['a last line of one dot', ['a\r\n.\r\n'], 'a\r\n..\r\n.\r\n'],
  ['a last line of one dot without its end', ['a\r\n.'], 'a\r\n..\r\n.\r\n'],
  ['dots inside lines', ['a.b\r\nc.\r\n'], 'a.b\r\nc.\r\n.\r\n'],
  ['consecutive lines of dots', ['.\r\n.\r\n.\r\n'], '..\r\n..\r\n..\r\n.\r\n'],
  ['no line end at the end', ['a'], 'a\r\n.\r\n'],
  ['nothing at all', [], '.\r\n'],
  ['empty chunks', ['', 'a\r\n', '', '.b\r\n', ''], 'a\r\n..b\r\n.\r\n'],
  ['a cut before the dot', ['a\r\n', '.b\r\n'], 'a\r\n..b\r\n.\r\n'],
  ['a cut between CR and LF', ['a\r', '\n.b\r\n'], 'a\r\n..b\r\n.\r\n'],
  ['a cut after the dot', ['a\r\n.', 'b\r\n'], 'a\r\n..b\r\n.\r\n'],
  ['every byte a chunk', [...'a\r\n.\r\n..\r\n.x\r\n'], 'a\r\n..\r\n...\r\n..x\r\n.\r\n'],
  ['a dot first in a chunk, inside a line', ['a', '.b\r\n'], 'a.b\r\n.\r\n'],
]
for (const [name, chunks, wire] of cases) {
  test(name, () => assert.equal(stuffed(...chunks), wire))
}

test('many dots give the same result wherever the message is split', () => {
  const lines = fc.array(fc.constantFrom('', '.', '..', '.x', 'x', 'x.', 'some text'), { maxLength: 200 })
  fc.assert(
    fc.property(lines, fc.array(fc.nat(1000), { maxLength: 6 }), (parts, cuts) => {
      const message = parts.map((line) => `${line}\r\n`).join('')
      const edges = [0, ...cuts.filter((cut) => cut < message.length).sort((a, b) => a - b), message.length]
      const chunks = edges.slice(1).map((edge, i) => message.slice(edges[i], edge))
      assert.equal(stuffed(...chunks), `${message.replace(/(^|\r\n)\./g, '$1..')}.\r\n`)
    }),
  )
})

test('a message of nothing but dots costs milliseconds and megabytes', () => {
  const message = Buffer.from('.\r\n'.repeat(1_000_000))
  const spent = cpuWatch()
  const pieces = [...dotStuffed([message])]
  assert.ok(pieces.length < 50)
  assert.equal(
    pieces.reduce((size, piece) => size + piece.length, 0),
    4_000_003,
  )
  assert.ok(spent() < 2000)
})
