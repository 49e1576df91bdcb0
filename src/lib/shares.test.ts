// Shares: no owner takes what others need, and all of it comes back.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Shares } from './shares.ts'

/** Number of slots that an owner gets, one at a time. */
function most(shares: Shares, owner: string): number {
  let count = 0
  while (shares.take(owner, 1)) count++
  return count
}

describe('shares', () => {
  test('one owner holds at most half, each further one half of what is left', () => {
    const shares = new Shares(1_000)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((owner) => most(shares, owner)),
      [500, 250, 125, 62],
    )
  })

  test('whoever is greedy leaves more than nothing to the thousandth', () => {
    const shares = new Shares(1_000_000)
    for (let i = 0; i < 1_000; i++) shares.take(`greedy ${i}`, 999)
    assert.ok(shares.take('modest', 100))
  })

  test('alone, one may take more than half at once', () => {
    const shares = new Shares(100)
    assert.equal(shares.take('a', 101), false)
    assert.ok(shares.take('a', 100))
    assert.equal(shares.take('b', 1), false)
    shares.release('a', 100)
    assert.ok(shares.take('b', 50))
    assert.equal(shares.take('b', 1), false)
  })

  test('what is given back can be taken again', () => {
    const shares = new Shares(100)
    for (let i = 0; i < 1_000; i++) {
      assert.equal(most(shares, 'a'), 50)
      shares.release('a', 50)
    }
  })
})
