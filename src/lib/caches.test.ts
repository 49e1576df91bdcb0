// Tests that no cache exceeds its maximum size, as counted by the cache and as measured in the memory of the process.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { thorough } from '../../test/support/thorough.ts'
import { bytesOf, CACHE_BYTES, type CacheName, cacheOf, WeighedCache } from './caches.ts'
import { RateLimiter } from './rate-limiter.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns the heap size after a collection, in bytes. */
function heap(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Memory that V8 may allocate during the test, such as cached number strings and compiled code. */
const ENGINE_BYTES = 2_000_000

const names = Object.keys(CACHE_BYTES) as CacheName[]

describe('caches', () => {
  /** Fills a cache beyond its maximum size, with texts that share no memory and take two bytes per character. */
  function fill(cache: WeighedCache<string>, bound: number, keyLength: number, valueLength: number): void {
    const most = (bound * 1.3) / (2 * (keyLength + valueLength) + 150)
    const text = (one: number, length: number) =>
      Buffer.from(`${one}\u0101`.padEnd(length, '\u0101')).toString()
    for (let one = 0; one < most; one++) cache.set(text(one, keyLength), text(one, valueLength))
  }

  for (const name of names) {
    const bound = CACHE_BYTES[name]
    test(`${name} holds ${bound} bytes at most`, () => {
      const cache = cacheOf<string>(name)
      fill(cache, bound, 300, 3_000)
      assert.ok(cache.bytes <= bound && cache.bytes >= 0.9 * bound, String(cache.bytes))
      // An entry larger than the whole cache is not stored.
      cache.set('x'.repeat(bound), '')
      assert.ok(cache.bytes <= bound)
    })
  }

  for (const [what, keyLength, valueLength] of [
    ['many small entries', 12, 0],
    ['the longest keys', 4_000, 0],
    ['large values', 40, 20_000],
  ] as const) {
    test(`the memory of the process agrees: ${what}`, () => {
      const bound = CACHE_BYTES.dns_answers
      const before = heap()
      const cache = cacheOf<string>('dns_answers')
      fill(cache, bound, keyLength, valueLength)
      const used = heap() - before
      assert.ok(used <= bound * 1.15 + ENGINE_BYTES, `${used} of ${bound}`)
      assert.ok(cache.size > 0)
    })
  }

  test('all caches together fit into a small machine', () => {
    const all = names.reduce((sum, name) => sum + CACHE_BYTES[name], 0)
    assert.ok(all <= 320 * 1024 * 1024, String(all))
  })

  test('the least recently used entry makes room, and an oversized one is not stored', () => {
    const cache = new WeighedCache<number>(3 * 160)
    for (const key of ['a', 'b', 'c']) cache.set(key, 1, 8)
    assert.equal(cache.bytes, 3 * 160)
    cache.get('a')
    cache.set('d', 1, 8)
    assert.deepEqual([...cache.entries()].map(([key]) => key).sort(), ['a', 'c', 'd'])
    cache.set('a', 2, 400)
    assert.equal(cache.get('a'), undefined)
    cache.clear()
    assert.equal(cache.bytes, 0)
  })

  test('the reckoned size of data is at least its content', () => {
    assert.ok(bytesOf('x'.repeat(1_000)) >= 2_000)
    assert.ok(bytesOf([{ exchange: 'x'.repeat(253), preference: 10 }]) >= 506)
    assert.ok(bytesOf(Array(1_000).fill(1)) >= 8_000)
  })

  test(
    'the buckets of a million networks stay within the bound',
    thorough('1.1 CPU s: a million networks'),
    () => {
      const limiter = new RateLimiter()
      const before = heap()
      for (let one = 0; one < 300_000; one++)
        limiter.take(`2001:db8:${one}::/64`, { count: 1, perMs: 60_000 }, 0)
      const used = heap() - before
      assert.ok(used <= CACHE_BYTES.rate_limits * 1.15 + ENGINE_BYTES, String(used))
      // A bucket that is in use is not evicted.
      limiter.take('mine', { count: 1, perMs: 60_000 }, 0)
      for (let one = 0; one < 300_000; one++) {
        limiter.take(`2001:db8:1:${one}::/64`, { count: 1, perMs: 60_000 }, 0)
        if (one % 1_000 === 0) assert.ok(!limiter.take('mine', { count: 1, perMs: 60_000 }, 0).allowed)
      }
    },
  )
})
