// Tests the order and the refusals of the queue of password hashes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { Problem } from '../model/problem.ts'
import { type HashPriority, HashQueue } from './hash-queue.ts'

/**
 * Returns a hash queue in which each call of `end` ends one hash; `order` lists the hashes that began or were refused.
 */
function held() {
  const clock = new TestClock()
  const queue = new HashQueue(clock)
  const order: string[] = []
  const ends: (() => void)[] = []
  const come = (name: string, priority: HashPriority): void => {
    const work = (): Promise<void> => {
      order.push(name)
      return new Promise((resolve) => ends.push(resolve))
    }
    queue.do(priority, work).catch((error: unknown) => {
      assert.ok(error instanceof Problem && error.code === 'rate_limit_exceeded' && error.retryAfter)
      order.push(`${name} refused`)
    })
  }
  const end = async (times: number): Promise<void> => {
    await new Promise(setImmediate)
    for (let i = 0; i < times; i++) {
      ends.shift()?.()
      await new Promise(setImmediate)
    }
  }
  return { clock, queue, order, come, end }
}

const stranger = (network: number, login: number, prefix = 0): HashPriority => ({ network, prefix, login })

test('known devices go first, then strangers with the fewest tries, and of equals the last to come', async () => {
  const { order, come, end } = held()
  for (const name of ['at work', 'at work too']) come(name, 'known')
  come('guessing network', stranger(3, 0))
  come('new, guessed login', stranger(0, 40))
  come('new, of a guessing prefix', stranger(0, 0, 50))
  come('new, beside another login', stranger(0, 0, 1))
  come('new', stranger(0, 0))
  come('new, later', stranger(0, 0))
  come('known', 'known')
  await end(10)
  assert.deepEqual(order.slice(2), [
    'known',
    'new, later',
    'new',
    'new, guessed login',
    'new, beside another login',
    'new, of a guessing prefix',
    'guessing network',
  ])
})

test('a known device does not wait for the hash of a stranger', async () => {
  const { order, come, end } = held()
  come('stranger', stranger(0, 0))
  come('stranger too', stranger(0, 0))
  come('known', 'known')
  await end(0)
  assert.deepEqual(order, ['stranger', 'known'])
})

test('in a crowd strangers with the most tries are refused, and a new stranger goes before all of them', async () => {
  const { queue, order, come, end } = held()
  for (let i = 0; i < 65; i++) come(`guess ${i}`, stranger(1 + (i % 2), i))
  assert.throws(() => queue.requireRoom(stranger(2, 99)), { code: 'rate_limit_exceeded' })
  assert.doesNotThrow(() => queue.requireRoom(stranger(0, 99)))
  assert.doesNotThrow(() => queue.requireRoom('known'))
  come('new', stranger(0, 0))
  await end(1)
  assert.deepEqual(order.slice(1), ['guess 63 refused', 'new'])
})

test('guesses leave pauses, in which known devices and new strangers are served', async () => {
  const { clock, order, come, end } = held()
  come('guess', stranger(1, 0))
  await end(0)
  clock.advance(50)
  for (const name of ['second guess', 'third guess']) come(name, stranger(0, 0, 150))
  await end(1)
  clock.advance(99)
  assert.deepEqual(order, ['guess'])
  come('new', stranger(0, 5))
  come('known', 'known')
  await end(2)
  assert.deepEqual(order, ['guess', 'new', 'known'])
  clock.advance(1)
  await end(0)
  assert.deepEqual(order.slice(3), ['third guess'])
  await end(1)
  assert.deepEqual(order.slice(4), ['second guess'])
})

test('a stranger is refused who would wait for long', async () => {
  const { clock, order, come, end } = held()
  come('guess', stranger(1, 0))
  await end(0)
  for (const name of ['second guess', 'third guess']) come(name, stranger(1, 0))
  clock.advance(4_999)
  await end(1)
  assert.deepEqual(order, ['guess'])
  clock.advance(1)
  await end(0)
  assert.deepEqual(order.slice(1), ['second guess refused', 'third guess refused'])
  come('new', stranger(0, 0))
  await end(1)
  assert.equal(order[3], 'new')
})
