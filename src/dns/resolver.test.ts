import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { ANSWERED, DnsHost, UNANSWERED } from '../../test/support/dns-host.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createResolver, type Resolver } from './resolver.ts'

describe('a resolver', () => {
  let dns: DnsHost
  let resolver: Resolver

  before(async () => {
    dns = await DnsHost.start({
      'example.com': {
        MX: [
          '20 MX2.Example.com',
          '10 mx1.example.com',
          '30 10.0.0.1',
          '40 bad name.example.com',
          '50 a/b.example.com',
        ],
        A: ['192.0.2.1', '192.0.2.2'],
        AAAA: ['2001:db8::1'],
        TXT: ['v=spf1 -all', ['one', 'two']],
      },
      'alias.example.com': { CNAME: 'Example.COM' },
      'null.example.com': { MX: ['0 .'] },
      'bare.example.com': { CNAME: 'null.example.com' },
      'dangling.example.com': { CNAME: 'nowhere.example.com' },
      'spoilt.example.com': { MX: ['10 bad name.example.com'] },
      '1.2.0.192.in-addr.arpa': { PTR: ['Host.Example.com'] },
      '2.2.0.192.in-addr.arpa': { CNAME: '2.0/25.2.0.192.in-addr.arpa' },
      '2.0/25.2.0.192.in-addr.arpa': { PTR: ['delegated.example.com'] },
      [`${'1.2.3.4.5.6.7.8.'}${'0.'.repeat(16)}8.b.d.0.1.0.0.2.ip6.arpa`]: { PTR: ['six.example.com'] },
      [`${'1.0.2.0.0.0.0.c.f.f.f.f.'}${'0.'.repeat(20)}ip6.arpa`]: { PTR: ['mapped.example.com'] },
      'servfail.example.com': 'SERVFAIL',
      'refused.example.com': 'REFUSED',
      'timeout.example.com': 'TIMEOUT',
      'garbage.example.com': 'GARBAGE',
      'many.example.com': {
        MX: Array.from({ length: 200 }, (_, i) => `${200 - i} mx${200 - i}.example.com`),
      },
    })
    resolver = createResolver({ servers: [dns.server], ...ANSWERED, cache: false })
  })
  after(() => dns.stop())

  test('gives MX records by preference, in lower case, valid names only', async () => {
    assert.deepEqual(await resolver.mx('EXAMPLE.com.'), {
      kind: 'found',
      records: [
        { preference: 10, exchange: 'mx1.example.com' },
        { preference: 20, exchange: 'mx2.example.com' },
        { preference: 30, exchange: '10.0.0.1' },
      ],
    })
  })

  test('gives the 10 best of 200, over TCP', async () => {
    const answer = await resolver.mx('many.example.com')
    assert.ok(answer.kind === 'found')
    assert.equal(answer.records.length, 10)
    assert.deepEqual(answer.records[9], { preference: 10, exchange: 'mx10.example.com' })
    assert.equal(dns.count('many.example.com'), 2)
  })

  test('gives addresses, texts, aliases and names of addresses', async () => {
    const found = (records: readonly string[]) => ({ kind: 'found', records })
    assert.deepEqual(await resolver.a('example.com'), found(['192.0.2.1', '192.0.2.2']))
    assert.deepEqual(await resolver.aaaa('example.com'), found(['2001:db8::1']))
    assert.deepEqual(await resolver.txt('example.com'), found(['v=spf1 -all', 'onetwo']))
    assert.deepEqual(await resolver.cname('alias.example.com'), found(['example.com']))
    assert.deepEqual(await resolver.a('alias.example.com'), found(['192.0.2.1', '192.0.2.2']))
    assert.deepEqual(await resolver.ptr('192.0.2.1'), found(['host.example.com']))
  })

  test('asks the DNS alone for the names of an address', async () => {
    const found = (name: string) => ({ kind: 'found', records: [name] })
    // Nearly every machine has this address in /etc/hosts.
    assert.deepEqual(await resolver.ptr('127.0.0.1'), { kind: 'nxdomain' })
    // The name is an alias, for a network smaller than 256 addresses (RFC 2317).
    assert.deepEqual(await resolver.ptr('192.0.2.2'), found('delegated.example.com'))
    assert.deepEqual(await resolver.ptr('2001:DB8::8765:4321'), found('six.example.com'))
    assert.deepEqual(await resolver.ptr('::ffff:192.0.2.1'), found('mapped.example.com'))
    assert.deepEqual(await resolver.ptr('::'), { kind: 'nxdomain' })
    assert.deepEqual(await resolver.ptr('fe80::1%eth0'), { kind: 'failure', code: 'EBADNAME' })
  })

  test('recognises a null MX', async () => {
    assert.deepEqual(await resolver.mx('null.example.com'), {
      kind: 'found',
      records: [{ preference: 0, exchange: '' }],
    })
  })

  test('distinguishes no records, no such name, and a failure', async () => {
    assert.deepEqual(await resolver.mx('alias.example.com').then((answer) => answer.kind), 'found')
    assert.deepEqual(await resolver.txt('null.example.com'), { kind: 'nodata' })
    assert.deepEqual(await resolver.mx('nowhere.test'), { kind: 'nxdomain' })
    assert.deepEqual(await resolver.mx('servfail.example.com'), { kind: 'failure', code: 'ESERVFAIL' })
    assert.deepEqual(await resolver.mx('refused.example.com'), { kind: 'failure', code: 'EREFUSED' })
    const hurried = createResolver({ servers: [dns.server], ...UNANSWERED, cache: false })
    assert.deepEqual(await hurried.mx('timeout.example.com'), { kind: 'failure', code: 'ETIMEOUT' })
    assert.equal((await hurried.mx('garbage.example.com')).kind, 'failure')
    assert.equal((await createResolver({ servers: ['127.0.0.1:1'], tries: 1 }).mx('a.test')).kind, 'failure')
  })

  test('reports an alias without such records as no data, unlike records that are all unusable', async () => {
    for (const name of ['dangling.example.com', 'bare.example.com']) {
      for (const type of ['a', 'aaaa', 'txt', 'ns'] as const)
        assert.deepEqual(await resolver[type](name), { kind: 'nodata' }, `${type} ${name}`)
    }
    assert.deepEqual(await resolver.mx('dangling.example.com'), { kind: 'nodata' })
    assert.deepEqual(await resolver.mx('spoilt.example.com'), { kind: 'found', records: [] })
  })

  test('does not ask for names that cannot exist', async () => {
    const asked = dns.queries.length
    const names = [
      '',
      '.',
      'a..b',
      'a b.test',
      '-a.test',
      '10.0.0.1',
      '::1',
      '127.1',
      '0x7f.1',
      `${'a'.repeat(64)}.test`,
    ]
    for (const name of [...names, `${'abc.'.repeat(80)}test`, 'é.test', 'a\r\nb.test', 'a/b.test']) {
      assert.deepEqual(await resolver.a(name), { kind: 'failure', code: 'EBADNAME' }, name)
    }
    assert.deepEqual(await resolver.ptr('example.com'), { kind: 'failure', code: 'EBADNAME' })
    assert.equal(dns.queries.length, asked)
  })

  test('without a cache asks every time', async () => {
    const before = dns.count('example.com', 'TXT')
    await resolver.txt('example.com')
    await resolver.txt('example.com')
    assert.equal(dns.count('example.com', 'TXT'), before + 2)
  })

  test('refuses server names that are no addresses', () => {
    assert.throws(() => createResolver({ servers: ['dns.example.com'] }))
  })
})

describe('the cache', () => {
  const hosts: DnsHost[] = []
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())))

  async function start() {
    const dns = await DnsHost.start({
      'example.com': { A: ['192.0.2.1'], MX: ['10 mx.example.com'], ttl: 30 },
      'long.example.com': { A: ['192.0.2.1'], ttl: 1_000_000 },
      'none.example.com': {},
      'alias.example.com': { CNAME: 'none.example.com' },
      'servfail.example.com': 'SERVFAIL',
    })
    hosts.push(dns)
    const clock = new TestClock()
    return {
      dns,
      clock,
      resolver: createResolver({ servers: [dns.server], ...ANSWERED, clock }),
    }
  }

  const cases: ['a' | 'mx', string, number][] = [
    ['a', 'example.com', 30],
    ['mx', 'example.com', 300],
    ['a', 'long.example.com', 3600],
    ['a', 'none.example.com', 60],
    ['a', 'alias.example.com', 60],
    ['mx', 'alias.example.com', 60],
    ['mx', 'nowhere.test', 60],
    ['a', 'servfail.example.com', 5],
  ]
  for (const [type, name, seconds] of cases) {
    test(`keeps the answer to ${type.toUpperCase()} ${name} for ${seconds} s`, async () => {
      const { dns, clock, resolver } = await start()
      const first = await resolver[type](name)
      const once = dns.count(name)
      clock.advance(seconds * 1000 - 1)
      assert.deepEqual(await resolver[type](name.toUpperCase()), first)
      assert.equal(dns.count(name), once)
      clock.advance(1)
      assert.deepEqual(await resolver[type](name), first)
      assert.equal(dns.count(name), once * 2)
    })
  }

  test('lets equal questions share one query', async () => {
    const { dns, resolver } = await start()
    const answers = await Promise.all(Array.from({ length: 50 }, () => resolver.mx('example.com')))
    assert.equal(dns.count('example.com'), 1)
    assert.ok(answers.every((answer) => answer.kind === 'found'))
  })
})
