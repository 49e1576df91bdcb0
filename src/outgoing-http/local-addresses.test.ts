// Tests that no spelling of a local address in a URL leads to a connection.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { OutgoingHttp } from './outgoing-http.ts'

/**
 * Hosts as written in a URL, including names of the DNS zone below; each host is requested with the port of the canary
 * server.
 */
const HOSTS = `
127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.254 127.1 127.0.1 127.0x1 0x7f.1 0x7f000001 0X7F000001 0x7F.0.0.1 0x7f.0x0.0x0.0x1
0x7f.0.1 0x7f.0x1 2130706433 2130706434 017700000001 0177.0.0.1 0177.1 0177.0.1 0177.0.0.01 00177.0000.0000.0001
0000000177.0.0.1 0x00000000007f000001 127.0.0.1. 127.1. 0x7f000001. 2130706433. 127.0.0.000001 127.0.0.0x1 127.0.1.1
127.0.0.0 127.0.65535 127.16777215
0.0.0.0 0 0x0 00 0.0 0.1 0.0.0 0.0.0.0. 0.1.2.3
10.0.0.1 10.1 0xa000001 167772161 012.0.0.1 172.16.0.1 172.31.255.254 0xac100001 2886729729 192.168.0.1 192.168.1
0xc0a80001 3232235521 0300.0250.0.1 100.64.0.1 100.127.255.254 198.18.0.1 192.0.0.192 192.0.0.8
169.254.169.254 169.254.43518 0xa9fea9fe 2852039166 0251.0376.0251.0376 0xA9.0xFE.0xA9.0xFE 0xa9.254.0251.254
169.254.169.254. 169.254.170.2 100.100.100.200 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 0xffffffff 4294967295
１２７.0.0.1 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.0.0.1 ⑫7.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 １２７.１ ０ｘ７ｆ000001 ⁱ27.0.0.1 %31%32%37.0.0.1
127.0.0.%31 %30x7f.1 127%2E0%2E0%2E1 1%327.0.0.1 ₁₂₇.₀.₀.₁ ¹²⁷.⁰.⁰.¹ 12\u00AD7.0.0.1 127.0.0.1\u200B
[::1] [::] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::0.0.0.1] [::127.0.0.1] [::7f00:1]
[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0.0.0.0] [::ffff:10.0.0.1]
[::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:192.168.0.1] [::ffff:0:127.0.0.1] [::ffff:0:7f00:1]
[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b::169.254.169.254] [64:ff9b:1::127.0.0.1]
[64:ff9b:1:7f00:0:100::] [2002:7f00:1::] [2002:7f00:0001::1] [2002:a00:1::] [2002:a9fe:a9fe::1] [2002:c0a8:1::1]
[2001:0:7f00:1::] [2001::80ff:fffe] [2001:db8::1] [2001:10::1] [fe80::1] [fe80::1%25lo] [fe80::1%lo] [::1%25lo] [::1%251]
[febf::1] [fec0::1] [fc00::1] [fd00::1] [fd00:ec2::254] [ff02::1] [ff01::1] [100::1] [3fff::1] [5f00::1] [::1.2.3.4]
user@127.0.0.1 user:password@127.0.0.1 web.test@127.0.0.1 web.test%40127.0.0.1 127.0.0.1%23@web.test web.test:80@127.0.0.1
127.0.0.1%2f@web.test web.test%00@127.0.0.1 @127.0.0.1 :@127.0.0.1 web.test\\@127.0.0.1 127.0.0.1\\@web.test
web.test#@127.0.0.1 web.test?@127.0.0.1
localhost LOCALHOST localhost. LocalHost. a.localhost sub.a.localhost. ｌｏｃａｌｈｏｓｔ loc\u00ADalhost ⓛⓞⓒⓐⓛⓗⓞⓢⓣ localhost%2e l%6fcalhost
localhost.localdomain ip6-localhost ip6-loopback loopback
inside.test INSIDE.TEST inside.test. ｉｎｓｉｄｅ.test inside6.test mapped.test nat64.test sixtofour.test linklocal.test both.test
alias.test metadata.test 127.0.0.1.inside.test 1.0.0.127.in-addr.arpa zero.test
`
const ESCAPED = /\\u([0-9A-F]{4})/g
const hosts = HOSTS.trim()
  .split(/\s+/)
  .map((host) => host.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))))

const ZONE: DnsZone = {
  'web.test': 'NXDOMAIN',
  'inside.test': { A: ['127.0.0.1'] },
  '*.inside.test': { A: ['127.0.0.1'] },
  'inside6.test': { AAAA: ['::1'] },
  'mapped.test': { AAAA: ['::ffff:127.0.0.1'] },
  'nat64.test': { AAAA: ['64:ff9b::7f00:1'] },
  'sixtofour.test': { AAAA: ['2002:7f00:1::'] },
  'linklocal.test': { AAAA: ['fe80::1'] },
  'both.test': { A: ['10.0.0.1', '127.0.0.1'], AAAA: ['fd00::1', '::1'] },
  'alias.test': { CNAME: 'inside.test' },
  'metadata.test': { A: ['169.254.169.254'] },
  'zero.test': { A: ['0.0.0.0'] },
  '*.localdomain': { A: ['127.0.0.1'] },
  'ip6-localhost': { AAAA: ['::1'] },
  'ip6-loopback': { AAAA: ['::1'] },
  loopback: { A: ['127.0.0.1'] },
}

describe('a URL that leads to this machine or its network', () => {
  let dns: DnsHost
  let http: OutgoingHttp
  let connections = 0
  const canary = createTcpServer((socket) => {
    connections++
    socket.destroy()
  })
  before(async () => {
    canary.listen(0, '::')
    await once(canary, 'listening')
    dns = await DnsHost.start(ZONE)
    const resolver = createResolver({ servers: [dns.server] })
    http = new OutgoingHttp({ resolver, allowed: parseNetworks(''), plainHttp: true })
  })
  after(async () => {
    await http.stop()
    await dns.stop()
    canary.close()
  })

  test('is spelled in at least 120 ways', () => {
    assert.equal(new Set(hosts).size, hosts.length)
    assert.ok(hosts.length >= 120, `${hosts.length}`)
  })

  for (const host of hosts) {
    for (const scheme of ['http', 'https']) {
      test(JSON.stringify(`${scheme}://${host}`), async () => {
        const { port } = canary.address() as AddressInfo
        const text = `${scheme}://${host}:${port}/`
        // A text that is not a URL cannot be requested at all.
        if (URL.canParse(text)) {
          const answer = await http.request(new URL(text), {
            method: 'GET',
            timeoutMs: 5_000,
            maxBytes: 100,
          })
          assert.ok('problem' in answer)
          assert.match(answer.problem, /^(?:forbidden|dns)$/, answer.detail)
        }
        assert.equal(connections, 0)
      })
    }
  }

  test('is refused in the same words whether its port is open or not', async () => {
    const { port } = canary.address() as AddressInfo
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port: closedPort } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    const ask = (url: string) =>
      http.request(new URL(url), { method: 'GET', timeoutMs: 5_000, maxBytes: 100 })
    for (const host of ['127.0.0.1', '[::1]', 'inside.test', 'localhost']) {
      assert.deepEqual(await ask(`https://${host}:${port}/`), await ask(`https://${host}:${closedPort}/`))
    }
    assert.equal(connections, 0)
  })

  for (const port of [22, 25, 53, 110, 143, 465, 587, 993]) {
    test(`is refused at port ${port}, which speaks another protocol, wherever it leads`, async () => {
      const answer = await http.request(new URL(`https://8.8.8.8:${port}/`), {
        ...{ method: 'GET', timeoutMs: 5_000, maxBytes: 100 },
      })
      assert.equal('problem' in answer && answer.problem, 'forbidden')
    })
  }
})

test('a name with a permitted address in one answer and a forbidden one in the next never reaches the forbidden one', async () => {
  let connections = 0
  let asked = 0
  const listen = async (host: string, port: number, hear: () => void): Promise<Server> => {
    const server = createServer((_: IncomingMessage, response: ServerResponse) => {
      hear()
      response.setHeader('connection', 'close')
      response.end()
    })
    server.listen(port, host)
    await once(server, 'listening')
    return server
  }
  const receiver = await listen('127.0.0.1', 0, () => asked++)
  const { port } = receiver.address() as AddressInfo
  const canary = await listen('127.0.0.2', port, () => connections++)
  let questions = 0
  // Each lookup sends two queries, one for A records and one for AAAA records.
  const rebinding = () => ({ A: [questions++ % 4 < 2 ? '127.0.0.1' : '127.0.0.2'], ttl: 0 })
  const dns = await DnsHost.start({ 'rebinding.test': rebinding })
  const resolver = createResolver({ servers: [dns.server], cache: false })
  const http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.1/32'), plainHttp: true })
  try {
    const problems: string[] = []
    for (let request = 0; request < 30; request++) {
      const answer = await http.request(new URL(`http://rebinding.test:${port}/`), {
        ...{ method: 'GET', timeoutMs: 5_000, maxBytes: 100 },
      })
      if ('problem' in answer) problems.push(answer.problem)
    }
    assert.equal(connections, 0)
    assert.deepEqual([...new Set(problems)], ['forbidden'])
    assert.equal(asked, 30 - problems.length)
    assert.ok(asked > 0)
  } finally {
    await http.stop()
    await dns.stop()
    for (const server of [receiver, canary]) server.close()
  }
})
