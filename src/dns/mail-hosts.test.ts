import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANSWERED, DnsHost, type DnsRecords } from '../../test/support/dns-host.ts'
import { findAddresses, findMailHosts, type MailHosts } from './mail-hosts.ts'
import { createResolver, type Resolver } from './resolver.ts'

const addresses: DnsRecords = { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] }
let dns: DnsHost
let resolver: Resolver

before(async () => {
  dns = await DnsHost.start({
    'usual.test': { MX: ['20 b.usual.test', '10 a.usual.test', '20 c.usual.test'], ...addresses },
    'implicit.test': addresses,
    'six.test': { AAAA: ['2001:db8::1'] },
    'null.test': { MX: ['0 .'], ...addresses },
    'mixed.test': { MX: ['0 .', '10 mx.mixed.test'] },
    'literal.test': { MX: ['10 10.0.0.1', '20 mx.literal.test'] },
    'literals.test': { MX: ['10 127.0.0.1'], ...addresses },
    'twice.test': { MX: ['20 mx.twice.test', '10 MX.twice.test'] },
    'empty.test': { TXT: ['x'] },
    'alias.test': { CNAME: 'usual.test' },
    'alias-of-implicit.test': { CNAME: 'implicit.test' },
    'alias-of-empty.test': { CNAME: 'empty.test' },
    'servfail.test': 'SERVFAIL',
    'four.test': { A: ['192.0.2.4'] },
  })
  resolver = createResolver({ servers: [dns.server], ...ANSWERED, cache: false })
})
after(() => dns.stop())

const hosts = (...list: [string, number][]): MailHosts => ({
  kind: 'hosts',
  hosts: list.map(([name, preference]) => ({ name, preference })),
  implicit: false,
})
const implicit = (name: string): MailHosts => ({
  kind: 'hosts',
  hosts: [{ name, preference: 0 }],
  implicit: true,
})
const cases: [string, string, MailHosts][] = [
  [
    'the MX records by preference',
    'usual.test',
    hosts(['a.usual.test', 10], ['b.usual.test', 20], ['c.usual.test', 20]),
  ],
  ['the domain itself when it has no MX', 'Implicit.test', implicit('implicit.test')],
  ['that also with IPv6 only', 'six.test', implicit('six.test')],
  ['none for a null MX', 'null.test', { kind: 'null_mx' }],
  ['the others beside a null MX', 'mixed.test', hosts(['mx.mixed.test', 10])],
  ['no addresses in MX records', 'literal.test', hosts(['mx.literal.test', 20])],
  ['none when all are addresses', 'literals.test', { kind: 'no_mail_host' }],
  ['each once', 'twice.test', hosts(['mx.twice.test', 10])],
  ['none for a name without MX and address', 'empty.test', { kind: 'no_mail_host' }],
  [
    'those of an alias',
    'alias.test',
    hosts(['a.usual.test', 10], ['b.usual.test', 20], ['c.usual.test', 20]),
  ],
  ['itself where the alias has no MX', 'alias-of-implicit.test', implicit('alias-of-implicit.test')],
  ['none for an alias without either', 'alias-of-empty.test', { kind: 'no_mail_host' }],
  ['none for no such domain', 'nowhere.example', { kind: 'nxdomain' }],
  ['not knowing', 'servfail.test', { kind: 'failure', code: 'ESERVFAIL' }],
  ['not knowing of what is no name', 'a b.test', { kind: 'failure', code: 'EBADNAME' }],
]
for (const [what, domain, expected] of cases) {
  test(`${domain}: ${what}`, async () => {
    const found = await findMailHosts(resolver, domain)
    if (found.kind === 'hosts') {
      // Hosts of equal preference may be in any order.
      const sorted = [...found.hosts].sort(
        (a, b) => a.preference - b.preference || (a.name < b.name ? -1 : 1),
      )
      assert.deepEqual(
        found.hosts.map((host) => host.preference),
        sorted.map((host) => host.preference),
      )
      assert.deepEqual({ ...found, hosts: sorted }, expected)
    } else {
      assert.deepEqual(found, expected)
    }
  })
}

test('the addresses of a host are those of both kinds, IPv4 first', async () => {
  assert.deepEqual(await findAddresses(resolver, 'usual.test'), {
    kind: 'found',
    records: ['192.0.2.1', '2001:db8::1'],
  })
  assert.deepEqual(await findAddresses(resolver, 'four.test'), { kind: 'found', records: ['192.0.2.4'] })
  assert.deepEqual(await findAddresses(resolver, 'empty.test'), { kind: 'nodata' })
  assert.deepEqual(await findAddresses(resolver, 'nowhere.example'), { kind: 'nxdomain' })
  assert.equal((await findAddresses(resolver, 'servfail.test')).kind, 'failure')
})
