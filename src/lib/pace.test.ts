// Pace: pieces of work go in order, and events that have arrived come between them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELIVERY_MS } from './loop-turn.ts'
import { Pace } from './pace.ts'
import { ShortTurns } from './short-turns.ts'

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

test('what goes out has the larger share of each turn, however much comes in, and what comes in has its own', async () => {
  const intake = new ShortTurns()
  const delivery = new Pace(DELIVERY_MS)
  let taken = 0
  let isOver = false
  const take = (): void => {
    taken++
    work(0.5)
    if (!isOver) intake.run('client', take)
  }
  for (let client = 0; client < 20; client++) intake.run('client', take)
  for (let sent = 0; sent < 60; sent++) {
    await delivery.turn()
    work(0.5)
  }
  isOver = true
  assert.ok(taken > 6 && taken < 60, `${taken} were taken in while 60 were sent on`)
})
