// The authoritative resolver: answers of the name servers of the zone take precedence over a cache.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ANSWERED, DnsHost } from '../../test/support/dns-host.ts'
import { authoritativeResolver } from './authoritative-resolver.ts'
import { createResolver } from './resolver.ts'
import { parseNetworks } from './special-use.ts'

describe('the authoritative resolver', () => {
  /** The name servers of the test: a cache, and the server of the zone. */
  let cache: DnsHost
  let zone: DnsHost
  before(async () => {
    zone = await DnsHost.start()
    cache = await DnsHost.start({
      'shop.example': { NS: ['ns.host.example'] },
      'ns.host.example': { A: ['127.0.0.1'] },
    })
  })
  after(async () => {
    await cache.stop()
    await zone.stop()
  })

  const resolver = (allowed = '127.0.0.0/8') =>
    authoritativeResolver({
      resolver: createResolver({ servers: [cache.server], cache: false, ...ANSWERED }),
      allowed: parseNetworks(allowed),
      port: zone.port,
    })

  test('sees a record published a moment ago, and the removal of one', async () => {
    cache.set('new.shop.example', 'NXDOMAIN')
    zone.set('new.shop.example', { TXT: ['here'] })
    assert.deepEqual(await resolver().txt('new.shop.example'), { kind: 'found', records: ['here'] })
    cache.set('gone.shop.example', { TXT: ['still remembered'], CNAME: 'x.example' })
    zone.set('gone.shop.example', {})
    assert.deepEqual(await resolver().txt('gone.shop.example'), { kind: 'nodata' })
    assert.deepEqual(await resolver().cname('gone.shop.example'), { kind: 'nodata' })
  })

  test('follows an alias out of the zone through the cache', async () => {
    zone.set('key.shop.example', { CNAME: 'key.provider.example' })
    cache.set('key.shop.example', { CNAME: 'key.provider.example' })
    cache.set('key.provider.example', { TXT: ['theirs'] })
    assert.deepEqual(await resolver().txt('key.shop.example'), { kind: 'found', records: ['theirs'] })
    assert.deepEqual(await resolver().cname('key.shop.example'), {
      kind: 'found',
      records: ['key.provider.example'],
    })
  })

  test('falls back to the cache if the name servers do not answer or cannot be found', async () => {
    cache.set('silent.shop.example', { TXT: ['cached'] })
    zone.set('silent.shop.example', 'REFUSED')
    assert.deepEqual(await resolver().txt('silent.shop.example'), { kind: 'found', records: ['cached'] })
    cache.set('a.other.example', { TXT: ['cached'] })
    assert.deepEqual(await resolver().txt('a.other.example'), { kind: 'found', records: ['cached'] })
    cache.set('a.broken.example', { TXT: ['cached'] })
    cache.set('broken.example', { NS: ['nowhere.example'] })
    assert.deepEqual(await resolver().txt('a.broken.example'), { kind: 'found', records: ['cached'] })
  })

  test('asks no name server inside the own network', async () => {
    cache.set('inside.shop.example', { TXT: ['cached'] })
    zone.set('inside.shop.example', { TXT: ['asked'] })
    const before = zone.queries.length
    assert.deepEqual(await resolver('').txt('inside.shop.example'), { kind: 'found', records: ['cached'] })
    assert.equal(zone.queries.length, before)
  })

  test('remembers the servers of a zone for one lookup', async () => {
    const one = resolver()
    const before = cache.count('shop.example', 'NS')
    for (const name of ['a.shop.example', 'b.shop.example', 'c.d.shop.example']) await one.txt(name)
    assert.equal(cache.count('shop.example', 'NS') - before, 1)
  })

  test('asks silent name servers nothing more after its time', async () => {
    const labels = Array.from({ length: 15 }, (_, n) => `l${n}`).join('.')
    cache.set('*.silent.example', 'TIMEOUT')
    const one = authoritativeResolver({
      resolver: createResolver({ servers: [cache.server], cache: false, timeoutMs: 100, tries: 1 }),
      ...{ allowed: parseNetworks(''), lookupMs: 250 },
    })
    const names = ['a', 'b', 'c'].map((label) => `${label}.${labels}.silent.example`)
    const late = { kind: 'failure', code: 'ETIMEOUT' }
    assert.deepEqual(await Promise.all(names.map((name) => one.txt(name))), [late, late, late])
    const asked = cache.queries.filter((query) => query.includes('silent.example'))
    // Each name needs at most three questions, because the names share the questions about their parent zones.
    assert.ok(asked.length <= 9, asked.join())
    assert.deepEqual(await one.txt('shop.example'), late)
    assert.equal(cache.queries.filter((query) => query.includes('silent.example')).length, asked.length)
  })

  test('does not search the zone of a name with very many labels', async () => {
    const name = `${'a.'.repeat(60)}shop.example`
    cache.set(name, { TXT: ['cached'] })
    const before = cache.queries.length
    assert.deepEqual(await resolver().txt(name), { kind: 'found', records: ['cached'] })
    assert.equal(cache.queries.length, before + 1)
  })
})
