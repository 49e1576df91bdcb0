// The cache of DNS answers: bounded by the size of the answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { CACHE_BYTES } from '../lib/caches.ts'
import { AnswerCache } from './answer-cache.ts'
import type { DnsAnswer, MxRecord } from './resolver.ts'

const longName = (one: number): string => `${one}.`.padEnd(253, 'x')

test('the longest possible answers fill the cache to its bound and no further', async () => {
  const cache = new AnswerCache<DnsAnswer<readonly MxRecord[]>>(new TestClock(), 'dns_answers')
  let asked = 0
  const ask = (one: number) =>
    cache.get(`MX ${longName(one)}`, async () => {
      asked++
      const records = Array.from({ length: 10 }, (_, mx) => ({ preference: mx, exchange: longName(mx) }))
      return { answer: { kind: 'found', records }, forMs: 1_000 }
    })
  for (let one = 0; one < 10_000; one++) {
    await ask(one)
    // An entry in constant use stays in the cache.
    if (one % 100 === 0) await ask(0)
  }
  assert.equal(asked, 10_000)
  assert.ok(cache.bytes <= CACHE_BYTES.dns_answers && cache.bytes > 0.9 * CACHE_BYTES.dns_answers)
  await ask(9_999)
  assert.equal(asked, 10_000)
  await ask(1)
  assert.equal(asked, 10_001)
})

test('an expired answer is asked for again, and equal questions share one answer', async () => {
  const clock = new TestClock()
  const cache = new AnswerCache<number>(clock, 'dns_answers')
  let asked = 0
  const ask = () => cache.get('q', async () => ({ answer: ++asked, forMs: 1_000 }))
  assert.deepEqual(await Promise.all([ask(), ask()]), [1, 1])
  clock.advance(999)
  assert.equal(await ask(), 1)
  clock.advance(1)
  assert.equal(cache.peek('q'), undefined)
  assert.equal(await ask(), 2)
})

test('a clock that is set back keeps no answer longer, and a question that fails is asked again', async () => {
  const clock = new TestClock()
  const cache = new AnswerCache<string>(clock, 'dns_answers')
  await cache.get('q', async () => ({ answer: 'old', forMs: 1_000 }))
  clock.jump(-1_000_000_000)
  clock.advance(1_000)
  assert.equal(await cache.get('q', async () => ({ answer: 'new', forMs: 1_000 })), 'new')
  await assert.rejects(cache.get('r', () => Promise.reject(new Error('once'))))
  assert.equal(await cache.get('r', async () => ({ answer: 'then', forMs: 1 })), 'then')
})
