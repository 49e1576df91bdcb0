import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSpecialUse, parseNetworks } from './special-use.ts'

const special = `
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254
172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.255 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:a00:1 ::ffff:169.254.169.254
::FFFF:192.168.1.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe
64:ff9b:1::1 64:ff9b:1::8.8.8.8 100::1 100:0:0:1::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1
2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1 2002:7f00:1:: 2002:a00:1::1 2002:808:808::1 2620:4f:8000::1 3fff::1
3fff:fff::1 4000::1 5f00::1 fc00::1 fd00::1 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1
`
const usual = `
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255
169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.1 192.0.3.1 192.167.255.255 192.169.0.0
198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::8.8.8.8 64:ff9b::808:808 2001:200::1 2001:4860:4860::8888 2001:db7::1
2001:db9::1 2003::1 2606:4700::1111 2a00:1450:4001::1b 3ffe::1
`
const none = [
  '',
  'localhost',
  '127.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '1.2.3.4.5',
  ':::',
  '[::1]',
  '8.8.8.8:25',
  '8.8.8.8/32',
]

describe('special', () => {
  for (const ip of words(special)) test(ip, () => assert.equal(isSpecialUse(ip), true))
})

describe('not special', () => {
  for (const ip of words(usual)) test(ip, () => assert.equal(isSpecialUse(ip), false))
})

describe('a text that is no address counts as special', () => {
  for (const ip of none) test(JSON.stringify(ip), () => assert.equal(isSpecialUse(ip), true))
})

describe('networks that are allowed', () => {
  const allowed = parseNetworks('127.0.0.0/8, 10.1.2.3 ::1,fd00::/8')
  for (const ip of ['127.0.0.1', '127.9.9.9', '10.1.2.3', '::1', 'fd12::1', '::ffff:127.0.0.1', '8.8.8.8']) {
    test(`let ${ip} pass`, () => assert.equal(isSpecialUse(ip, allowed), false))
  }
  for (const ip of [
    '10.1.2.4',
    '192.168.0.1',
    '::2',
    'fc00::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'localhost',
  ]) {
    test(`do not let ${ip} pass`, () => assert.equal(isSpecialUse(ip, allowed), true))
  }

  test('do not exist in an empty list', () => {
    assert.equal(parseNetworks('').includes('127.0.0.1'), false)
    assert.equal(isSpecialUse('127.0.0.1', parseNetworks(' , ')), true)
  })

  test('may be everything', () => {
    const everything = parseNetworks('0.0.0.0/0 ::/0')
    for (const ip of words(special)) {
      if (!ip.includes('%')) assert.equal(isSpecialUse(ip, everything), false, ip)
    }
  })

  for (const item of [
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '1.1.1.1/x',
    'fe80::1%eth0',
  ]) {
    test(`cannot be read from "${item}"`, () => {
      assert.throws(
        () => parseNetworks(`127.0.0.0/8, ${item}`),
        (error: Error) => error.message.includes(`"${item}"`),
      )
    })
  }
})

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
