// Tests of the event loop budget: the order of deferred work, the end of a turn, and waits for replies.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EventLoopBudget } from './event-loop-budget.ts'

describe('the turn of the event loop', () => {
  test('the end of a turn comes after its deferred work, and after what that work started', async () => {
    const turn = new EventLoopBudget()
    const order: string[] = []
    const ended = turn.end().then(() => order.push('end'))
    for (const name of ['a', 'b']) {
      turn.putOff(() => void Promise.resolve().then(() => order.push(name)))
    }
    await ended
    assert.deepEqual(order, ['a', 'b', 'end'])
  })

  test('work deferred by work runs a turn later', async () => {
    const turn = new EventLoopBudget()
    const order: string[] = []
    await new Promise<void>((resolve) => {
      turn.putOff(() => {
        order.push('first')
        setImmediate(() => order.push('between'))
        turn.putOff(() => {
          order.push('second')
          resolve()
        })
      })
    })
    assert.deepEqual(order, ['first', 'between', 'second'])
  })

  test('no work begins before the last reply that is due', async () => {
    const turn = new EventLoopBudget(60_000)
    const order: string[] = []
    const answers = [turn.holdWork(), turn.holdWork()]
    assert.equal(turn.isYoung(), false)
    const worked = new Promise<void>((resolve) => {
      turn.putOff(() => {
        order.push('work')
        resolve()
      })
    })
    for (const answered of answers) {
      await nextTurn()
      order.push('answer')
      answered()
    }
    await worked
    assert.deepEqual(order, ['answer', 'answer', 'work'])
  })

  test('one message is unanswered at a time, and each reply admits the next one', async () => {
    const turn = new EventLoopBudget(60_000)
    const unanswered: (() => void)[] = []
    let sent = 0
    const send = async (): Promise<void> => {
      await turn.end()
      sent++
      unanswered.push(turn.holdWork())
    }
    const all = Promise.all(Array.from({ length: 10 }, send))
    for (let most = 1; most <= 10; most++) {
      for (let turns = 0; turns < 5; turns++) await nextTurn()
      assert.equal(sent, most)
      unanswered.shift()?.()
    }
    await all
  })

  test('messages without an awaited reply do not delay others', async () => {
    const turn = new EventLoopBudget()
    await Promise.all(Array.from({ length: 100 }, () => turn.end()))
    await Promise.all(Array.from({ length: 100 }, () => turn.end().then(() => turn.holdWork())))
  })

  test('a reply that never arrives does not stop work', async () => {
    const turn = new EventLoopBudget()
    let done = 0
    for (; done < 20; done++) {
      turn.holdWork()
      await new Promise<void>((resolve) => turn.putOff(resolve))
    }
    assert.equal(done, 20)
    // The next wait starts anew, and ends with the reply that it awaits.
    turn.holdWork()()
    assert.equal(turn.isYoung(), true)
  })
})
