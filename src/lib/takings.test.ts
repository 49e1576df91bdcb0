// Takings that wait to be settled: those that are too small for it do not keep their places from others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Takings } from './takings.ts'

/** More than are noted at one time. */
const MANY = 5_000

test('a bucket that comes after many that took little is settled with the other nodes', () => {
  const takings = new Takings()
  takings.share()
  for (let one = 0; one < MANY; one++) takings.note(`little ${one}`, 1, 10)
  assert.deepEqual(takings.take(), [])
  for (let times = 0; times < 10; times++) takings.note('much', 1, 10)
  assert.deepEqual(takings.take(), [{ name: 'much', costMs: 10, at: 0 }])
})

test('no taking that is to be settled makes room for another one', () => {
  const takings = new Takings()
  takings.share()
  for (let one = 0; one < MANY; one++) takings.note(`much ${one}`, 10, 10)
  const settled = takings.take()
  assert.equal(settled[0]?.name, 'much 0')
  assert.ok(settled.length < MANY)
  takings.note('late', 10, 10)
  assert.equal(takings.take()[0]?.name, 'late')
})
