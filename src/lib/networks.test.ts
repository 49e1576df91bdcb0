// Tests of networks in CIDR notation: which texts are networks, which addresses and networks they contain.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Networks, networkCovers, networkProblem } from './networks.ts'

describe('a network in CIDR notation', () => {
  test('is accepted with its first address', () => {
    for (const text of [
      ...['192.0.2.0/24', '10.0.0.0/8', '192.0.2.1/32', '0.0.0.0/0', '::/0', '2001:db8::/32'],
      ...['2001:DB8:0:1::/64', '::1/128', '64:ff9b::192.0.2.0/120', 'fe80::/10'],
    ]) {
      assert.equal(networkProblem(text), undefined, text)
    }
  })

  test('is refused with the remedy', () => {
    for (const text of [
      ...['', 'office', '192.0.2.1', '192.0.2.0/33', '192.0.2.0/-1', '192.0.2.0/', '192.0.2/24', '/24'],
      ...['300.0.2.0/24', '2001:db8::/129', '2001:db8::g/32', 'fe80::%eth0/10', '192.0.2.0/24,10.0.0.0/8'],
      ...['192.0.2.0/024x', ' 192.0.2.0/24', '1:2:3:4:5:6:7:8:9/64'],
    ]) {
      assert.match(networkProblem(text) ?? '', /CIDR/, text)
    }
    assert.match(networkProblem('192.0.2.1/24') ?? '', /first address/)
    assert.match(networkProblem('2001:db8::1/64') ?? '', /first address/)
    assert.match(networkProblem('::ffff:192.0.2.0/120') ?? '', /IPv4 form/)
  })

  test('contains addresses, those of IPv4 in IPv6 form as well', () => {
    const networks = new Networks(['192.0.2.0/24', '2001:db8::/32'])
    for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1::1', '2001:db8::1%eth0']) {
      assert.ok(networks.includes(address), address)
    }
    for (const address of ['192.0.3.7', '::ffff:192.0.3.7', '2001:db9::1', '::1', '', 'x']) {
      assert.ok(!networks.includes(address), address)
    }
  })

  test('covers narrower networks of its own version', () => {
    for (const [outer, inner, covers] of [
      ['192.0.2.0/24', '192.0.2.0/24', true],
      ['192.0.2.0/24', '192.0.2.128/25', true],
      ['192.0.2.128/25', '192.0.2.0/24', false],
      ['192.0.2.0/25', '192.0.2.128/25', false],
      ['0.0.0.0/0', '10.0.0.0/8', true],
      ['0.0.0.0/0', '::/0', false],
      ['::/0', '192.0.2.0/24', false],
      ['2001:db8::/32', '2001:db8:ffff::/48', true],
      ['2001:db8::/32', '2001:db9::/48', false],
      ['64:ff9b::/96', '64:ff9b::192.0.2.0/120', true],
    ] as const) {
      assert.equal(networkCovers(outer, inner), covers, `${outer} ${inner}`)
    }
  })
})
