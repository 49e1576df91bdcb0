// Tests of the network that identifies a client for rate limits, for all spellings of an address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork, clientPrefix } from './client-network.ts'

test('the network of an address', () => {
  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1:aaaa::1', '2001:db8:0:1::/64'],
    ['2001:0db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7:8::9', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ] as const) {
    assert.equal(clientNetwork(address), network)
  }
})

test('the prefix of an address', () => {
  for (const [address, prefix] of [
    ['192.0.2.1', '192.0.0.0/16'],
    ['::ffff:198.51.100.7', '198.51.0.0/16'],
    ['2001:db8:7:1:aaaa::1', '2001:db8:7::/48'],
  ] as const) {
    assert.equal(clientPrefix(address), prefix)
  }
})
