// Tests the lookups in block lists with a scripted DNS: names, meanings of answers, and lists that are not believed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERED, DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { type BlockList, BlockListQueries, mayList } from './block-list.ts'
import { createResolver } from './resolver.ts'
import { arpaName } from './reverse-name.ts'

const IP: BlockList = { lists: 'ip', zone: 'bl.example' }
const DOMAIN: BlockList = { lists: 'domain', zone: 'dbl.example' }
const ZEN: BlockList = { lists: 'ip', zone: 'zen.spamhaus.org' }
/** Test entries of the lists, as RFC 5782 §5 requires them. */
const WORKING: DnsZone = {
  '2.0.0.127.bl.example': { A: ['127.0.0.2'] },
  'test.dbl.example': { A: ['127.0.1.2'] },
}

/** Returns the result for a subject in a list: the fault of the list, or the state and the answer. */
async function ask(zone: DnsZone, list: BlockList, subject: string, key?: string) {
  const dns = await DnsHost.start(zone)
  try {
    const resolver = createResolver({ servers: [dns.server], cache: false, ...ANSWERED })
    const queries = new BlockListQueries(resolver, key)
    const {
      state,
      answer,
      isBroken = false,
    } = (await queries.fault(list)) ?? (await queries.look(list, subject))
    return { state, answer, isBroken, queries: dns.queries }
  } finally {
    await dns.stop()
  }
}

test('an address and a domain are listed by an answer in 127.0.0.0/8', async () => {
  const zone = {
    ...WORKING,
    '8.9.9.9.bl.example': { A: ['127.0.0.4', '127.0.0.10'] },
    'shop.example.dbl.example': { A: ['127.0.1.2'] },
  }
  const address = await ask(zone, IP, '9.9.9.8')
  assert.deepEqual([address.state, address.answer], ['listed', '127.0.0.4, 127.0.0.10'])
  assert.equal((await ask(zone, IP, '9.9.9.9')).state, 'not_listed')
  assert.equal((await ask(zone, DOMAIN, 'shop.example')).state, 'listed')
  // A list of registrable domains names no subdomain.
  assert.equal((await ask(zone, DOMAIN, 'mail.shop.example')).state, 'listed')
  assert.equal((await ask(zone, DOMAIN, 'other.example')).state, 'not_listed')
})

test('an IPv6 address is looked up by its nibbles, and needs a test entry of the list', async () => {
  const name = arpaName('2001:db8::7')?.replace('.ip6.arpa', '.bl.example') as string
  const tested = arpaName('::ffff:127.0.0.2')?.replace('.ip6.arpa', '.bl.example') as string
  const never = arpaName('::ffff:127.0.0.1')?.replace('.ip6.arpa', '.bl.example') as string
  assert.match(name, /^7\.0\.0\.0\..*\.8\.b\.d\.0\.1\.0\.0\.2\.bl\.example$/)
  const look = (zone: DnsZone) => ask({ ...WORKING, ...zone }, IP, '2001:db8::7')
  const A = { A: ['127.0.0.2'] }
  assert.equal((await look({ [name]: A })).state, 'listed')
  assert.equal((await look({ [tested]: A })).state, 'not_listed')
  assert.match((await look({})).answer ?? '', /no test entry for IPv6/)
  assert.equal((await look({ [name]: A, [never]: A })).state, 'not_known')
  assert.ok(mayList(ZEN, '2001:db8::7'))
  assert.ok(!mayList({ lists: 'ip', zone: 'bl.spamcop.net' }, '2001:db8::7'))
  assert.ok(!mayList(DOMAIN, '9.9.9.9') && !mayList(IP, 'shop.example'))
})

test('a list that lists everything, refuses, is silent, was sold or has no test entry is not believed', async () => {
  const cases: readonly (readonly [DnsZone, RegExp, boolean?])[] = [
    [{ '*.bl.example': { A: ['127.0.0.2'] } }, /lists everything/],
    [{ '*.bl.example': { A: ['127.255.255.254'] } }, /refuses the name servers/],
    [{ '*.bl.example': { A: ['127.0.0.1'] } }, /refuses the name servers/],
    [{ '*.bl.example': 'REFUSED' }, /did not answer \(EREFUSED\)/],
    [{ '*.bl.example': 'SERVFAIL' }, /did not answer/],
    [{ '*.bl.example': { A: ['93.184.215.14'] } }, /is no answer of a block list/, true],
    [{ ...WORKING, '1.0.0.127.bl.example': { A: ['10.0.0.1'] } }, /is no answer of a block list/, true],
    [{ '8.9.9.9.bl.example': { A: ['127.0.0.2'] } }, /does not list its test entry/],
    [{ ...WORKING, '8.9.9.9.bl.example': { A: ['127.255.255.255'] } }, /refuses the name servers/],
    [{ ...WORKING, '8.9.9.9.bl.example': { A: ['127.0.0.2', '8.8.8.8'] } }, /is no answer/, true],
  ]
  for (const [zone, reason, isBroken = false] of cases) {
    const found = await ask(zone, IP, '9.9.9.8')
    assert.deepEqual([found.state, found.isBroken], ['not_known', isBroken], String(reason))
    assert.match(found.answer ?? '', reason)
  }
  const everything = await ask({ '*.dbl.example': { A: ['127.0.1.2'] } }, DOMAIN, 'shop.example')
  assert.match(everything.answer ?? '', /lists everything/)
})

test('known lists tell the part of a listing, their own refusals and entries that are no alarm', async () => {
  const zen = (code: string) =>
    ask(
      { '2.0.0.127.zen.spamhaus.org': { A: ['127.0.0.2'] }, '8.9.9.9.zen.spamhaus.org': { A: [code] } },
      ZEN,
      '9.9.9.8',
    )
  assert.equal((await zen('127.0.0.3')).answer, '127.0.0.3 (CSS)')
  assert.equal((await zen('127.0.0.10')).answer, '127.0.0.10 (PBL)')
  const domain = (zone: string, test: string, code: string) =>
    ask(
      { [`${test}.${zone}`]: { A: ['127.0.0.14'] }, [`shop.example.${zone}`]: { A: [code] } },
      { lists: 'domain', zone },
      'shop.example',
    )
  const states = await Promise.all([
    domain('multi.uribl.com', 'test.uribl.com', '127.0.0.2'),
    domain('multi.uribl.com', 'test.uribl.com', '127.0.0.4'),
    domain('multi.uribl.com', 'test.uribl.com', '127.0.0.1'),
    domain('multi.surbl.org', 'test.surbl.org', '127.0.0.64'),
    domain('dbl.spamhaus.org', 'dbltest.com', '127.0.1.255'),
    domain('dbl.spamhaus.org', 'dbltest.com', '127.0.1.104'),
  ])
  assert.deepEqual(
    states.map(({ state }) => state),
    ['listed', 'not_listed', 'not_known', 'listed', 'not_known', 'listed'],
  )
})

test('a key selects the zones of the Data Query Service, and is in no answer', async () => {
  const key = 'abcdefghij0123456789abcdef'
  const zone = {
    [`2.0.0.127.${key}.zen.dq.spamhaus.net`]: { A: ['127.0.0.2'] },
    [`8.9.9.9.${key}.zen.dq.spamhaus.net`]: { A: ['127.0.0.2'] },
  }
  const { queries, ...found } = await ask(zone, ZEN, '9.9.9.8', key)
  assert.equal(found.answer, '127.0.0.2 (SBL)')
  assert.ok(!JSON.stringify(found).includes(key))
  assert.ok(queries.every((query) => query.includes(`${key}.zen.dq.spamhaus.net`)))
})
