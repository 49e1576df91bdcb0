// Tests that no account prevents the webhooks of other accounts from being held.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givesWay, largeHolders } from './held-places.ts'

const held = (accountId: string, isIdle: boolean, isEnding = false) => ({ accountId, isIdle, isEnding })

test('an account has more than its part of the places from the number that each account, with one more, would have', () => {
  const most = Array.from({ length: 100 }, () => held('a', true))
  assert.deepEqual(largeHolders([], 200), [])
  assert.deepEqual(largeHolders(most.slice(1), 200), [])
  assert.deepEqual(largeHolders(most, 200), ['a'])
  assert.deepEqual(largeHolders([...most, held('b', true)], 200), ['a'])
})

test('when no place is free, an idle webhook of the account with the most gives way, and each time another one', () => {
  const all = [held('b', true), held('a', false), held('a', false), held('a', true)]
  assert.equal(givesWay(all), all[3])
  assert.equal(givesWay(all.slice(0, 3)), all[1])
  const ending = [held('a', true, true), held('a', false, true), held('a', false)]
  assert.equal(givesWay(ending), ending[2])
  assert.equal(givesWay(ending.slice(0, 2)), undefined)
})
