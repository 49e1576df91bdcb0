// Tests the evaluation of SPF records with a scripted DNS.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERED, DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { createResolver } from './resolver.ts'
import { evaluateSpf } from './spf.ts'

const ZONE: DnsZone = {
  'mail.example': { A: ['192.0.2.7'], AAAA: ['2001:db8::7'] },
  'mx.example': { MX: ['10 mail.example'] },
  'part.example': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'none.example': { TXT: ['other'] },
  'slow.example': 'SERVFAIL',
  'loop.example': { TXT: ['v=spf1 include:loop.example -all'] },
}

const CASES: readonly (readonly [record: string, ip: string, result: string])[] = [
  ['v=spf1 ip4:192.0.2.7 -all', '192.0.2.7', 'pass'],
  ['v=spf1 ip4:192.0.2.0/29 -all', '192.0.2.7', 'pass'],
  ['v=spf1 ip4:192.0.2.8 -all', '192.0.2.7', 'fail'],
  ['v=spf1 ip6:2001:db8::/64 ~all', '2001:db8::7', 'pass'],
  ['v=spf1 ip4:192.0.2.7 -all', '2001:db8::7', 'fail'],
  ['V=SPF1 A:mail.example -all', '192.0.2.7', 'pass'],
  ['v=spf1 a:mail.example/24 -all', '192.0.2.200', 'pass'],
  ['v=spf1 mx:mx.example -all', '2001:db8::7', 'pass'],
  ['v=spf1 include:part.example -all', '198.51.100.3', 'pass'],
  ['v=spf1 include:part.example -all', '192.0.2.7', 'fail'],
  ['v=spf1 redirect=part.example', '198.51.100.3', 'pass'],
  ['v=spf1 -ip4:192.0.2.7 +all', '192.0.2.7', 'fail'],
  ['v=spf1 ?all', '192.0.2.7', 'fail'],
  ['v=spf1 all', '192.0.2.7', 'pass'],
  ['v=spf1', '192.0.2.7', 'fail'],
  ['v=spf1 include:none.example -all', '192.0.2.7', 'fail'],
  ['v=spf1 include:slow.example -all', '192.0.2.7', 'not_known'],
  ['v=spf1 include:loop.example -all', '192.0.2.7', 'not_known'],
  ['v=spf1 exists:%{i}.example -all', '192.0.2.7', 'not_known'],
  ['v=spf1 ip4:nonsense ip4:300.1.1.1/99 -all', '192.0.2.7', 'fail'],
]

test('addresses pass as the record permits, and open lookups are not known', async () => {
  const dns = await DnsHost.start(ZONE)
  try {
    const resolver = createResolver({ servers: [dns.server], cache: false, ...ANSWERED })
    for (const [record, ip, result] of CASES) {
      dns.set('rp.example', { TXT: ['unrelated', record] })
      assert.equal(await evaluateSpf(resolver, ip, 'rp.example'), result, `${record} ${ip}`)
    }
    dns.set('rp.example', { TXT: ['v=spf1 all', 'v=spf1 -all'] })
    assert.equal(await evaluateSpf(resolver, '192.0.2.7', 'rp.example'), 'fail')
    assert.equal(await evaluateSpf(resolver, '192.0.2.7', 'slow.example'), 'not_known')
    assert.equal(await evaluateSpf(resolver, '192.0.2.7', 'absent.example'), 'fail')
  } finally {
    await dns.stop()
  }
})
