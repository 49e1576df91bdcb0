// Tests that large copies leave time for other work.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { copyInTurns } from './copy-in-turns.ts'
import { copyForThreads } from './shared-bytes.ts'

const MIB = 1024 * 1024

test('all bytes are copied, whatever their number', async () => {
  for (const length of [0, 1, MIB / 2 - 1, MIB / 2, MIB / 2 + 1, 3 * MIB + 7]) {
    const source = randomBytes(length)
    const target = new Uint8Array(length + 3).fill(9)
    await copyInTurns(source, target)
    assert.ok(source.equals(target.subarray(0, length)), `${length} bytes`)
    assert.deepEqual([...target.subarray(length)], [9, 9, 9])
  }
})

test('a copy for threads has equal bytes in memory of its own', async () => {
  for (const length of [10, 64 * 1024, 2 * MIB + 1]) {
    const whole = randomBytes(length + 20)
    const copy = await copyForThreads(whole.subarray(10, 10 + length))
    assert.ok(whole.subarray(10, 10 + length).equals(copy))
    assert.equal(copy.buffer.byteLength, length)
    assert.notEqual(copy.buffer, whole.buffer)
  }
})

test('the event loop reads events while a large message is copied', async () => {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  // Untouched memory of this size takes several shares of a turn on every machine.
  await copyInTurns(new Uint8Array(256 * MIB), new Uint8Array(256 * MIB))
  isDone = true
  assert.ok(turns > 3, `${turns} turns`)
})
