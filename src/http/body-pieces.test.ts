// Tests that the pieces of a body stay in order and use little more memory than the bytes of the body.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { thorough } from '../../test/support/thorough.ts'
import { BodyPieces } from './body-pieces.ts'

/** Returns pseudo-random sizes of pieces, the same sizes in each run. */
function sizes(count: number, largest: number): number[] {
  let state = count + largest
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return 1 + (state % largest)
  })
}

const CASES: readonly (readonly [count: number, largest: number])[] = [
  [0, 1],
  [1, 5_000],
  [3, 70_000],
  [17, 100],
  [1_000, 3],
  [500, 5_000],
  [200, 20_000],
]

for (const [count, largest] of CASES) {
  test(`${count} pieces of up to ${largest} bytes are complete and in order`, () => {
    const [taken, moved, expected] = [new BodyPieces(), new BodyPieces(), [] as Buffer[]]
    for (const [index, size] of sizes(count, largest).entries()) {
      const bytes = Buffer.alloc(size, index % 251)
      taken.add(Buffer.from(bytes))
      moved.add(Buffer.from(bytes))
      expected.push(bytes)
    }
    const all = Buffer.concat(expected)
    assert.deepEqual(taken.take(), all)
    assert.equal(taken.take().length, 0)
    const target = Buffer.alloc(all.length)
    moved.moveTo(target)
    assert.deepEqual(target, all)
  })
}

test(
  'pieces of one byte create no objects on the heap',
  thorough('0.7 CPU s; the other tests of the file cover the common cases'),
  () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const onHeap = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const [count, pieces, before] = [300_000, new BodyPieces(), onHeap()]
    for (let index = 0; index < count; index++) pieces.add(Buffer.of(1))
    const more = onHeap() - before
    assert.ok(more < 1_000_000, `${more} bytes for ${count}`)
    assert.equal(pieces.take().length, count)
  },
)
