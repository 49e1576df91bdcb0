// Tests that the message and its end are found for any division of the bytes into chunks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { thorough } from '../../test/support/thorough.ts'
import { ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import { DataReader, MessageBuffer } from './message-buffer.ts'

/** Reads `bytes` in chunks of the lengths in `cuts`, and the rest in one chunk. */
function read(bytes: Buffer, cuts: readonly number[]): { message: string; behind: string | undefined } {
  const reader = new DataReader()
  let message = ''
  const emit = (piece: Buffer): void => {
    message += piece.toString('latin1')
  }
  let at = 0
  for (const length of [...cuts, bytes.length]) {
    const chunk = bytes.subarray(at, at + length)
    at += chunk.length
    const behind = reader.read(chunk, emit)
    if (behind !== undefined)
      return { message, behind: behind.toString('latin1') + bytes.toString('latin1', at) }
  }
  return { message, behind: undefined }
}

/** Reads a message exactly as RFC 5321 §4.5.2 describes: line by line, where only CRLF ends a line. */
function byTheLetter(bytes: string): { message: string; behind: string } | undefined {
  let message = ''
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end === -1) return undefined
    const line = bytes.slice(at, end)
    at = end + 2
    if (line === '.') return { message, behind: bytes.slice(at) }
    message += `${line.startsWith('.') ? line.slice(1) : line}\r\n`
  }
}

test('any bytes, cut anywhere', () => {
  const pieces = fc.constantFrom('.', '\r', '\n', '\r\n', '\r\n.', '.\r\n', 'a', '\0')
  const bytes = fc.array(pieces, { maxLength: 30 }).map((all) => all.join(''))
  const cuts = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(bytes, cuts, (text, lengths) => {
      const found = read(Buffer.from(text, 'latin1'), lengths)
      const expected = byTheLetter(text)
      if (expected === undefined) assert.equal(found.behind, undefined)
      else assert.deepEqual(found, expected)
    }),
    { numRuns: 5_000 },
  )
})

test(
  'ten megabytes of dots take no longer than other bytes',
  thorough('2 CPU s; the other tests of the file cover the common cases'),
  () => {
    const bytes = Buffer.from('..\r\n'.repeat(2_500_000))
    // CPU time does not depend on other programs; an algorithm in quadratic time would take minutes.
    const spent = cpuWatch()
    let length = 0
    new DataReader().read(bytes, (piece) => {
      length += piece.length
    })
    assert.equal(length, 7_500_000)
    assert.ok(spent() < 10_000)
  },
)

test('the memory of a message is free as soon as it is given back', async () => {
  const MIB = 1024 * 1024
  for (const chunks of [[40_000], [40_000, 40_000], [300_000, 900_000]]) {
    const message = new MessageBuffer(new HeldMemory(new ContentMemory(8 * MIB), 'a network'), 2 * MIB)
    for (const length of chunks) {
      if (message.needsRoom(length)) await message.makeRoom(length)
      message.push(Buffer.from('x'.repeat(length)))
    }
    message.push(Buffer.from('\r\n.\r\n'))
    const content = message.content()
    assert.ok(content.length > 0)
    message.release()
    await Promise.resolve()
    assert.equal(content.length, 0, chunks.join())
  }
})
