// Tests of reused memory: parts do not overlap, and large parts have separate memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scratch } from './scratch.ts'

test('parts do not overlap until they are cleared', () => {
  const scratch = new Scratch()
  const parts = [0, 1, 20_000, 32_768, 11_000, 40_000, 5_000].map((bytes, index) =>
    scratch.take(bytes).fill(index),
  )
  for (const [index, part] of parts.entries()) assert.ok(part.every((byte) => byte === index))
  const [first] = parts
  scratch.clear()
  assert.equal(scratch.take(1).buffer, first?.buffer)
})

test('a long part has memory of its own, which can be freed', () => {
  const long = new Scratch().take(100_000)
  assert.equal(long.buffer.byteLength, long.length)
})
