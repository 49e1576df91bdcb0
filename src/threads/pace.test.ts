// Pace: pieces of work go in order, and events that have arrived come between them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELIVERY_MS } from './event-loop-budget.ts'
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
  assert.ok(done.includes('event') && done.indexOf('event') < done.indexOf('d'), done.join(' '))
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

/** Has 60 ask at once for pieces of 1 ms; answers the most of them that were done between two looks, a turn apart. */
async function mostInOneTurn(pace: Pace): Promise<number> {
  let most = 0
  let done = 0
  const next = (): void => {
    most = Math.max(most, done)
    done = 0
    immediate = setImmediate(next)
  }
  let immediate = setImmediate(next)
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      await pace.turn()
      done++
      work(1)
    }),
  )
  clearImmediate(immediate)
  return Math.max(most, done)
}

test('those who ask at once have no more of a turn than its share', async () => {
  assert.ok((await mostInOneTurn(new Pace(DELIVERY_MS))) <= 3 * DELIVERY_MS)
})

test('what goes out has the larger share of each turn, however much comes in, and what comes in has its own', async () => {
  const intake = new ShortTurns()
  let taken = 0
  let isOver = false
  const take = (): void => {
    taken++
    work(0.5)
    if (!isOver) intake.run('client', take)
  }
  for (let client = 0; client < 20; client++) intake.run('client', take)
  assert.ok((await mostInOneTurn(new Pace(DELIVERY_MS))) <= 3 * DELIVERY_MS)
  isOver = true
  // Were there one piece a turn beside all that fits of what comes in, it would be some 360.
  assert.ok(taken > 6 && taken < 150, `${taken} were taken in while 60 were sent on`)
})
