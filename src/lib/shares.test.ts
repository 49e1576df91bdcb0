// Tests of shares: no owner takes the share of another owner, and released amounts are available again.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Shares } from './shares.ts'

/** Returns the number of slots that an owner gets by taking one slot at a time. */
function most(shares: Shares, owner: string): number {
  let count = 0
  while (shares.take(owner, 1)) count++
  return count
}

describe('shares', () => {
  test('one owner holds at most half, and each further one half of the rest', () => {
    const shares = new Shares(1_000)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((owner) => most(shares, owner)),
      [500, 250, 125, 62],
    )
  })

  test('greedy owners leave something for the thousandth', () => {
    const shares = new Shares(1_000_000)
    for (let i = 0; i < 1_000; i++) shares.take(`greedy ${i}`, 999)
    assert.ok(shares.take('modest', 100))
  })

  test('a single owner may take more than half at once', () => {
    const shares = new Shares(100)
    assert.equal(shares.take('a', 101), false)
    assert.ok(shares.take('a', 100))
    assert.equal(shares.take('b', 1), false)
    shares.release('a', 100)
    assert.ok(shares.take('b', 50))
    assert.equal(shares.take('b', 1), false)
  })

  test('a released amount can be taken again', () => {
    const shares = new Shares(100)
    for (let i = 0; i < 1_000; i++) {
      assert.equal(most(shares, 'a'), 50)
      shares.release('a', 50)
    }
  })
})
