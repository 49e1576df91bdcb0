// Tests the order in which the fair queue serves owners with one worker.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

/**
 * Serves `times` jobs; `takes` returns the duration of a job of an owner. Returns the owners in the order in which they
 * were served.
 */
function serve(queue: FairQueue<number>, times: number, takes: (owner: string) => number): string[] {
  return Array.from({ length: times }, () => {
    const next = queue.next()
    if (next === undefined) return '-'
    queue.used(next.owner, takes(next.owner))
    return next.owner
  })
}

test('an owner with long jobs waits until the others have had as much time', () => {
  const queue = new FairQueue<number>(1_000)
  for (let job = 0; job < 5; job++) queue.add('slow', job, 1)
  assert.deepEqual(
    serve(queue, 1, () => 3_000),
    ['slow'],
  )
  for (let job = 0; job < 100; job++) queue.add('quick', job, 1)
  const served = serve(queue, 101, (owner) => (owner === 'slow' ? 3_000 : 5))
  assert.deepEqual(served, [...Array.from({ length: 100 }, () => 'quick'), 'slow'])
})

test('an owner with slow jobs who returns again and again waits too', () => {
  const queue = new FairQueue<number>(1_000)
  const served: string[] = []
  for (let job = 0; job < 50; job++) {
    for (const owner of ['slow', 'quick', 'other'])
      if (!served.includes(owner) || job > 0) queue.add(owner, job, 1)
    served.push(...serve(queue, 2, (owner) => (owner === 'slow' ? 3_000 : 5)))
  }
  assert.ok(served.filter((owner) => owner === 'slow').length <= 2, served.join())
})

test('an owner who waited long, or comes late, gets no more than the others', () => {
  const queue = new FairQueue<number>(1_000)
  for (let job = 0; job < 20; job++) queue.add('first', job, 1)
  serve(queue, 10, () => 10)
  for (let job = 0; job < 10; job++) queue.add('late', job, 1)
  const next = serve(queue, 10, () => 10)
  assert.ok(next.filter((owner) => owner === 'late').length <= 6, next.join())
  assert.deepEqual(serve(queue, 11, () => 10).at(-1), '-')
})

test('jobs of one owner keep their order', () => {
  const queue = new FairQueue<number>(1_000)
  for (let job = 0; job < 4; job++) queue.add('a', job, 1)
  assert.deepEqual([queue.next()?.job, queue.next()?.job, ...queue.drain()], [0, 1, 2, 3])
  assert.equal(queue.next(), undefined)
})

test('no owner fills the queue alone', () => {
  const queue = new FairQueue<number>(100)
  assert.equal(queue.add('large', 0, 26), false)
  assert.deepEqual([queue.add('large', 0, 20), queue.add('large', 1, 6)], [true, false])
  for (const owner of ['b', 'c', 'd']) assert.equal(queue.add(owner, 0, 25), true)
  assert.deepEqual([queue.add('e', 0, 5), queue.add('e', 1, 1)], [true, false])
  queue.next()
  assert.equal(queue.add('e', 1, 1), true)
})

test('no job of a busy owner is taken', () => {
  const queue = new FairQueue<number>(1_000)
  for (const owner of ['a', 'b']) for (let job = 0; job < 2; job++) queue.add(owner, job, 1)
  assert.deepEqual(queue.next((owner) => owner === 'a')?.owner, 'b')
  assert.equal(
    queue.next(() => true),
    undefined,
  )
  assert.deepEqual(queue.next()?.owner, 'a')
})

test('jobs without a waiting caller make room', () => {
  const queue = new FairQueue<number>(40)
  for (let job = 0; job < 10; job++) queue.add('a', job, 1)
  assert.equal(queue.add('a', 10, 1), false)
  assert.deepEqual(
    queue.drop('a', (job) => job % 2 === 0),
    [0, 2, 4, 6, 8],
  )
  assert.equal(queue.add('a', 10, 5), true)
  assert.equal(queue.add('a', 11, 1), false)
  assert.deepEqual(queue.drain(), [1, 3, 5, 7, 9, 10])
})
