import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createPlain, type RequestListener, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { certificateFor } from '../../test/support/authority.ts'
import { DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { type HttpAnswer, type HttpProblem, OutgoingHttp, type OutgoingRequest } from './outgoing-http.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function closing(server: Server): void {
  ends.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
}

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  closing(server)
  return (server.address() as AddressInfo).port
}

async function secured(listener: RequestListener, names = ['web.test']): Promise<number> {
  const { key, cert } = await certificateFor(names)
  return listening(createServer({ key, cert }, listener) as unknown as Server)
}

async function guard(zone: DnsZone, allowed = '127.0.0.1/32'): Promise<OutgoingHttp> {
  const dns = await DnsHost.start(zone)
  ends.push(() => dns.stop())
  const http = new OutgoingHttp({
    resolver: createResolver({ servers: [dns.server] }),
    allowed: parseNetworks(allowed),
    plainHttp: true,
  })
  ends.push(() => http.stop())
  return http
}

const ask = (http: OutgoingHttp, url: string, more: Partial<OutgoingRequest> = {}) =>
  http.request(new URL(url), { method: 'GET', timeoutMs: 2_000, mostOctets: 1_000, ...more })

function problemIn(result: HttpAnswer | HttpProblem): string {
  assert.ok('problem' in result, JSON.stringify(result))
  return result.problem
}

const ZONE: DnsZone = { 'web.test': { A: ['127.0.0.1'] } }

test('asks the checked address by its name', async () => {
  const port = await secured((request, response) => {
    response.setHeader('Content-Type', 'text/plain')
    response.end(`for ${request.headers.host?.replace(/:\d+/, '')}`)
  })
  const answer = await ask(await guard(ZONE), `https://web.test:${port}/`)
  assert.ok('status' in answer)
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/plain'])
  assert.equal(answer.body.toString(), 'for web.test')
})

test('hands over a body', async () => {
  const port = await listening(
    createPlain((request, response) => {
      request.pipe(response)
    }),
  )
  const options = {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json' },
  } as const
  const answer = await ask(await guard(ZONE), `http://web.test:${port}/`, options)
  assert.ok('status' in answer)
  assert.equal(answer.body.toString(), '{"a":1}')
})

describe('does not speak to', () => {
  const FORBIDDEN = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://inside.test/',
    'https://inside.test:8443/',
    'http://user:password@web.test/',
    'http://user@web.test/',
    'file:///etc/passwd',
    'ftp://web.test/',
    'gopher://web.test:25/',
  ]
  for (const url of FORBIDDEN) {
    test(url, async () => {
      const http = await guard({ ...ZONE, 'inside.test': { A: ['10.0.0.1'], AAAA: ['::1', 'fd00::1'] } }, '')
      assert.equal(problemIn(await ask(http, url)), 'forbidden')
    })
  }

  test('an address that the name has by the time of the request, though it had another one', async () => {
    let asked = 0
    const port = await listening(
      createPlain((_, response) => {
        asked++
        response.end()
      }),
    )
    const dns = await DnsHost.start({ 'web.test': { A: ['127.0.0.1'], ttl: 0 } })
    ends.push(() => dns.stop())
    const resolver = createResolver({ servers: [dns.server] })
    const http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.1/32'), plainHttp: true })
    ends.push(() => http.stop())
    await ask(http, `http://web.test:${port}/`, { headers: { connection: 'close' } })
    dns.set('web.test', { A: ['127.0.0.2'], ttl: 0 })
    const second = await ask(http, `http://web.test:${port}/`, { headers: { connection: 'close' } })
    assert.equal(problemIn(second), 'forbidden')
    assert.equal(asked, 1)
  })
})

describe('says why there is no answer', () => {
  test('the name does not exist, or nobody knows', async () => {
    const http = await guard({ 'broken.test': 'SERVFAIL' })
    assert.equal(problemIn(await ask(http, 'https://nowhere.test/')), 'dns')
    assert.equal(problemIn(await ask(http, 'https://broken.test/')), 'dns')
  })

  test('nobody listens', async () => {
    const closed = createPlain()
    closed.listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    assert.equal(problemIn(await ask(await guard(ZONE), `https://web.test:${port}/`)), 'connection')
  })

  test('the certificate is for another name, or of nobody known', async () => {
    const port = await secured((_, response) => void response.end(), ['other.test'])
    assert.equal(problemIn(await ask(await guard(ZONE), `https://web.test:${port}/`)), 'certificate')
  })

  test('the answer never comes, or a byte at a time', async () => {
    const http = await guard(ZONE)
    const silent = await listening(createPlain(() => {}))
    const late = { timeoutMs: 300 }
    assert.equal(problemIn(await ask(http, `http://web.test:${silent}/`, late)), 'timeout')
    const slow = await listening(
      createPlain((_, response) => {
        const timer = setInterval(() => response.write('x'), 20)
        response.on('close', () => clearInterval(timer))
      }),
    )
    assert.equal(problemIn(await ask(http, `http://web.test:${slow}/`, late)), 'timeout')
  })

  test('the answer is too long, and no more of it is read', async () => {
    let written = 0
    const port = await listening(
      createPlain((_, response) => {
        const more = () => {
          do written += 65_536
          while (!response.destroyed && response.write(Buffer.alloc(65_536)))
        }
        response.on('drain', more)
        more()
      }),
    )
    assert.equal(problemIn(await ask(await guard(ZONE), `http://web.test:${port}/`)), 'too_large')
    assert.ok(written < 32 * 1024 * 1024, `${written} octets`)
  })

  test('the answer is too long, and its beginning is wanted', async () => {
    const port = await listening(createPlain((_, response) => void response.end('x'.repeat(5_000))))
    const cut = { mostOctets: 100, longAnswer: 'cut' } as const
    const answer = await ask(await guard(ZONE), `http://web.test:${port}/`, cut)
    assert.ok('status' in answer)
    assert.deepEqual([answer.status, answer.body.length], [200, 100])
  })

  test('the header is too long', async () => {
    const port = await listening(
      createPlain((_, response) => {
        response.setHeader('X-Long', 'x'.repeat(60_000))
        response.end()
      }),
    )
    assert.equal(problemIn(await ask(await guard(ZONE), `http://web.test:${port}/`)), 'connection')
  })
})

test('requests https alone unless told', async () => {
  const dns = await DnsHost.start(ZONE)
  ends.push(() => dns.stop())
  const http = new OutgoingHttp({
    resolver: createResolver({ servers: [dns.server] }),
    allowed: parseNetworks('127.0.0.1/32'),
  })
  ends.push(() => http.stop())
  assert.equal(problemIn(await ask(http, 'http://web.test/')), 'forbidden')
})

test('follows no redirect', async () => {
  const port = await listening(
    createPlain((_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.2/' })
      response.end()
    }),
  )
  const answer = await ask(await guard(ZONE), `http://web.test:${port}/`)
  assert.ok('status' in answer)
  assert.equal(answer.status, 302)
})
