import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createPlain, type RequestListener, type Server } from 'node:http'
import { createSecureServer as createHttp2 } from 'node:http2'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { certificateFor } from '../../test/support/authority.ts'
import { DnsHost, type DnsZone } from '../../test/support/dns-host.ts'
import { MAX_WAIT_MS } from '../../test/support/test-clock.ts'

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
  http.request(new URL(url), { method: 'GET', timeoutMs: 2_000, maxBytes: 1_000, ...more })

function problemIn(result: HttpAnswer | HttpProblem): string {
  assert.ok('problem' in result, JSON.stringify(result))
  return result.problem
}

const ZONE: DnsZone = { 'web.test': { A: ['127.0.0.1'] } }

test('sends the request to the checked address with its name', async () => {
  const port = await secured((request, response) => {
    response.setHeader('Content-Type', 'text/plain')
    response.end(`for ${request.headers.host?.replace(/:\d+/, '')}`)
  })
  const answer = await ask(await guard(ZONE), `https://web.test:${port}/`)
  assert.ok('status' in answer)
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/plain'])
  assert.equal(answer.body.toString(), 'for web.test')
})

test('sends a body', async () => {
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

describe('does not contact', () => {
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

  test('an address that the name has at the time of the request, even if it had another one before', async () => {
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

describe('reports why there is no answer', () => {
  test('the name does not exist, or the lookup fails', async () => {
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
    const result = await ask(await guard(ZONE), `https://web.test:${port}/`)
    assert.equal(problemIn(result), 'connection')
    assert.match('detail' in result ? result.detail : '', /^Connection refused: .* \(ECONNREFUSED\)\.$/)
  })

  test('the certificate is for another name, or of an unknown authority', async () => {
    const port = await secured((_, response) => void response.end(), ['other.test'])
    assert.equal(problemIn(await ask(await guard(ZONE), `https://web.test:${port}/`)), 'certificate')
  })

  test('the answer never arrives, or a byte at a time', async () => {
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

  test('the answer is too long, and the rest is not read', async () => {
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
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes`)
  })

  test('the answer is too long, and is truncated', async () => {
    const port = await listening(createPlain((_, response) => void response.end('x'.repeat(5_000))))
    const cut = { maxBytes: 100, longAnswer: 'cut' } as const
    const answer = await ask(await guard(ZONE), `http://web.test:${port}/`, cut)
    assert.ok('status' in answer)
    assert.deepEqual([answer.status, answer.body.length], [200, 100])
  })

  /** Starts a server that sends `head`, then sends `more` until the connection is closed, and counts the bytes. */
  async function flooding(head: string, more: string): Promise<{ port: number; sent: () => number }> {
    let sent = 0
    const piece = Buffer.from(more.repeat(Math.ceil(65_536 / more.length)))
    const server = createTcp((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        const go = () => {
          do sent += piece.length
          while (!socket.destroyed && socket.write(piece))
        }
        socket.on('drain', go)
        socket.resume().write(head)
        go()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(async () => void server.close())
    return { port: (server.address() as AddressInfo).port, sent: () => sent }
  }

  const CHUNKED = 'HTTP/1.1 200 Ok\r\nTransfer-Encoding: chunked\r\n\r\n'
  for (const [what, head, more] of [
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['interim answers with fields', '', `HTTP/1.1 102 Processing\r\nX: ${'x'.repeat(8_000)}\r\n\r\n`],
    ['chunks of a byte with long extensions', CHUNKED, `1;${'x'.repeat(8_000)}\r\na\r\n`],
    ['trailers', `${CHUNKED}0\r\n`, 'X-A: b\r\n'],
    ['empty lines', '', '\r\n'],
  ] as const) {
    test(`an answer with endless ${what} is read only in part`, async () => {
      const { port, sent } = await flooding(head, more)
      const long = { timeoutMs: MAX_WAIT_MS, maxBytes: 65_536, longAnswer: 'cut' } as const
      const problem = problemIn(await ask(await guard(ZONE), `http://web.test:${port}/`, long))
      assert.ok(['too_large', 'connection'].includes(problem), problem)
      // The socket buffers of the system hold a part of the flood; gigabytes would mean that the client does not limit
      // the flood.
      assert.ok(sent() < 32 * 1024 * 1024, `${sent()} bytes`)
    })
  }

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

test('requests only https by default', async () => {
  const dns = await DnsHost.start(ZONE)
  ends.push(() => dns.stop())
  const http = new OutgoingHttp({
    resolver: createResolver({ servers: [dns.server] }),
    allowed: parseNetworks('127.0.0.1/32'),
  })
  ends.push(() => http.stop())
  assert.equal(problemIn(await ask(http, 'http://web.test/')), 'forbidden')
})

test('uses HTTP/1.1 even with a host that prefers HTTP/2', async () => {
  const { key, cert } = await certificateFor(['web.test'])
  const server = createHttp2({ key, cert, allowHTTP1: true }, (request, response) => {
    response.end(request.httpVersion)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(async () => void server.close())
  const { port } = server.address() as AddressInfo
  const answer = await ask(await guard(ZONE), `https://web.test:${port}/`)
  assert.ok('status' in answer, JSON.stringify(answer))
  assert.equal(String(answer.body), '1.1')
})

test('an answer in many small pieces is complete, or truncated if too long', async () => {
  const port = await listening(
    createPlain((_, response) => {
      for (let left = 300; left > 0; left--) response.write(String(left % 10))
      response.end()
    }),
  )
  const whole = Array.from({ length: 300 }, (_, n) => (300 - n) % 10).join('')
  const http = await guard(ZONE)
  const answer = await ask(http, `http://web.test:${port}/`)
  assert.ok('status' in answer)
  assert.equal(String(answer.body), whole)
  const cut = await ask(http, `http://web.test:${port}/`, { maxBytes: 100, longAnswer: 'cut' })
  assert.ok('status' in cut)
  assert.equal(String(cut.body), whole.slice(0, 100))
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
