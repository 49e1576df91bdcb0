// Short turns: nothing is lost, owners take turns, and what else the event loop has to do is done between.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EventLoopBudget } from './event-loop-budget.ts'
import { ShortTurns } from './short-turns.ts'

/** Keeps the event loop for so long. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe('short turns', () => {
  // Turns of its own: other files of this process may leave an answer awaited in the shared ones.
  let budget: EventLoopBudget
  beforeEach(() => {
    budget = new EventLoopBudget()
  })

  test('what fits into a turn runs at once', () => {
    const turns = new ShortTurns(budget)
    let ran = false
    turns.run('a', () => {
      ran = true
    })
    assert.ok(ran)
  })

  test('an owner of a hundred pieces does not keep another one from its only one', async () => {
    const turns = new ShortTurns(budget)
    const order: string[] = []
    const done = new Promise<void>((resolve) => {
      for (let i = 0; i < 100; i++) {
        turns.run('greedy', () => {
          work(2)
          order.push('greedy')
          if (i === 99) resolve()
        })
      }
      turns.run('modest', () => order.push('modest'))
    })
    await done
    assert.equal(order.length, 101)
    assert.ok(order.indexOf('modest') < 10, `${order.indexOf('modest')}`)
  })

  test('what work puts off may be done within its own turn, and the next one finds nothing', async () => {
    const turns = new ShortTurns(budget)
    const order: string[] = []
    while (budget.isYoung());
    turns.run('a', () => {
      order.push('first')
      assert.ok(budget.isYoung())
      turns.run('c', () => order.push('third'))
    })
    turns.run('b', () => order.push('second'))
    assert.deepEqual(order, [])
    for (let i = 0; i < 5; i++) await nextTurn()
    assert.deepEqual(order, ['first', 'second', 'third'])
  })

  test('the event loop turns between', async () => {
    const turns = new ShortTurns(budget)
    let passed = 0
    const count = (): void => {
      passed++
      immediate = setImmediate(count)
    }
    let immediate = setImmediate(count)
    await new Promise<void>((resolve) => {
      for (let i = 0; i < 50; i++) turns.run('a', () => work(2))
      turns.run('a', resolve)
    })
    clearImmediate(immediate)
    assert.ok(passed >= 10, `${passed} turns for 100 ms of work`)
  })
})
