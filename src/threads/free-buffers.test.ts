// Tests that whole buffers are freed, and parts of a buffer are never freed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeBuffers } from './free-buffers.ts'

test('bytes that fill their buffer are freed', () => {
  const bytes = Buffer.from(new ArrayBuffer(100_000))
  freeBuffers(bytes)
  assert.equal(bytes.length, 0)
  assert.equal(bytes.buffer.byteLength, 0)
})

test('a part of a buffer, shared memory and few bytes stay', () => {
  const buffer = new ArrayBuffer(100_000)
  for (const bytes of [
    Buffer.from(buffer, 1),
    Buffer.from(buffer, 0, 99_999),
    Buffer.from(new SharedArrayBuffer(100_000)),
    Buffer.from(new ArrayBuffer(1_000)),
    Buffer.from('of the pool'),
  ]) {
    const { length } = bytes
    freeBuffers(bytes)
    assert.equal(bytes.length, length)
  }
})
