// What the DNS says of a domain, with a scripted DNS host: what may be asked, and how often the DNS is.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DnsHost } from '../../test/support/dns-host.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { type DnsOptions, LookedUpDomain, type Target } from './domain.ts'
import type { DomainFinding } from './verdict.ts'

const PUBLIC = '8.8.4.4'
const many = Array.from({ length: 200 }, (_, index) => `mx${index}.many.test`)

describe('looking a domain up', () => {
  let dns: DnsHost
  let options: DnsOptions
  before(async () => {
    dns = await DnsHost.start({
      'usual.test': { MX: ['20 b.test', '10 a.test'] },
      'a.test': { A: [PUBLIC, '8.8.4.5', '8.8.4.6'], AAAA: ['2a00::1'] },
      'b.test': { A: ['8.8.4.7'] },
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
      resolver: createResolver({ servers: [dns.server], timeoutMs: 100, tries: 2 }),
      allowed: parseNetworks(''),
    }
  })
  after(() => dns.stop())

  const rows: [string, DomainFinding, Target[]][] = [
    [
      'usual.test',
      'hosts',
      [
        { hostName: 'a.test', address: PUBLIC },
        { hostName: 'a.test', address: '8.8.4.5' },
        { hostName: 'b.test', address: '8.8.4.7' },
      ],
    ],
    ['six.test', 'hosts', [{ hostName: 'six-only.test', address: '2a00::1' }]],
    ['implicit.test', 'hosts', [{ hostName: 'implicit.test', address: PUBLIC }]],
    [
      'half.test',
      'hosts',
      [
        { hostName: 'a.test', address: PUBLIC },
        { hostName: 'a.test', address: '8.8.4.5' },
      ],
    ],
    ['mixed.test', 'hosts', [{ hostName: 'mixed-host.test', address: PUBLIC }]],
    ['null.test', 'null_mx', []],
    ['empty.test', 'no_mail_server', []],
    ['nowhere.test', 'domain_not_found', []],
    ['servfail.test', 'dns_error', []],
    ['silent.test', 'dns_error', []],
    ['garbage.test', 'dns_error', []],
    ['dead-hosts.test', 'no_mail_server', []],
    ['failing-hosts.test', 'dns_error', []],
    ['inside.test', 'no_mail_server', []],
    ['inside6.test', 'no_mail_server', []],
    ['localhost.test', 'no_mail_server', []],
    ['loop.test', 'no_mail_server', []],
  ]
  for (const [name, finding, targets] of rows) {
    test(`${name}: ${finding}, ${targets.length} targets`, async () => {
      const domain = await LookedUpDomain.lookUp(name, options)
      const found: Target[] = []
      for (let index = 0; ; index++) {
        const target = await domain.target(index)
        if (target === undefined) break
        found.push(target)
      }
      assert.deepEqual([domain.finding, found], [finding, targets])
    })
  }

  test('two hundred hosts that never answer cost ten queries at most', async () => {
    const asked = dns.queries.length
    const domain = await LookedUpDomain.lookUp('many.test', options)
    for (let index = 0; index < 50; index++) assert.equal(await domain.target(index), undefined)
    assert.equal(domain.finding, 'dns_error')
    assert.ok(dns.queries.length - asked <= 10, String(dns.queries.length - asked))
  })

  test('addresses are asked for when they are needed', async () => {
    const domain = await LookedUpDomain.lookUp('usual.test', {
      ...options,
      resolver: createResolver({ servers: [dns.server], cache: false }),
    })
    const asked = dns.queries.length
    await domain.target(0)
    await domain.target(1)
    assert.deepEqual(dns.queries.slice(asked), ['A a.test'])
  })

  test('networks that are allowed may be asked', async () => {
    const allowed = parseNetworks('127.0.0.0/8')
    const domain = await LookedUpDomain.lookUp('inside.test', { ...options, allowed })
    assert.deepEqual(await domain.target(0), { hostName: 'inside-host.test', address: '127.0.0.1' })
    assert.equal(await domain.target(1), undefined)
  })
})
