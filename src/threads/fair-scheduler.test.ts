// Tests of the fair scheduler: no work is lost, owners take turns, and the event loop handles other events in between.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EventLoopBudget } from './event-loop-budget.ts'
import { FairScheduler } from './fair-scheduler.ts'

/** Blocks the event loop for `ms` milliseconds. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe('the fair scheduler', () => {
  // Each test has its own budget, because tests of other files in this process may leave the shared budget waiting for
  // replies.
  let budget: EventLoopBudget
  beforeEach(() => {
    budget = new EventLoopBudget()
  })

  test('work that fits into the turn runs at once', () => {
    const turns = new FairScheduler(budget)
    let ran = false
    turns.run('a', () => {
      ran = true
    })
    assert.ok(ran)
  })

  test('an owner with a hundred pieces does not block an owner with one', async () => {
    const turns = new FairScheduler(budget)
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

  test('a piece that was put off may run within its own turn; the next turn then finds none', async () => {
    const turns = new FairScheduler(budget)
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

  test('the event loop turns between the pieces', async () => {
    const turns = new FairScheduler(budget)
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
