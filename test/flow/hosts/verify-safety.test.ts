// The service never connects to special-use addresses, for mail or for a verification, and the response does not reveal
// whether a server listens at such an address.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import type { DnsZone } from '../../support/dns-host.ts'
import { verify } from '../../support/verification.ts'

/** Addresses of this machine at which a server listens on the port of mail hosts. */
const INSIDE = ['127.0.0.1', '127.0.0.2', '127.1.2.3']

describe('special-use addresses', () => {
  let app: TestApp
  const listeners: Server[] = []
  let connections = 0
  const zone: DnsZone = {
    'loopback.example': { MX: ['10 loopback-host.example'] },
    'loopback-host.example': { A: ['127.0.0.1'] },
    'closed.example': { MX: ['10 closed-host.example'] },
    'closed-host.example': { A: ['127.0.0.77'] },
    'several.example': { MX: INSIDE.map((_, index) => `${index} inside${index}.example`) },
    ...Object.fromEntries(INSIDE.map((address, index) => [`inside${index}.example`, { A: [address] }])),
    'implicit.example': { A: ['127.0.0.1'], AAAA: ['::1'] },
    'six.example': { MX: ['10 six-host.example'] },
    'six-host.example': { AAAA: ['::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '::'] },
    'named.example': { MX: ['10 localhost'] },
    localhost: { A: ['127.0.0.1'], AAAA: ['::1'] },
    'literal.example': { MX: ['10 127.0.0.1'] },
    'private.example': { MX: ['10 private-host.example'] },
    'private-host.example': { A: ['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '0.0.0.0'] },
    'alias.example': { MX: ['10 alias-host.example'] },
    'alias-host.example': { CNAME: 'loopback-host.example' },
  }
  const domains = Object.keys(zone).filter((name) => !/host|^inside|^localhost/.test(name))

  before(async () => {
    const first = createServer(() => connections++).listen(0, '127.0.0.1')
    await once(first, 'listening')
    const { port } = first.address() as AddressInfo
    listeners.push(first)
    for (const address of INSIDE.slice(1)) {
      const server = createServer(() => connections++).listen(port, address)
      await once(server, 'listening')
      listeners.push(server)
    }
    app = await TestApp.start({
      zone,
      env: { POSTRIDER_ALLOW_PRIVATE_NETWORKS: '', POSTRIDER_MX_PORT: String(port) },
    })
  })
  after(async () => {
    await app.stop()
    for (const listener of listeners) listener.close()
  })

  for (const domain of domains) {
    test(`${domain} has no mail server`, async () => {
      const { body } = await verify(app, `somebody@${domain}`)
      assert.equal(body.internalResult, 'no_mail_server', JSON.stringify(body))
      assert.equal('mxServerIp' in body, false)
    })
  }

  test('the answer is the same whether the port is open or not, and as fast', async () => {
    const answers = []
    for (const domain of ['loopback.example', 'closed.example']) {
      const times: number[] = []
      for (let i = 0; i < 10; i++) times.push((await verify(app, `x${i}@${domain}`)).body.latencyMs)
      const { body } = await verify(app, `somebody@${domain}`)
      answers.push({ ...body, email: '', mxServer: '', latencyMs: 0 })
      assert.ok(Math.min(...times) < 50, times.join())
    }
    assert.deepEqual(answers[0], answers[1])
  })

  test('no connection was made', () => {
    assert.ok(domains.length >= 9)
    assert.equal(connections, 0)
    assert.equal(app.host.connections.length, 0)
  })
})

test('one verification sends ten DNS queries at most, whatever a domain answers', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `mx${index}.many.example`)
  const app = await TestApp.start({
    zone: {
      'many.example': { MX: names.map((name, index) => `${index} ${name}`) },
      '*.many.example': { CNAME: 'loop.example' },
      'loop.example': { CNAME: 'loop2.example' },
      'loop2.example': { CNAME: 'loop.example' },
      'slow.example': { MX: ['10 mx1.slow.example', '20 mx2.slow.example', '30 mx3.slow.example'] },
      '*.slow.example': 'TIMEOUT',
    },
  })
  try {
    for (const domain of ['many.example', 'slow.example']) {
      const before = app.dns.queries.length
      const { body } = await verify(app, `somebody@${domain}`)
      assert.notEqual(body.result, 'deliverable')
      assert.ok(app.dns.queries.length - before <= 10, `${domain}: ${app.dns.queries.length - before}`)
    }
  } finally {
    await app.stop()
  }
})
