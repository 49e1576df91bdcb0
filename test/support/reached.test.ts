// Scenarios that are repeated until a round has reached them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilReached } from './reached.ts'

test('a scenario is repeated until it was reached often enough', async () => {
  const rounds: number[] = []
  await untilReached('every third', 2, async (index) => {
    rounds.push(index)
    return index % 3 === 2
  })
  assert.deepEqual(rounds, [0, 1, 2, 3, 4, 5])
})

test('a scenario that is not reached in five rounds per time fails with a message', async () => {
  let rounds = 0
  const missed = untilReached('a kill among rows', 2, async () => rounds++ === 0)
  await assert.rejects(missed, /reached 1 of 2 times in 10 rounds: a kill among rows/)
  assert.equal(rounds, 10)
})
