// The DNS provider of a zone, identified by the name servers of the zone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsAnswer, Resolver } from '../dns/resolver.ts'
import { findDnsHosting } from './dns-provider.ts'

const resolverOf = (zones: Readonly<Record<string, readonly string[] | 'failure'>>): Resolver =>
  ({
    ns: async (name: string): Promise<DnsAnswer<readonly string[]>> => {
      const found = zones[name]
      if (found === 'failure') return { kind: 'failure', code: 'ETIMEOUT' }
      return found === undefined ? { kind: 'nodata' } : { kind: 'found', records: found }
    },
  }) as never

test('is identified by all of its name servers, in any case, with or without a trailing dot', async () => {
  for (const [servers, name] of [
    [['Ada.NS.cloudflare.com.', 'bob.ns.cloudflare.com'], 'Cloudflare'],
    [['ns-1.awsdns-00.co.uk', 'ns-2.awsdns-63.com'], 'Amazon Route 53'],
    [['ns1.first-ns.de', 'robotns2.second-ns.de'], 'Hetzner'],
    [['dns10.ovh.net', 'ns10.ovh.net'], 'OVHcloud'],
  ] as const) {
    const found = await findDnsHosting(resolverOf({ 'shop.example': servers }), 'shop.example')
    assert.equal(found?.provider?.name, name)
    assert.match(found?.provider?.url ?? '', /^https:\/\/[a-z0-9.]+\/[^{}]*$/)
  }
})

test('is that of the parent zone, whose name is inserted into the address', async () => {
  const zones = { 'shop.example': ['ns1.gandi.net', 'ns2.gandi.net'] }
  const found = await findDnsHosting(resolverOf(zones), 'news.mail.shop.example')
  assert.deepEqual(
    [found?.zone, found?.provider?.url],
    ['shop.example', 'https://admin.gandi.net/domain/shop.example/records'],
  )
})

test('is undefined for mixed or unknown name servers, and for a zone that does not answer', async () => {
  const mixed = await findDnsHosting(
    resolverOf({ 'shop.example': ['ns1.gandi.net', 'ada.ns.cloudflare.com'] }),
    'shop.example',
  )
  assert.deepEqual(
    [mixed?.provider, mixed?.nameServers],
    [undefined, ['ada.ns.cloudflare.com', 'ns1.gandi.net']],
  )
  const foreign = await findDnsHosting(
    resolverOf({ 'shop.example': ['evilns.cloudflare.com.evil.example'] }),
    'shop.example',
  )
  assert.equal(foreign?.provider, undefined)
  assert.equal(await findDnsHosting(resolverOf({ 'shop.example': 'failure' }), 'shop.example'), undefined)
  assert.equal(await findDnsHosting(resolverOf({}), 'shop.example'), undefined)
})
