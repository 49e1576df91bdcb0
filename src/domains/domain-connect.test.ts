// Search for the Domain Connect page of a DNS provider, with a test DNS server and a test provider.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { certificateFor } from '../../test/support/authority.ts'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { DnsHost } from '../../test/support/dns-host.ts'
import { createResolver, type Resolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { DomainRecord } from '../store/domains/domain-rows.ts'
import { findConnectAddress } from './domain-connect.ts'

const record = (
  purpose: DomainRecord['purpose'],
  name: string,
  value: string,
  status: DomainRecord['status'] = 'missing',
): DomainRecord => ({
  ...{ domain_id: 'dom_1', account_id: 'acc_1', purpose, type: 'TXT', name, value, required: 1, status },
  ...{ found: '[]', note: null, found_since: null },
})

const recordsOf = (domain: string, dmarc: DomainRecord['status'] = 'missing'): DomainRecord[] => [
  record('dkim_rsa', `p1._domainkey.${domain}`, 'v=DKIM1; k=rsa; p=A+B/C=='),
  record('dkim_ed25519', `p2._domainkey.${domain}`, 'v=DKIM1; k=ed25519; p=D'),
  record('return_path', `bounces.${domain}`, 'rp.example'),
  record('dmarc', `_dmarc.${domain}`, 'v=DMARC1; p=none;', dmarc),
]

describe('Domain Connect', () => {
  let dns: DnsHost
  let server: Server
  let http: OutgoingHttp
  let resolver: Resolver
  /** Responses of the test provider, by path; a string is sent unchanged, any other value as JSON. */
  const answers = new Map<string, unknown>()
  let provider: string
  before(async () => {
    server = createServer(await certificateFor(['dc.test']), (request, response) => {
      const answer = answers.get(request.url ?? '')
      response.statusCode = answer === undefined ? 404 : 200
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    provider = `dc.test:${(server.address() as AddressInfo).port}`
    dns = await DnsHost.start({ 'dc.test': { A: ['127.0.0.1'] } })
    resolver = createResolver({ servers: [dns.server], cache: false })
    http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.1/32') })
  })
  after(async () => {
    await http.stop()
    await dns.stop()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  const find = (zone: string, domain = zone, records = recordsOf(domain)): Promise<string | undefined> => {
    const template = { providerId: 'postrider.example', serviceId: 'mail' }
    return findConnectAddress({ resolver, http, template, zone, domain, records })
  }

  /** Creates a zone with a DNS provider that returns these settings and this template. */
  function zoneWith(zone: string, settings: unknown, template?: object): string {
    dns.set(`_domainconnect.${zone}`, { TXT: [[`${provider}/api`]] })
    answers.set(`/api/v2/${zone}/settings`, settings)
    if (template !== undefined) {
      answers.set('/api/v2/domainTemplates/providers/postrider.example/services/mail', template)
    }
    return zone
  }

  const settings = (more: object = {}): object => ({
    ...{ providerName: 'Some DNS', urlAPI: `https://${provider}/api`, urlSyncUX: 'https://ui.dc.test/x' },
    ...more,
  })

  test('leads to the consent page of the provider, with names below the domain and unchanged values', async () => {
    const zone = zoneWith('shop.example', settings(), { version: 1 })
    const url = new URL((await find(zone, 'mail.shop.example')) ?? '')
    assert.equal(
      `${url.origin}${url.pathname}`,
      'https://ui.dc.test/x/v2/domainTemplates/providers/postrider.example/services/mail/apply',
    )
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      ...{ domain: 'shop.example', host: 'mail', groupId: 'sending,dmarc' },
      ...{ rsahost: 'p1._domainkey', rsa: 'v=DKIM1; k=rsa; p=A+B/C==' },
      ...{ edhost: 'p2._domainkey', ed: 'v=DKIM1; k=ed25519; p=D', returnpath: 'rp.example' },
    })
    const apex = new URL((await find(zone, zone, recordsOf(zone, 'found'))) ?? '')
    assert.deepEqual([apex.searchParams.get('host'), apex.searchParams.get('groupId')], [null, 'sending'])
  })

  test('an address of nothing but slashes is read at once', async () => {
    const urlSyncUX = `https://ui.dc.test${'/'.repeat(60_000)}x`
    const zone = zoneWith('slashes.example', settings({ urlSyncUX }), { version: 1 })
    const used = cpuWatch()
    assert.ok((await find(zone))?.startsWith(`${urlSyncUX}/v2/`))
    const took = used()
    assert.ok(took < 1_000, `${took} ms`)
  })

  test('leads nowhere without the record, the settings or the template, or with anything but https', async () => {
    assert.equal(await find('nothing.example'), undefined)
    for (const [zone, answer] of [
      ['broken.example', '{'],
      ['list.example', []],
      ['null.example', 'null'],
      ['plain.example', settings({ urlSyncUX: 'http://ui.dc.test' })],
      ['script.example', settings({ urlSyncUX: 'javascript:alert(1)' })],
      ['async.example', settings({ urlSyncUX: null })],
      ['foreign.example', settings({ urlAPI: `https://${provider}/other` })],
      ['inside.example', settings({ urlAPI: 'https://169.254.169.254/' })],
    ] as const) {
      assert.equal(await find(zoneWith(zone, answer)), undefined, zone)
    }
    for (const value of ['user@dc.test', 'dc.test/?x=', 'dc.test/#', '//dc.test', '']) {
      dns.set('_domainconnect.odd.example', { TXT: [[value]] })
      assert.equal(await find('odd.example'), undefined, value)
    }
  })
})
