// Tests the order of events: events of one message are taken one at a time, while events of other messages can be taken
// too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageOrder } from './message-order.ts'

test('entries of a message follow each other, and none is lost in any order of endings', () => {
  let seed = 3
  const random = (most: number): number => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed % most
  }
  const order = new MessageOrder<[message: string, number: number]>()
  const isAlone = ([, number]: [message: string, number: number]): boolean => number % 5 === 0
  const seen = new Map<string, number>()
  const open: string[] = []
  let added = 0
  let taken = 0
  while (taken < 5_000) {
    if (added < 5_000 && random(2) === 0) {
      const message = `m${random(40)}`
      order.add(message, [message, added++])
    }
    const some = order.take(random(3), isAlone)
    assert.ok(some.length < 2 || !some.some(isAlone))
    for (const [message, number] of some) {
      assert.ok(!open.includes(message))
      assert.ok(number > (seen.get(message) ?? -1))
      seen.set(message, number)
      open.push(message)
      taken++
    }
    if (open.length > 0 && random(2) === 0) order.release(open.splice(random(open.length), 1)[0] as string)
  }
  assert.equal(order.ready, 0)
})
