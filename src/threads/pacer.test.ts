// Tests that the pacer runs pieces of work in order, and that arrived events are handled between the pieces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELIVERY_MS } from './event-loop-budget.ts'
import { FairScheduler } from './fair-scheduler.ts'
import { Pacer } from './pacer.ts'

const work = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('pieces run in the order of their calls, with turns of the event loop between them', async () => {
  const pacer = new Pacer()
  const done: string[] = []
  const between = setInterval(() => done.push('event'), 1)
  await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      await pacer.turn()
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
  const pacer = new Pacer()
  let turns = 0
  const count = (): void => {
    turns++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  for (let left = 100; left > 0; left--) await pacer.turn()
  clearImmediate(immediate)
  assert.ok(turns <= 2, `${turns} turns`)
})

/**
 * Lets 60 callers ask at the same time for pieces of work of 1 ms; resolves to the maximum number of pieces in one turn
 * of the event loop.
 */
async function mostInOneTurn(pacer: Pacer): Promise<number> {
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
      await pacer.turn()
      done++
      work(1)
    }),
  )
  clearImmediate(immediate)
  return Math.max(most, done)
}

test('pieces that wait together use no more than the share of a turn', async () => {
  assert.ok((await mostInOneTurn(new Pacer(DELIVERY_MS))) <= 3 * DELIVERY_MS)
})

test('outbound work has the larger share of each turn, and inbound work keeps its own', async () => {
  const intake = new FairScheduler()
  let taken = 0
  let isOver = false
  const take = (): void => {
    taken++
    work(0.5)
    if (!isOver) intake.run('client', take)
  }
  for (let client = 0; client < 20; client++) intake.run('client', take)
  assert.ok((await mostInOneTurn(new Pacer(DELIVERY_MS))) <= 3 * DELIVERY_MS)
  isOver = true
  // About 360 pieces of inbound work would run with one piece of outbound work per turn and unlimited inbound work.
  assert.ok(taken > 6 && taken < 150, `${taken} were taken in while 60 were sent on`)
})
