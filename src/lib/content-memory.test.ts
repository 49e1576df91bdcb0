// Tests of the memory for message contents: waiting holders are served in order and never wait for each other.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ContentMemory, HeldMemory } from './content-memory.ts'

describe('memory for contents', () => {
  /** Returns holders that each hold the given number of bytes already. */
  function holders(total: number, parts: readonly (readonly [owner: string, bytes: number])[]): HeldMemory[] {
    const memory = new ContentMemory(total)
    return parts.map(([owner, bytes]) => {
      const held = new HeldMemory(memory, owner)
      assert.ok(held.hold(bytes))
      return held
    })
  }
  const isSettled = (promise: Promise<boolean>): Promise<boolean> =>
    Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))])

  test('of two holders of one owner that would wait for each other, the later one is refused and the other continues', async () => {
    const [first, second] = holders(100, [
      ['a', 20],
      ['a', 20],
    ]) as [HeldMemory, HeldMemory]
    const later = [first.holdLater(40), second.holdLater(40)] as const
    assert.equal(await later[1], false)
    assert.equal(await isSettled(later[0]), false)
    second.release()
    assert.equal(await later[0], true)
    assert.equal(first.size, 40)
  })

  test('the same for owners that together hold all memory', async () => {
    const [first, second, third] = holders(100, [
      ['a', 30],
      ['b', 30],
      ['c', 20],
    ]) as [HeldMemory, HeldMemory, HeldMemory]
    const later = [first, second, third].map((held) => held.holdLater(45)) as [
      Promise<boolean>,
      Promise<boolean>,
      Promise<boolean>,
    ]
    assert.equal(await later[2], false)
    assert.equal(await isSettled(later[0]), false)
    third.release()
    assert.equal(await later[1], false)
    assert.equal(await isSettled(later[0]), false)
    second.release()
    assert.equal(await later[0], true)
  })

  test('no holder is refused while another one may release the memory it needs', async () => {
    const [first, second, busy] = holders(100, [
      ['a', 10],
      ['b', 10],
      ['c', 40],
    ]) as [HeldMemory, HeldMemory, HeldMemory]
    const later = [first.holdLater(45), second.holdLater(40)] as const
    assert.equal(await isSettled(Promise.race(later)), false)
    busy.release()
    assert.equal(await later[0], true)
    first.release()
    assert.equal(await later[1], true)
  })

  test('a hundred concurrent holders are each served or refused, without waiting for the timeout', async () => {
    const all = holders(
      1_000,
      Array.from({ length: 100 }, () => ['a', 4] as const),
    )
    let served = 0
    await Promise.all(
      all.map(async (held) => {
        if (await held.holdLater(200)) served++
        await new Promise((resolve) => setImmediate(resolve))
        held.release()
      }),
    )
    assert.ok(served > 50, `${served}`)
  })
})
