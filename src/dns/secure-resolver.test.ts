import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, test } from 'node:test'
import { ANSWERED, DnsHost, type DnsZone, UNANSWERED } from '../../test/support/dns-host.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createSecureResolver, type SecureResolver } from './secure-resolver.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function start(zone: DnsZone, { timeoutMs }: { readonly timeoutMs: number } = ANSWERED) {
  const dns = await DnsHost.start(zone)
  ends.push(() => dns.stop())
  const clock = new TestClock()
  const resolver = createSecureResolver({ servers: [dns.server], timeoutMs, clock })
  return { dns, resolver, clock }
}

const DIGEST = 'ab'.repeat(32)

test('returns the records, and whether they were validated', async () => {
  const { resolver } = await start({
    'signed.test': { MX: ['10 MX.signed.test', '20 mx2.signed.test'], secure: true },
    'plain.test': { MX: ['10 mx.plain.test'] },
    'mx.signed.test': { AAAA: ['2001:db8::1'], secure: true },
    '_25._tcp.mx.signed.test': { TLSA: [`3 1 1 ${DIGEST}`], secure: true },
  })
  assert.deepEqual(await resolver.mx('Signed.test.'), {
    kind: 'found',
    records: ['mx.signed.test', 'mx2.signed.test'],
    secure: true,
  })
  assert.equal((await resolver.mx('plain.test')).secure, false)
  assert.deepEqual(await resolver.address('mx.signed.test'), {
    kind: 'found',
    records: ['2001:db8::1'],
    secure: true,
  })
  assert.deepEqual(await resolver.tlsa('_25._tcp.mx.signed.test'), {
    kind: 'found',
    records: [{ usage: 3, selector: 1, matchingType: 1, data: Buffer.from(DIGEST, 'hex') }],
    secure: true,
  })
})

test('distinguishes no records from a failed lookup', async () => {
  const { resolver } = await start({
    'empty.test': { secure: true },
    'broken.test': 'SERVFAIL',
    'mad.test': 'GARBAGE',
  })
  assert.deepEqual(await resolver.tlsa('empty.test'), { kind: 'nodata', secure: true })
  assert.deepEqual(await resolver.tlsa('nowhere.test'), { kind: 'nxdomain', secure: false })
  const silent = await start({ 'silent.test': 'TIMEOUT' }, UNANSWERED)
  const answers = await Promise.all([
    ...['broken.test', 'mad.test', 'not a name'].map((name) => resolver.tlsa(name)),
    silent.resolver.tlsa('silent.test'),
  ])
  const codes = answers.map((answer) => (answer.kind === 'failure' ? answer.code : answer.kind))
  assert.deepEqual(codes, ['ESERVFAIL', 'EBADRESP', 'EBADNAME', 'ETIMEOUT'])
})

test('follows aliases, but not in circles', async () => {
  const { resolver } = await start({
    'alias.test': { CNAME: 'real.test', secure: true },
    'real.test': { A: ['192.0.2.1'], secure: true },
    'round.test': { CNAME: 'about.test' },
    'about.test': { CNAME: 'round.test' },
  })
  const found = await resolver.address('alias.test')
  assert.deepEqual(found.kind === 'found' && found.records, ['192.0.2.1'])
  assert.equal((await resolver.address('round.test')).kind, 'nodata')
})

test('asks again over TCP when the answer is truncated', async () => {
  const TLSA = Array.from({ length: 60 }, (_, i) => `3 1 1 ${i.toString(16).padStart(2, '0').repeat(32)}`)
  const { resolver } = await start({ '_25._tcp.mx.test': { TLSA, secure: true } })
  const answer = await resolver.tlsa('_25._tcp.mx.test')
  assert.equal(answer.kind === 'found' && answer.records.length, 60)
})

test('remembers an answer for its lifetime', async () => {
  const { dns, resolver, clock } = await start({ 'a.test': { MX: ['10 mx.test'], ttl: 60 } })
  const ask = (it: SecureResolver) => it.mx('a.test')
  await Promise.all([ask(resolver), ask(resolver)])
  clock.advance(59_000)
  await ask(resolver)
  assert.equal(dns.count('a.test'), 1)
  clock.advance(2_000)
  await ask(resolver)
  assert.equal(dns.count('a.test'), 2)
})

test('asks the next server when one does not answer', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  ends.push(async () => void silent.close())
  const dns = await DnsHost.start({ 'a.test': { MX: ['10 mx.test'] } })
  ends.push(() => dns.stop())
  const servers = [`127.0.0.1:${silent.address().port}`, dns.server]
  const answer = await createSecureResolver({ servers, timeoutMs: 1_000 }).mx('a.test')
  assert.equal(answer.kind, 'found')
})
