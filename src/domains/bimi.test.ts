// BIMI records: their syntax, the DMARC policy, and logos that are fetched from a real host.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DnsHost } from '../../test/support/dns-host.ts'
import { openTestStore, usualDatabase } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createAccount } from '../access/accounts.ts'
import { createResolver, type Resolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import type { BimiCheck, BimiFinding } from '../model/bimi.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Store } from '../store/database/store.ts'
import type { Domain } from '../store/domains/domain-rows.ts'
import { readBimi } from './bimi.ts'
import { checkLogo, svgFindings } from './bimi-logo.ts'
import { addDomain, verifyDomain } from './domains.ts'

const HOUR_MS = 3_600_000

describe('a BIMI record', () => {
  const LOGO = 'https://example.com/logo.svg'
  const CERTIFICATE = 'https://example.com/vmc.pem'
  for (const [record, findings, logoUrl] of [
    [`v=BIMI1; l=${LOGO}; a=${CERTIFICATE}`, [], LOGO],
    [`v=BIMI1;l=${LOGO};a=${CERTIFICATE};avp=brand;`, [], LOGO],
    [`v = BIMI1 ; l = ${LOGO} ; a = ;`, ['certificate_missing'], LOGO],
    [`v=BIMI1; l=${LOGO}`, ['certificate_missing'], LOGO],
    [`v=BIMI1; l=${LOGO}; a=self`, ['certificate_missing'], LOGO],
    ['v=BIMI1; l=; a=;', [], null],
    [`v=BIMI1; l=http://example.com/logo.svg; a=${CERTIFICATE}`, ['logo_url'], null],
    [`v=BIMI1; l=example.com/logo.svg; a=${CERTIFICATE}`, ['logo_url'], null],
    [`v=BIMI1; l=https://user:pass@example.com/logo.svg; a=${CERTIFICATE}`, ['logo_url'], null],
    [`v=BIMI1; l=${LOGO},${LOGO}; a=${CERTIFICATE}`, ['logo_url'], null],
    [`v=BIMI1; l=https://example.com/${'x'.repeat(600)}.svg; a=${CERTIFICATE}`, ['logo_url'], null],
    [`v=BIMI1; l=${LOGO}; a=http://example.com/vmc.pem`, ['certificate_url'], LOGO],
    [`v=BIMI1; l=; a=${CERTIFICATE}`, ['record_invalid'], null],
    [`v=BIMI1; a=${CERTIFICATE}`, ['record_invalid'], null],
    [`v=BIMI1; l=${LOGO}; l=${LOGO}`, ['record_invalid'], null],
    [`v=BIMI2; l=${LOGO}`, ['record_invalid'], null],
    [`v=bimi1; l=${LOGO}`, ['record_invalid'], null],
    [`v=BIMI1; l=${LOGO}; ${CERTIFICATE.slice(0, 20)}`, ['record_invalid'], null],
    [`l=${LOGO}; v=BIMI1`, ['record_invalid'], null],
  ] as const satisfies readonly (readonly [string, readonly BimiFinding[], string | null])[]) {
    test(`${record.slice(0, 90)}: ${findings.join() || 'valid'}`, () => {
      const read = readBimi(record)
      assert.deepEqual([read.findings, read.logoUrl], [findings, logoUrl])
      assert.equal(read.isDeclined, record === 'v=BIMI1; l=; a=;')
    })
  }
})

const svg = (
  inside: string,
  attributes = 'version="1.2" baseProfile="tiny-ps" viewBox="0 0 64 64"',
): string =>
  `<?xml version="1.0" encoding="UTF-8"?><svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`
const TITLE = '<title>Example</title>'
const GOOD = svg(`${TITLE}<desc>A circle</desc><circle cx="32" cy="32" r="30" fill="url(#g)"/>`)

describe('a logo', () => {
  for (const [name, image, findings] of [
    ['of the profile', GOOD, []],
    ['of another profile', svg(TITLE, 'version="1.1" viewBox="0 0 64 64"'), ['logo_profile']],
    ['without a title', svg('<g><title>Not of the image</title></g>'), ['logo_title']],
    ['with an empty title', svg('<title> </title>'), ['logo_title']],
    [
      'that is not square',
      svg(TITLE, 'version="1.2" baseProfile="tiny-ps" viewBox="0 0 64 32"'),
      ['logo_not_square'],
    ],
    [
      'without a viewBox',
      svg(TITLE, 'version="1.2" baseProfile="tiny-ps" width="64" height="64"'),
      ['logo_not_square'],
    ],
    ['with a script', svg(`${TITLE}<script>alert(1)</script>`), ['logo_script']],
    ['with a handler', svg(`${TITLE}<circle r="1" onclick="alert(1)"/>`), ['logo_script']],
    [
      'with an animation',
      svg(`${TITLE}<circle r="1"><animate attributeName="r" to="9"/></circle>`),
      ['logo_script'],
    ],
    ['with a bitmap', svg(`${TITLE}<image href="data:image/png;base64,AAAA"/>`), ['logo_external']],
    [
      'with a foreign part',
      svg(`${TITLE}<use xlink:href="https://evil.example/x.svg#a"/>`),
      ['logo_external'],
    ],
    ['with a part of its own', svg(`${TITLE}<use xlink:href="#a"/>`), []],
    [
      'with a foreign font',
      svg(`${TITLE}<style>@import "https://evil.example/x.css"</style>`),
      ['logo_external'],
    ],
    [
      'with a foreign fill',
      svg(`${TITLE}<circle r="1" fill="url(https://evil.example/#g)"/>`),
      ['logo_external'],
    ],
    [
      'with entities',
      `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${svg(TITLE)}`,
      ['logo_external'],
    ],
    ['that is a page', '<!doctype html><html><body><svg/></body></html>', ['logo_not_svg']],
    ['that is a bitmap', '\x89PNG\r\n\x1a\n\0\0\0', ['logo_not_svg']],
    ['that is empty', '', ['logo_not_svg']],
    ['of open tags only', '<g>'.repeat(10_000), ['logo_not_svg']],
  ] as const satisfies readonly (readonly [string, string, readonly BimiFinding[]])[]) {
    test(`${name}: ${findings.join() || 'good'}`, async () => {
      assert.deepEqual(await svgFindings(Buffer.from(image, 'latin1')), findings)
    })
  }
})

describe('the host of a logo', () => {
  const ends: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  /** Returns the findings about a logo that a host on loopback serves; `allowed` are the permitted networks. */
  async function findingsOf(listener: RequestListener, allowed = '127.0.0.1/32'): Promise<BimiFinding[]> {
    const server = createServer(listener)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    const resolver = createResolver({ servers: ['127.0.0.1:1'] })
    const http = new OutgoingHttp({ resolver, allowed: parseNetworks(allowed), plainHttp: true })
    ends.push(() => http.stop())
    return checkLogo(http, new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/logo.svg`))
  }
  const serving =
    (body: string | Buffer, type = 'image/svg+xml', status = 200): RequestListener =>
    (_, response) => {
      response.writeHead(status, { 'content-type': type, location: 'https://example.com/' }).end(body)
    }

  test('is asked through the guard, which reads a small image of the right type only', async () => {
    assert.deepEqual(await findingsOf(serving(GOOD)), [])
    assert.deepEqual(await findingsOf(serving(gzipSync(GOOD), 'image/svg+xml; charset=utf-8')), [])
    assert.deepEqual(await findingsOf(serving(GOOD, 'text/plain')), ['logo_type'])
    assert.deepEqual(await findingsOf(serving(GOOD + ' '.repeat(32 * 1024))), ['logo_too_large'])
    assert.deepEqual(await findingsOf(serving(gzipSync(GOOD + ' '.repeat(10_000_000)))), ['logo_too_large'])
    assert.deepEqual(await findingsOf(serving(gzipSync(GOOD).subarray(0, 60))), ['logo_not_svg'])
    assert.deepEqual(await findingsOf(serving(GOOD, 'image/svg+xml', 301)), ['logo_unreachable'])
    assert.deepEqual(await findingsOf(serving(GOOD, 'image/svg+xml', 404)), ['logo_unreachable'])
    assert.deepEqual(await findingsOf((request) => request.destroy()), ['logo_unreachable'])
  })

  test('is not contacted at an address of special use', async () => {
    let asked = 0
    const listener: RequestListener = (request, response) => {
      asked++
      serving(GOOD)(request, response)
    }
    assert.deepEqual([await findingsOf(listener, ''), asked], [['logo_unreachable'], 0])
  })
})

describe('the check of a domain', () => {
  const clock = new TestClock()
  let store: Store
  let dns: DnsHost
  let resolver: Resolver
  let accountId: string
  let count = 0
  before(async () => {
    store = await openTestStore(usualDatabase())
    dns = await DnsHost.start()
    resolver = createResolver({ servers: [dns.server], cache: false })
    accountId = (await createAccount({ store, clock }, 'Example')).id
  })
  after(async () => {
    await dns.stop()
    await store.close()
  })

  const RECORD = 'v=BIMI1; l=https://logo.test/logo.svg; a=https://logo.test/vmc.pem'
  const add = async (name = `b${++count}.example`): Promise<Domain> => {
    const point = { returnPathHost: 'rp.sender.example', trackingTarget: 'mail.sender.example' }
    const { domain, records } = await addDomain({ store, clock, accountId, name, ...point })
    for (const { type, name: at, value } of records) {
      dns.set(at, type === 'TXT' ? { TXT: [value.match(/.{1,255}/g) ?? []] } : { CNAME: value })
    }
    return domain
  }
  const look = async (domain: Domain, http?: OutgoingHttp) => {
    const { domain: checked } = await verifyDomain({ store, clock, http }, resolver, domain)
    return {
      status: checked.status,
      domain: checked,
      bimi: JSON.parse(checked.bimi ?? 'null') as BimiCheck | null,
    }
  }

  test('compares the record with the DMARC policy, and never affects sending', async () => {
    const domain = await add()
    const at = `default._bimi.${domain.name}`
    assert.deepEqual((await look(domain)).bimi, null)
    dns.set(at, { TXT: ['unrelated', 'v=spf1 -all'] })
    assert.deepEqual((await look(domain)).bimi, null)
    dns.set(at, { TXT: [RECORD] })
    const first = await look(domain)
    assert.deepEqual([first.status, first.bimi?.findings], ['verified', ['dmarc_policy']])
    assert.deepEqual([first.bimi?.name, first.bimi?.logo], [at, null])
    for (const [dmarc, findings] of [
      ['v=DMARC1; p=reject', []],
      ['v=DMARC1; p=quarantine; pct=100', []],
      ['v=DMARC1; p=quarantine; pct=50', ['dmarc_policy']],
      ['v=DMARC1; p=reject; t=y', ['dmarc_policy']],
      ['v=DMARC1; p=reject; sp=none', ['dmarc_policy']],
      ['v=DMARC1; p=reject; sp=quarantine', []],
      ['v=DMARC1; rua=mailto:x@example.com', ['dmarc_policy']],
      ['v=DMARC1; p=maybe', ['dmarc_missing']],
    ] as const) {
      dns.set(`_dmarc.${domain.name}`, { TXT: [dmarc] })
      assert.deepEqual((await look(domain)).bimi?.findings, findings, dmarc)
    }
    dns.set(at, { TXT: [RECORD, RECORD] })
    dns.set(`_dmarc.${domain.name}`, { TXT: ['v=DMARC1; p=reject'] })
    assert.deepEqual((await look(domain)).bimi?.findings, ['record_several'])
    dns.set(at, { TXT: ['v=BIMI1; l=; a=;'] })
    dns.set(`_dmarc.${domain.name}`, 'NXDOMAIN')
    const declined = await look(domain)
    assert.deepEqual([declined.bimi?.isDeclined, declined.bimi?.findings], [true, []])
    // A DNS without an answer changes nothing, and a record that is gone is forgotten.
    dns.set(at, 'SERVFAIL')
    assert.equal((await look(declined.domain)).bimi?.isDeclined, true)
    dns.set(at, 'NXDOMAIN')
    assert.equal((await look(declined.domain)).bimi, null)
  })

  test('finds the record and the policy of the registrable domain', async () => {
    const domain = await add('mail.brand-of-bimi.com')
    dns.set(`_dmarc.${domain.name}`, 'NXDOMAIN')
    dns.set('_dmarc.brand-of-bimi.com', { TXT: ['v=DMARC1; p=reject; sp=none'] })
    dns.set('default._bimi.brand-of-bimi.com', { TXT: [RECORD] })
    const { bimi } = await look(domain)
    assert.deepEqual([bimi?.name, bimi?.findings], ['default._bimi.brand-of-bimi.com', ['dmarc_policy']])
  })

  test('fetches the logo once an hour, and again at another address', async () => {
    const domain = await add()
    const at = `default._bimi.${domain.name}`
    dns.set(at, { TXT: [RECORD] })
    // The name of the logo's host does not exist.
    const http = new OutgoingHttp({ resolver, allowed: parseNetworks('') })
    after(() => http.stop())
    const fetched = await look(domain, http)
    const { logo } = fetched.bimi as BimiCheck
    assert.deepEqual([logo?.url, logo?.findings], ['https://logo.test/logo.svg', ['logo_unreachable']])
    clock.advance(HOUR_MS - 1)
    const kept = await look(fetched.domain, http)
    assert.deepEqual(kept.bimi?.logo, logo)
    clock.advance(1)
    assert.deepEqual((await look(kept.domain)).bimi?.logo, logo, 'without a client')
    assert.equal((await look(kept.domain, http)).bimi?.logo?.at, clock.now())
    dns.set(at, { TXT: [RECORD.replace('logo.svg', 'other.svg')] })
    assert.equal((await look(kept.domain, http)).bimi?.logo?.url, 'https://logo.test/other.svg')
  })
})
