// Tests of IDs, rate limits, lifecycles, suggestions and metrics.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRegistry } from '../node/metrics.ts'
import { Distribution } from './figures.ts'
import { idOfUuid, isId, newId, randomBase62, timeOfId, uuidOfId } from './ids.ts'
import { Lifecycle } from './lifecycle.ts'
import { nearest } from './nearest.ts'
import { parseRate, RateLimiter } from './rate-limiter.ts'

describe('IDs', () => {
  test('sort by creation time, even within a millisecond, and never repeat', () => {
    const ids = Array.from({ length: 100_000 }, () => newId('msg'))
    assert.deepEqual(ids, [...ids].sort())
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.every((id) => isId('msg', id)))
  })

  test('are distinguished from other texts', () => {
    for (const text of ['', 'msg_', newId('evt'), `${newId('msg')}x`, newId('msg').toLowerCase()]) {
      assert.equal(isId('msg', text), false)
    }
  })

  test('become UUIDs and return', () => {
    for (const id of [...Array.from({ length: 100 }, () => newId('msg')), `msg_${'0'.repeat(26)}`]) {
      const uuid = uuidOfId(id)
      assert.match(uuid, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      assert.equal(idOfUuid('msg', uuid.toUpperCase()), id)
    }
    for (const text of ['', 'x', `${uuidOfId(newId('msg'))}0`, uuidOfId(newId('msg')).replaceAll('-', '')]) {
      assert.equal(idOfUuid('msg', text), undefined)
    }
  })

  test('random text uses the whole alphabet evenly', () => {
    const counts = new Map<string, number>()
    for (const letter of randomBase62(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    assert.equal(counts.size, 62)
    for (const count of counts.values()) assert.ok(count > 800 && count < 1_200)
  })
})

describe('the time of IDs', () => {
  test('is their creation time', () => {
    // The given time is slightly ahead of the clock, because the times of IDs never decrease within a process.
    const at = timeOfId(newId('msg')) + 5
    assert.equal(timeOfId(newId('msg', at)), at)
  })

  test('follow a clock that is set back by days, and stay in order after a smaller step', () => {
    const day = 86_400_000
    const at = Date.now() + 400 * day
    const timeOfNext = (now: number): number => timeOfId(newId('msg', now))
    assert.equal(timeOfNext(at), at)
    assert.equal(timeOfNext(at - day), at)
    assert.equal(timeOfNext(at - 30 * day), at - 30 * day)
  })
})

describe('a rate limit', () => {
  test('admits a burst, then the refill', () => {
    const limiter = new RateLimiter()
    const rate = { count: 10, perMs: 1_000 }
    const take = (now: number) => limiter.take('a', rate, now)
    for (let left = 9; left >= 0; left--) assert.equal(take(0).remaining, left)
    const refused = take(0)
    assert.deepEqual(refused, { allowed: false, remaining: 0, resetSeconds: 1 })
    assert.equal(take(99).allowed, false)
    assert.equal(take(100).allowed, true)
    assert.equal(take(100).allowed, false)
    assert.equal(limiter.take('b', rate, 100).allowed, true, 'another name has its own bucket')
    assert.equal(take(-5_000).allowed, false, 'a clock that goes back adds no tokens')
  })

  test('of an hour is not full again after a pause of minutes', () => {
    const limiter = new RateLimiter()
    const rate = { count: 2, perMs: 3_600_000 }
    assert.equal(limiter.take('a', rate, 0, 2).allowed, true)
    for (const minutes of [3, 6, 29]) assert.equal(limiter.take('a', rate, minutes * 60_000).allowed, false)
    assert.equal(limiter.take('a', rate, 31 * 60_000).allowed, true)
  })

  test('is parsed from text', () => {
    assert.deepEqual(parseRate('50/s'), { count: 50, perMs: 1_000 })
    assert.deepEqual(parseRate('20/m'), { count: 20, perMs: 60_000 })
    for (const text of ['', '0/s', '-1/s', '5', '5/y', '5 / s']) assert.equal(parseRate(text), undefined)
  })
})

describe('a lifecycle', () => {
  test('stops in reverse order, and stops running parts when a start fails', async () => {
    const log: string[] = []
    const part = (name: string, fails = false) => ({
      name,
      start: () => {
        if (fails) throw new Error(name)
        log.push(`+${name}`)
      },
      stop: () => void log.push(`-${name}`),
    })
    const lifecycle = new Lifecycle()
    await lifecycle.start(part('a'))
    await lifecycle.start(part('b'))
    await assert.rejects(() => lifecycle.start(part('c', true)), /c/)
    assert.deepEqual(log, ['+a', '+b', '-b', '-a'])
  })

  test('stops all parts even if one fails', async () => {
    const log: string[] = []
    const lifecycle = new Lifecycle()
    await lifecycle.start({ name: 'a', stop: () => void log.push('a') })
    await lifecycle.start({ name: 'b', stop: () => Promise.reject(new Error('no')) })
    await assert.rejects(() => lifecycle.stop(), /b did not stop/)
    assert.deepEqual(log, ['a'])
  })
})

test('the nearest known word is suggested, a distant one is not', () => {
  const known = ['from', 'from_name', 'subject', 'attachments']
  assert.equal(nearest('fron', known), 'from')
  assert.equal(nearest('Subjcet', known), 'subject')
  assert.equal(nearest('attachment', known), 'attachments')
  assert.equal(nearest('zebra', known), undefined)
  assert.equal(nearest('x'.repeat(1_000_000), known), undefined)
})

test('a distribution is reported as a histogram; a metric that cannot be read hides no other', async () => {
  const seconds = new Distribution([0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value)
  const registry = createRegistry([
    { name: 'd', help: 'd', kind: 'histogram', labels: ['a', 'b'], read: () => [[['x', 'y'], seconds]] },
    { name: 'e', help: 'e', kind: 'gauge', read: () => Promise.reject(new Error('away')) },
    { name: 'f', help: 'f', kind: 'gauge', read: async () => 7 },
  ])
  const text = await registry.metrics()
  const lines = text.split('\n').filter((line) => /^d[_{]/.test(line))
  assert.deepEqual(lines, [
    'd_bucket{a="x",b="y",le="0.1"} 2',
    'd_bucket{a="x",b="y",le="1"} 3',
    'd_bucket{a="x",b="y",le="+Inf"} 4',
    'd_sum{a="x",b="y"} 3.65',
    'd_count{a="x",b="y"} 4',
  ])
  assert.match(text, /\nf 7\n/)
})

test('metrics are read at collection', async () => {
  let count = 1
  const registry = createRegistry([
    { name: 'a_total', help: 'a', kind: 'counter', labels: ['kind'], read: () => [['x', count]] },
    { name: 'b', help: 'b', kind: 'gauge', read: () => count },
  ])
  count = 5
  assert.match(await registry.metrics(), /a_total\{kind="x"\} 5\n/)
  count = 6
  const text = await registry.metrics()
  assert.match(text, /a_total\{kind="x"\} 6\n/)
  assert.match(text, /\nb 6\n/)
})

test('collections at the same time count nothing twice', async () => {
  const answers: ((values: number) => void)[] = []
  const registry = createRegistry([
    {
      name: 'c_total',
      help: 'c',
      kind: 'counter',
      read: () => new Promise((resolve) => answers.push(resolve)),
    },
  ])
  const collected = [registry.metrics(), registry.metrics()]
  for (const answer of answers) answer(5)
  for (const text of await Promise.all(collected)) assert.match(text, /\nc_total 5\n/)
})
