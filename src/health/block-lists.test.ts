// Tests the block list checks with a scripted DNS.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERED, DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { createResolver } from '../dns/resolver.ts'
import { checkBlockLists } from './block-lists.ts'
import type { Check } from './check.ts'

async function look(addresses: readonly string[], zone: DnsZone): Promise<Check[]> {
  const dns = await DnsHost.start(zone)
  try {
    const resolver = createResolver({ servers: [dns.server], cache: false, ...ANSWERED })
    return await checkBlockLists(resolver, addresses)
  } finally {
    await dns.stop()
  }
}

test('an unlisted address is ok, a listed one fails with the removal page', async () => {
  const [clean] = await look(['9.9.9.8'], {})
  assert.equal(clean?.status, 'ok')
  const [listed] = await look(['9.9.9.8'], { '8.9.9.9.zen.spamhaus.org': { A: ['127.0.0.4'] } })
  assert.deepEqual([listed?.status, listed?.detail], ['fail', 'is on zen.spamhaus.org'])
  assert.match(listed?.remedy ?? '', /check\.spamhaus\.org/)
})

test('a list that refuses the resolver, or does not answer, is ignored', async () => {
  const [one] = await look(['9.9.9.8'], { '8.9.9.9.zen.spamhaus.org': { A: ['127.255.255.254'] } })
  assert.equal(one?.status, 'ok')
  assert.match(one?.detail ?? '', /zen\.spamhaus\.org did not answer/)
  const [none] = await look(['9.9.9.8'], {
    '8.9.9.9.zen.spamhaus.org': { A: ['127.255.255.254'] },
    '8.9.9.9.bl.spamcop.net': 'SERVFAIL',
    '8.9.9.9.b.barracudacentral.org': 'REFUSED',
  })
  assert.equal(none?.status, 'warn')
})

test('internal addresses are not looked up', async () => {
  for (const addresses of [[], ['127.0.0.1', '10.0.0.1', '2001:db8::1']]) {
    const [only, more] = await look(addresses, {})
    assert.deepEqual([only?.status, more], ['skipped', undefined])
  }
})
