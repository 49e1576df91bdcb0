import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { silentLog } from '../lib/log.ts'
import type { Hop, NotTried, Route } from './route.ts'
import { Routing, type RoutingOptions, type RoutingRequest } from './routing.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(zone: DnsZone, more: Partial<RoutingOptions> = {}): Promise<Routing> {
  const dns = await DnsHost.start(zone)
  ends.push(() => dns.stop())
  const store = await openTestStore('sqlite')
  ends.push(() => store.close())
  const routing = new Routing({
    resolver: createResolver({ servers: [dns.server] }),
    store,
    clock: new TestClock(),
    log: silentLog,
    allowed: parseNetworks('127.0.0.0/8'),
    mxPort: 25,
    mtaStsPort: 443,
    relayUrl: undefined,
    hostname: 'sender.test',
    returnPathHost: 'rp.sender.test',
    inbound: undefined,
    sourceAddresses: [],
    sourcePools: [],
    secureServers: undefined,
    ...more,
  })
  ends.push(() => routing.stop())
  return routing
}

const find = (routing: Routing, destination: string, more: Partial<RoutingRequest> = {}): Promise<Route> =>
  routing.find({
    destination,
    domainName: 'example.test',
    stream: 'transactional',
    requireTls: 0,
    relayUrl: null,
    ...more,
  })

async function hopsOf(route: Route): Promise<(Hop | NotTried)[]> {
  assert.equal(route.kind, 'hops')
  return route.kind === 'hops' ? await Array.fromAsync(route.hops) : []
}

const ZONE: DnsZone = {
  'a.example': { MX: ['10 mx.a.example'] },
  'mx.a.example': { A: ['127.0.0.2'] },
  'b.example': { MX: ['10 mx.b.example', '20 mx.a.example', '30 behind.example'] },
  'mx.b.example': { A: ['127.0.0.3'] },
  'behind.example': { A: ['127.0.0.4'] },
}

describe('an address at which we take mail ourselves', () => {
  const inbound = { host: '127.0.0.2', port: 25 }

  test('makes a loop of a destination that leads to it alone', async () => {
    const route = await find(await start(ZONE, { inbound }), 'a.example')
    assert.ok(route.kind === 'no_route')
    assert.deepEqual([route.permanent, route.category], [true, 'dns'])
    assert.match(route.reason, /5\.4\.6/)
  })

  test('ends the hosts that are tried', async () => {
    const hops = await hopsOf(await find(await start(ZONE, { inbound }), 'b.example'))
    assert.deepEqual(
      hops.map((hop) => hop.hostName),
      ['mx.b.example'],
    )
  })

  test('is all of the machine when we listen on all', async () => {
    const route = await find(
      await start(
        { ...ZONE, 'mx.a.example': { A: ['127.0.0.1'] } },
        { inbound: { host: '0.0.0.0', port: 25 } },
      ),
      'a.example',
    )
    assert.equal(route.kind, 'no_route')
  })

  test('is none when hosts are spoken to on another port', async () => {
    const route = await find(await start(ZONE, { inbound: { host: '127.0.0.2', port: 2525 } }), 'a.example')
    assert.equal((await hopsOf(route)).length, 1)
  })
})

describe('a route', () => {
  test('names its site, and the hosts in order with their addresses', async () => {
    const route = await find(
      await start({
        'c.example': { MX: ['20 two.c.example', '10 one.c.example'] },
        'one.c.example': { A: ['127.0.0.5', '127.0.0.6', '127.0.0.7'] },
        'two.c.example': { A: ['127.0.0.8'] },
      }),
      'c.example',
    )
    assert.ok(route.kind === 'hops')
    assert.equal(route.site, 'c.example')
    const hops = (await hopsOf(route)) as Hop[]
    assert.deepEqual(
      hops.map((hop) => [hop.hostName, hop.addresses.length, hop.port]),
      [
        ['one.c.example', 2, 25],
        ['two.c.example', 1, 25],
      ],
    )
  })

  test('through a relay is that of the domain before that of the installation', async () => {
    const routing = await start({}, { relayUrl: 'smtp://u:p@127.0.0.9:2525' })
    const general = await find(routing, 'a.example')
    assert.equal(general.kind === 'hops' && general.site, 'relay:127.0.0.9:2525')
    const own = await find(routing, 'a.example', { relayUrl: 'smtps://10.0.0.1' })
    const [hop] = (await hopsOf(own)) as Hop[]
    assert.deepEqual([hop?.hostName, hop?.port, hop?.relay?.implicitTls], ['10.0.0.1', 465, true])
    assert.equal(hop?.tls.required, false)
  })

  test('through a relay elsewhere with a password is by verified TLS only', async () => {
    const routing = await start({})
    const tlsOf = async (relayUrl: string, requireTls = 0) => {
      const [hop] = (await hopsOf(await find(routing, 'a.example', { relayUrl, requireTls }))) as Hop[]
      return [hop?.tls.required, hop?.tls.verify]
    }
    assert.deepEqual(await tlsOf('smtp://u:p@10.0.0.1'), [true, true])
    assert.deepEqual(await tlsOf('smtp://u:p@10.0.0.1?verify=no'), [true, false])
    assert.deepEqual(await tlsOf('smtp://u:p@127.0.0.1'), [false, false])
    assert.deepEqual(await tlsOf('smtp://10.0.0.1'), [false, false])
    assert.deepEqual(await tlsOf('smtp://10.0.0.1?verify=no', 1), [true, true])
  })
})
