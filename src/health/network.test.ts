// Tests the network checks with a scripted DNS and ports on the loopback interface.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import { ANSWERED, DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { createResolver } from '../dns/resolver.ts'
import type { Check } from './check.ts'
import { type NetworkOptions, networkChecks } from './network.ts'

const ADDRESS = '9.9.9.9'
const PTR = '9.9.9.9.in-addr.arpa'
const GOOD: DnsZone = {
  'mail.example.com': { A: [ADDRESS] },
  [PTR]: { PTR: ['mail.example.com'] },
  '*._report._dmarc.rp.example.com': { TXT: ['v=DMARC1'] },
  'rp.example.com': { MX: ['10 mail.example.com'], TXT: ['other', 'v=spf1 ip4:9.9.9.9 -all'] },
  'mx.big.test': { A: ['127.0.0.1'] },
}

let listener: Server
let port: number

before(async () => {
  listener = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  port = (listener.address() as AddressInfo).port
})
after(() => listener.close())

/** Returns the results of the network checks for a DNS zone, by name. */
async function look(zone: DnsZone, more: Partial<NetworkOptions> = {}): Promise<Map<string, Check>> {
  const dns = await DnsHost.start(zone)
  try {
    const checks = await networkChecks({
      hostname: 'mail.example.com',
      returnPathHost: 'rp.example.com',
      relayUrl: undefined,
      sourceAddresses: [],
      mxPort: port,
      inbound: undefined,
      port25Host: 'mx.big.test',
      resolver: createResolver({ servers: [dns.server], cache: false, ...ANSWERED }),
      ...more,
    })
    return new Map(checks.map((check) => [check.name, check]))
  } finally {
    await dns.stop()
  }
}

test('a complete setup is ok', async () => {
  const checks = await look(GOOD)
  assert.deepEqual(
    [...checks].map(([name, { status, remedy }]) => [name, status, remedy]),
    [
      ['hostname', 'ok', null],
      [`reverse DNS ${ADDRESS}`, 'ok', null],
      ['return-path MX', 'ok', null],
      ['return-path SPF', 'ok', null],
      ['return-path reports', 'ok', null],
      ['inbound port', 'skipped', null],
      ['port 25', 'ok', null],
    ],
  )
})

test('an empty setup fails with the records to publish', async () => {
  const checks = await look({ 'mail.example.com': { A: [ADDRESS] } })
  assert.equal(checks.get(`reverse DNS ${ADDRESS}`)?.status, 'fail')
  assert.equal(checks.get('return-path MX')?.remedy, 'Publish: rp.example.com MX 10 mail.example.com')
  assert.equal(checks.get('return-path SPF')?.remedy, 'Publish: rp.example.com TXT "v=spf1 ip4:9.9.9.9 -all"')
  assert.equal(checks.get('port 25')?.status, 'warn')
  assert.equal(
    checks.get('return-path reports')?.remedy,
    'Publish: *._report._dmarc.rp.example.com TXT "v=DMARC1"',
  )
})

test('a hostname is a full name with a public address', async () => {
  assert.equal((await look(GOOD, { hostname: 'localhost' })).get('hostname')?.status, 'fail')
  assert.equal((await look(GOOD, { hostname: 'no.example.com' })).get('hostname')?.status, 'fail')
  const inside = await look({ ...GOOD, 'mail.example.com': { A: ['10.0.0.1'] } })
  assert.equal(inside.get('hostname')?.status, 'warn')
})

test('a different reverse name is a warning if it resolves back, otherwise a failure', async () => {
  const zone = { ...GOOD, [PTR]: { PTR: ['host.provider.test'] } }
  const name = `reverse DNS ${ADDRESS}`
  assert.equal((await look(zone)).get(name)?.status, 'fail')
  assert.equal((await look({ ...zone, 'host.provider.test': { A: [ADDRESS] } })).get(name)?.status, 'warn')
})

test('two SPF records are one too many, and a failing DNS is reported', async () => {
  const two = await look({ ...GOOD, 'rp.example.com': { TXT: ['v=spf1 -all', 'V=SPF1 a -all'] } })
  assert.match(two.get('return-path SPF')?.detail ?? '', /2 SPF records/)
  const failing = await look({ ...GOOD, 'rp.example.com': 'SERVFAIL' })
  assert.match(failing.get('return-path MX')?.detail ?? '', /does not answer \(ESERVFAIL\)/)
})

test('with a DNS that does not answer, the remedy is the DNS and no record is requested', async () => {
  const silent: DnsZone = {
    ...{ 'mail.example.com': 'SERVFAIL', 'rp.example.com': 'SERVFAIL', 'mx.big.test': 'SERVFAIL' },
    '7.0.0.127.in-addr.arpa': 'SERVFAIL',
  }
  const sourceAddresses = [{ name: 'main', addresses: [{ address: '127.0.0.7', heloName: undefined }] }]
  const checks = await look(silent, { sourceAddresses })
  const relayed = await look({ 'relay.test': 'SERVFAIL' }, { relayUrl: 'smtp://relay.test' })
  const reverse = await look({ ...GOOD, [PTR]: 'SERVFAIL' })
  const open = [
    ...['hostname', 'return-path MX', 'return-path SPF', 'port 25', 'source address 127.0.0.7'].map((name) =>
      checks.get(name),
    ),
    relayed.get('relay'),
    reverse.get(`reverse DNS ${ADDRESS}`),
  ]
  for (const check of open) {
    assert.match(check?.detail ?? '', /the DNS does not answer \(ESERVFAIL\)$/)
    assert.match(check?.remedy ?? '', /POSTRIDER_DNS_SERVERS, port 53/)
    assert.doesNotMatch(check?.remedy ?? '', /Publish|Ask the provider/)
  }
  assert.equal(checks.get('reverse DNS')?.detail, 'the hostname could not be looked up')
})

test('a closed outgoing port fails; with a relay, the relay is checked instead', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const mxPort = (closed.address() as AddressInfo).port
  closed.close()
  assert.equal((await look(GOOD, { mxPort })).get('port 25')?.status, 'fail')
  const relayed = await look(GOOD, { mxPort, relayUrl: `smtp://user:secret@127.0.0.1:${port}` })
  assert.equal(relayed.get('relay')?.status, 'ok')
  assert.equal(relayed.get('reverse DNS')?.status, 'skipped')
  assert.ok(!JSON.stringify([...relayed]).includes('secret'))
})

test('the inbound port is checked if strangers can reach it', async () => {
  const status = async (host: string, at: number) =>
    (await look(GOOD, { inbound: { host, port: at } })).get('inbound port')?.status
  assert.equal(await status('0.0.0.0', port), 'ok')
  assert.equal(await status('127.0.0.1', port), 'warn')
  assert.equal(await status('0.0.0.0', 1), 'warn')
})

test('a source address is on this machine and has its name', async () => {
  const pool = (address: string, heloName?: string) => ({ name: 'main', addresses: [{ address, heloName }] })
  const sourceAddresses = [pool('127.0.0.7', 'mta1.example.com'), pool('192.0.2.1')]
  const zone = { ...GOOD, '7.0.0.127.in-addr.arpa': { PTR: ['mta1.example.com'] } }
  const checks = await look(zone, { sourceAddresses })
  assert.equal(checks.get('source address 127.0.0.7')?.status, 'ok')
  assert.equal(checks.get('source address 192.0.2.1')?.status, 'fail')
  const unnamed = await look(GOOD, { sourceAddresses: [pool('127.0.0.7')] })
  assert.equal(unnamed.get('source address 127.0.0.7')?.status, 'warn')
})
