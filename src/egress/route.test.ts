import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { silentLog } from '../lib/log.ts'
import { parseRelay } from '../lib/route-settings.ts'
import { Secrets } from '../store/database/secrets.ts'
import {
  type Host,
  type MailRoute,
  type MailRouteRequest,
  type NotTried,
  type Route,
  Routes,
  type RoutesOptions,
} from './route.ts'
import { siteOfRelay } from './site.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(zone: DnsZone, more: Partial<RoutesOptions> = {}): Promise<Routes> {
  const dns = await DnsHost.start(zone)
  ends.push(() => dns.stop())
  const store = await openTestStore('sqlite')
  ends.push(() => store.close())
  const resolver = createResolver({ servers: [dns.server] })
  const allowed = parseNetworks('127.0.0.0/8')
  const routes = new Routes({
    resolver,
    probes: { resolver, allowed, sources: undefined },
    store,
    clock: new TestClock(),
    log: silentLog,
    allowed,
    mxPort: 25,
    mtaStsPort: 443,
    tlsReports: 'no',
    relayUrl: undefined,
    hostname: 'sender.test',
    returnPathHost: 'rp.sender.test',
    inbound: undefined,
    sourceAddresses: [],
    sourcePools: [],
    secureServers: undefined,
    ...more,
  })
  ends.push(() => routes.stop())
  return routes
}

const find = (
  routes: Routes,
  destination: string,
  more: Partial<MailRouteRequest> = {},
): Promise<Exclude<MailRoute, { readonly kind: 'inbox' }>> =>
  routes.forMail({
    destination,
    domainId: 'dom_1',
    domainName: 'example.test',
    stream: 'transactional',
    requireTls: false,
    relayUrl: null,
    inboxId: null,
    ...more,
  }) as Promise<Exclude<MailRoute, { readonly kind: 'inbox' }>>

async function hostsOf(route: Route): Promise<(Host | NotTried)[]> {
  assert.equal(route.kind, 'hosts')
  return route.kind === 'hosts' ? await Array.fromAsync(route.hosts) : []
}

const ZONE: DnsZone = {
  'a.example': { MX: ['10 mx.a.example'] },
  'mx.a.example': { A: ['127.0.0.2'] },
  'b.example': { MX: ['10 mx.b.example', '20 mx.a.example', '30 behind.example'] },
  'mx.b.example': { A: ['127.0.0.3'] },
  'behind.example': { A: ['127.0.0.4'] },
}

describe('an address at which this installation accepts mail', () => {
  const inbound = { host: '127.0.0.2', port: 25 }

  test('makes a destination that leads only to it a loop', async () => {
    const route = await find(await start(ZONE, { inbound }), 'a.example')
    assert.ok(route.kind === 'no_route')
    assert.deepEqual([route.permanent, route.category], [true, 'dns'])
    assert.match(route.reason, /5\.4\.6/)
  })

  test('ends the list of hosts to try', async () => {
    const hosts = await hostsOf(await find(await start(ZONE, { inbound }), 'b.example'))
    assert.deepEqual(
      hosts.map((host) => host.hostName),
      ['mx.b.example'],
    )
  })

  test('is any address of the machine if the node listens on all', async () => {
    const route = await find(
      await start(
        { ...ZONE, 'mx.a.example': { A: ['127.0.0.1'] } },
        { inbound: { host: '0.0.0.0', port: 25 } },
      ),
      'a.example',
    )
    assert.equal(route.kind, 'no_route')
  })

  test('does not exist if mail hosts are contacted on another port', async () => {
    const route = await find(await start(ZONE, { inbound: { host: '127.0.0.2', port: 2525 } }), 'a.example')
    assert.equal((await hostsOf(route)).length, 1)
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
    assert.ok(route.kind === 'hosts')
    assert.equal(route.site, 'c.example')
    const hosts = (await hostsOf(route)) as Host[]
    assert.deepEqual(
      hosts.map((host) => [host.hostName, host.addresses.length, host.port]),
      [
        ['one.c.example', 2, 25],
        ['two.c.example', 1, 25],
      ],
    )
  })

  test('through a relay is that of the domain before that of the installation', async () => {
    const relayUrl = 'smtp://u:p@127.0.0.9:2525'
    const routes = await start({}, { relayUrl })
    const general = await find(routes, 'a.example')
    assert.equal(general.kind === 'hosts' && general.site, siteOfRelay(parseRelay(relayUrl)))
    const own = await find(routes, 'a.example', { relayUrl: new Secrets().seal('smtps://10.0.0.1', 'dom_1') })
    const [host] = (await hostsOf(own)) as Host[]
    assert.deepEqual([host?.hostName, host?.port, host?.relay?.implicitTls], ['10.0.0.1', 465, true])
    assert.equal(host?.tls.required, false)
  })

  test('through a remote relay with a password uses verified TLS only', async () => {
    const routes = await start({})
    const tlsOf = async (url: string, requireTls = false) => {
      const relayUrl = new Secrets().seal(url, 'dom_1')
      const [host] = (await hostsOf(await find(routes, 'a.example', { relayUrl, requireTls }))) as Host[]
      return [host?.tls.required, host?.tls.verify]
    }
    assert.deepEqual(await tlsOf('smtp://u:p@10.0.0.1'), [true, true])
    assert.deepEqual(await tlsOf('smtp://u:p@10.0.0.1?verify=no'), [true, false])
    assert.deepEqual(await tlsOf('smtp://u:p@127.0.0.1'), [false, false])
    assert.deepEqual(await tlsOf('smtp://10.0.0.1'), [false, false])
    assert.deepEqual(await tlsOf('smtp://10.0.0.1?verify=no', true), [true, true])
  })
})
