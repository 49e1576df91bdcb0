// Pace: pieces of work go in order, and events that have arrived come between them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

const work = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('pieces go in the order in which they asked, with turns of the event loop between them', async () => {
  const pace = new Pace()
  const done: string[] = []
  const between = setInterval(() => done.push('event'), 1)
  await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      await pace.turn()
      done.push(name)
      work(5)
    }),
  )
  clearInterval(between)
  assert.deepEqual(
    done.filter((name) => name !== 'event'),
    ['a', 'b', 'c', 'd'],
  )
  assert.ok(done.indexOf('event') < done.indexOf('d'), done.join(' '))
})

test('short pieces share a turn', async () => {
  const pace = new Pace()
  let turns = 0
  const count = (): void => {
    turns++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  for (let left = 100; left > 0; left--) await pace.turn()
  clearImmediate(immediate)
  assert.ok(turns <= 2, `${turns} turns`)
})
