// Bytes that are spent: whole buffers are freed, parts of one never.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeBuffers } from './free-buffers.ts'

test('octets that are all of their buffer are freed', () => {
  const octets = Buffer.from(new ArrayBuffer(100_000))
  freeBuffers(octets)
  assert.equal(octets.length, 0)
  assert.equal(octets.buffer.byteLength, 0)
})

test('a part of a buffer, shared memory and short octets stay', () => {
  const buffer = new ArrayBuffer(100_000)
  for (const octets of [
    Buffer.from(buffer, 1),
    Buffer.from(buffer, 0, 99_999),
    Buffer.from(new SharedArrayBuffer(100_000)),
    Buffer.from(new ArrayBuffer(1_000)),
    Buffer.from('of the pool'),
  ]) {
    const { length } = octets
    freeBuffers(octets)
    assert.equal(octets.length, length)
  }
})
