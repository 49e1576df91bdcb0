// Lookup of the mail hosts of a domain with a scripted DNS server: hosts that may be tried, and the number of DNS
// queries.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ANSWERED, DnsHost, UNANSWERED } from '../../test/support/dns-host.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import {
  type HostAddresses,
  type LookupOptions,
  lookUpDestination,
  type NoRouteCause,
  PROBE_BREADTH,
} from './destination.ts'

const PUBLIC = '8.8.4.4'
const many = Array.from({ length: 200 }, (_, index) => `mx${index}.many.test`)

describe('looking a domain up', () => {
  let dns: DnsHost
  let options: LookupOptions
  before(async () => {
    dns = await DnsHost.start({
      'usual.test': { MX: ['20 b.test', '10 a.test'] },
      'a.test': { A: [PUBLIC, '8.8.4.5', '8.8.4.6'], AAAA: ['2a00::1'] },
      'b.test': { A: ['8.8.4.7'] },
      'a2.test': { A: [PUBLIC, '8.8.4.5', '8.8.4.6'] },
      'three.test': { MX: ['10 a.test', '20 a2.test', '30 b.test'] },
      'us.test': { A: ['8.8.4.9'] },
      'us-too.test': { A: ['8.8.8.8'] },
      'us-by-name.test': { MX: ['10 us.test', '10 b.test', '20 a.test'] },
      'us-by-address.test': { MX: ['10 us-too.test', '20 a.test'] },
      'before-us.test': { MX: ['10 a.test', '20 us.test', '30 b.test'] },
      'before-our-address.test': { MX: ['10 a.test', '20 us-too.test', '30 b.test'] },
      'six.test': { MX: ['10 six-only.test'] },
      'six-only.test': { AAAA: ['2a00::1'] },
      'implicit.test': { A: [PUBLIC] },
      'null.test': { MX: ['0 .'] },
      'empty.test': { TXT: ['x'] },
      'servfail.test': 'SERVFAIL',
      'silent.test': 'TIMEOUT',
      'garbage.test': 'GARBAGE',
      'dead-hosts.test': { MX: ['10 nowhere.test', '20 empty.test'] },
      'failing-hosts.test': { MX: ['10 servfail.test', '20 empty.test'] },
      'half.test': { MX: ['10 servfail.test', '20 a.test'] },
      'inside.test': { MX: ['10 inside-host.test'] },
      'inside-host.test': { A: ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1'] },
      'inside6.test': { MX: ['10 inside6-host.test'] },
      'inside6-host.test': { AAAA: ['::1', 'fe80::1', 'fd00::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'] },
      'mixed.test': { MX: ['10 mixed-host.test'] },
      'mixed-host.test': { A: ['10.0.0.1', PUBLIC] },
      'localhost.test': { MX: ['10 localhost', '20 127.0.0.1'] },
      'many.test': { MX: many.map((name, index) => `${index} ${name}`) },
      '*.many.test': 'TIMEOUT',
      'loop.test': { CNAME: 'loop2.test' },
      'loop2.test': { CNAME: 'loop.test' },
    })
    options = {
      resolver: createResolver({ servers: [dns.server], ...ANSWERED }),
      allowed: parseNetworks(''),
      own: { names: new Set(['us.test']), addresses: new Set(['8.8.8.8']) },
      breadth: PROBE_BREADTH,
    }
  })
  after(() => dns.stop())

  /** Returns lookup options for names for which the DNS server sends no answer, or no usable answer. */
  const withoutAnswer = (): LookupOptions => ({
    ...options,
    resolver: createResolver({ servers: [dns.server], ...UNANSWERED }),
  })

  const rows: [string, NoRouteCause | 'hosts', HostAddresses[]][] = [
    [
      'usual.test',
      'hosts',
      [
        { hostName: 'a.test', addresses: [PUBLIC, '8.8.4.5'] },
        { hostName: 'b.test', addresses: ['8.8.4.7'] },
      ],
    ],
    ['six.test', 'hosts', [{ hostName: 'six-only.test', addresses: ['2a00::1'] }]],
    ['implicit.test', 'hosts', [{ hostName: 'implicit.test', addresses: [PUBLIC] }]],
    ['half.test', 'hosts', [{ hostName: 'a.test', addresses: [PUBLIC, '8.8.4.5'] }]],
    ['mixed.test', 'hosts', [{ hostName: 'mixed-host.test', addresses: [PUBLIC] }]],
    [
      'three.test',
      'hosts',
      [
        { hostName: 'a.test', addresses: [PUBLIC, '8.8.4.5'] },
        { hostName: 'a2.test', addresses: [PUBLIC, '8.8.4.5'] },
      ],
    ],
    ['null.test', 'null_mx', []],
    ['empty.test', 'no_mail_host', []],
    ['nowhere.test', 'domain_not_found', []],
    ['servfail.test', 'dns_error', []],
    ['dead-hosts.test', 'no_address', []],
    ['failing-hosts.test', 'dns_error', []],
    ['inside.test', 'special_use', []],
    ['inside6.test', 'special_use', []],
    ['localhost.test', 'no_address', []],
    ['loop.test', 'no_mail_host', []],
    ['us-by-name.test', 'own_host', []],
    ['us-by-address.test', 'own_host', []],
    ['before-us.test', 'hosts', [{ hostName: 'a.test', addresses: [PUBLIC, '8.8.4.5'] }]],
    ['before-our-address.test', 'hosts', [{ hostName: 'a.test', addresses: [PUBLIC, '8.8.4.5'] }]],
  ]
  for (const [name, kind, hosts] of rows) {
    test(`${name}: ${kind}, ${hosts.length} hosts`, async () => {
      const found = await lookUpDestination(name, options)
      const tried = found.kind === 'hosts' ? await Array.fromAsync(found.hosts) : []
      assert.deepEqual([found.kind === 'hosts' ? 'hosts' : found.cause, tried], [kind, hosts])
    })
  }

  for (const name of ['silent.test', 'garbage.test']) {
    test(`${name}: dns_error`, async () => {
      const found = await lookUpDestination(name, withoutAnswer())
      assert.equal(found.kind === 'no_route' && found.cause, 'dns_error')
    })
  }

  test('two hundred hosts that never answer cost ten queries at most', async () => {
    const asked = dns.queries.length
    const found = await lookUpDestination('many.test', withoutAnswer())
    assert.equal(found.kind === 'no_route' && found.cause, 'dns_error')
    assert.ok(dns.queries.length - asked <= 10, String(dns.queries.length - asked))
  })

  test('addresses are looked up on demand, and only once', async () => {
    const resolver = createResolver({ servers: [dns.server], cache: false })
    const asked = dns.queries.length
    const found = await lookUpDestination('usual.test', { ...options, resolver })
    assert.ok(found.kind === 'hosts')
    for await (const { hostName } of found.hosts) {
      assert.equal(hostName, 'a.test')
      break
    }
    assert.deepEqual(dns.queries.slice(asked), ['MX usual.test', 'A a.test'])
    for (let i = 0; i < 2; i++) assert.equal((await Array.fromAsync(found.hosts)).length, 2)
    assert.deepEqual(dns.queries.slice(asked), ['MX usual.test', 'A a.test', 'A b.test'])
  })

  test('allowed networks may be dialled', async () => {
    const allowed = parseNetworks('127.0.0.0/8')
    const found = await lookUpDestination('inside.test', { ...options, allowed })
    assert.deepEqual(found.kind === 'hosts' && (await Array.fromAsync(found.hosts)), [
      { hostName: 'inside-host.test', addresses: ['127.0.0.1'] },
    ])
  })
})
