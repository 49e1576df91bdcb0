// Tests of requests against servers that are missing, untrusted, cut off, busy, or not Postrider.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { after, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { testCertificate } from '../../../test/support/certificate.ts'
import { headersOf, Postrider, PostriderError, type PostriderOptions } from './index.ts'

const KEY = 'send_the-secret-of-the-tests'
const MESSAGE = {
  from: 'a@example.test',
  to: [{ email: 'b@example.test' }],
  subject: 'Hello',
  text: 'Hello.',
}
const PROBLEM = { type: 'urn:postrider:problem:x', title: 'No', detail: 'It is full.', request_id: 'req_1' }

const servers: Server[] = []
after(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server) (server as { closeAllConnections(): void }).closeAllConnections()
    server.close()
  }
})

async function listening(server: Server, protocol = 'http'): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const clientOf = (url: string, options: Partial<PostriderOptions> = {}): Postrider =>
  new Postrider({ url, key: KEY, pauseMs: 1, ...options })

type Step = (response: ServerResponse, request: IncomingMessage) => void

/** Starts a server that answers one request after the other by these steps, the last step for all others. */
async function scripted(...steps: readonly Step[]) {
  const seen: {
    readonly key: string | undefined
    readonly body: string
    readonly url: string | undefined
  }[] = []
  const answer: RequestListener = async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    seen.push({ key: request.headers['idempotency-key'] as string | undefined, body, url: request.url })
    steps[Math.min(seen.length, steps.length) - 1]?.(response, request)
  }
  return { url: await listening(createServer(answer)), seen }
}

const json = (status: number, body: object, headers: Record<string, string> = {}): Step => {
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  return (response) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body))
}
const refused = (status: number, code: string, headers = {}): Step =>
  json(status, { ...PROBLEM, status, code }, headers)
const accepted = json(202, { message_id: 'msg_1' })

const failure = async (promise: PromiseLike<unknown>): Promise<PostriderError> => {
  const error: unknown = await promise.then(
    () => assert.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof PostriderError, inspect(error))
  assert.doesNotMatch(inspect(error, { depth: 9 }), /the-secret/)
  return error
}

describe('a request', () => {
  test('to a host that is missing or refuses says so, and names the address', async () => {
    const tcp = createTcpServer()
    const url = await listening(tcp)
    tcp.close()
    for (const address of [url, 'http://nowhere.invalid']) {
      const error = await failure(clientOf(address).key.get())
      assert.deepEqual([error.status, error.code], [0, 'connection_failed'])
      assert.match(
        error.message,
        new RegExp(`^There is no complete response from ${address} \\(E[A-Z_]+\\)\\.`),
      )
    }
  })

  test('to a server with an untrusted certificate is not repeated', async () => {
    const { cert, key } = await testCertificate()
    let connections = 0
    const server = createTlsServer({ cert, key }).on('connection', () => connections++)
    const error = await failure(clientOf(await listening(server, 'https')).key.get())
    assert.equal(error.code, 'certificate_untrusted')
    assert.match(error.message, /NODE_EXTRA_CA_CERTS/)
    assert.equal(connections, 1)
  })

  test('names a page of a proxy and a redirect as what they are', async () => {
    const page =
      (status: number): Step =>
      (response) =>
        response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Log in</h1>')
    for (const status of [200, 403, 404]) {
      const { url, seen } = await scripted(page(status))
      const error = await failure(clientOf(url).messages.send(MESSAGE))
      assert.deepEqual([error.status, error.code, seen.length], [status, 'unexpected_response', 1])
      assert.match(error.message, /text\/html/)
    }
    const other = await scripted(accepted)
    const { url } = await scripted((response) => response.writeHead(302, { location: other.url }).end())
    const error = await failure(clientOf(url).messages.send(MESSAGE))
    assert.equal(error.code, 'unexpected_response')
    assert.ok(error.message.includes(other.url))
    assert.equal(other.seen.length, 0)
    // The error page of a proxy whose service restarts is repeated, as the status says.
    const busy = await scripted(page(503), page(502), accepted)
    assert.equal((await clientOf(busy.url).messages.send(MESSAGE)).message_id, 'msg_1')
  })

  test('is repeated with the same key and body when the connection is cut before, in and after the response', async () => {
    const text = JSON.stringify({ message_id: 'msg_1' })
    const cut = (length: number | undefined, bytes: string): Step => {
      const head = `HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\n`
      const size = length === undefined ? '' : `content-length: ${length}\r\n`
      return (response) => void response.socket?.end(`${head}${size}\r\n${bytes}`)
    }
    const cuts: readonly Step[] = [
      (response) => response.destroy(),
      (response) => void response.socket?.end('HTTP/1.1 202 Acc'),
      cut(text.length, ''),
      ...Array.from(text, (_, length) => cut(text.length, text.slice(0, length))),
      // Without a length only the JSON shows that the response is incomplete.
      ...Array.from(text, (_, length) => cut(undefined, text.slice(0, length))),
    ]
    for (const step of cuts) {
      const { url, seen } = await scripted(step, accepted)
      assert.deepEqual(await clientOf(url).messages.send(MESSAGE), { message_id: 'msg_1' })
      assert.equal(seen.length, 2)
      assert.deepEqual(seen[0], seen[1])
      assert.match(seen[0]?.key ?? '', /^[0-9a-f-]{36}$/)
    }
    const { url, seen } = await scripted((response) => response.destroy())
    const error = await failure(clientOf(url).messages.send(MESSAGE, { idempotencyKey: 'order-7' }))
    assert.deepEqual([error.code, seen.length, seen[3]?.key], ['connection_failed', 4, 'order-7'])
  })

  test('waits after 429 as long as it is told, and no longer than a minute', async () => {
    const { url, seen } = await scripted(
      refused(429, 'rate_limit_exceeded'),
      refused(503, 'unavailable'),
      accepted,
    )
    await clientOf(url).messages.send(MESSAGE)
    assert.equal(seen.length, 3)
    const began = performance.now()
    const told = await scripted(refused(429, 'rate_limit_exceeded', { 'retry-after': '1' }), accepted)
    await clientOf(told.url).messages.send(MESSAGE)
    assert.ok(performance.now() - began >= 1_000)
    const long = await scripted(refused(429, 'rate_limit_exceeded', { 'retry-after': '3600' }), accepted)
    const error = await failure(clientOf(long.url).messages.send(MESSAGE))
    assert.deepEqual([error.status, error.retryAfterMs, long.seen.length], [429, 3_600_000, 1])
  })

  test('counts a date of Retry-After from the clock of the server', async () => {
    const now = Date.now() - 3_600_000
    const times = { date: new Date(now).toUTCString(), 'retry-after': new Date(now + 61_000).toUTCString() }
    const { url } = await scripted(refused(503, 'unavailable', times))
    const error = await failure(clientOf(url).messages.send(MESSAGE))
    assert.equal(error.retryAfterMs, 61_000)
    for (const value of ['soon', '-1', '1e9', '']) {
      const odd = await scripted(refused(503, 'unavailable', { 'retry-after': value }), accepted)
      assert.equal((await clientOf(odd.url).messages.send(MESSAGE)).message_id, 'msg_1', value)
    }
  })

  test('is repeated after another fault of the service only with an Idempotency-Key', async () => {
    const posted = await scripted(refused(500, 'internal_error'), accepted)
    await clientOf(posted.url).messages.send(MESSAGE)
    assert.equal(posted.seen.length, 2)
    const read = await scripted(refused(500, 'internal_error'), json(200, {}))
    assert.equal((await failure(clientOf(read.url).messages.get('msg_1'))).code, 'internal_error')
    assert.equal(read.seen.length, 1)
  })

  test('waits for its lost attempt to end, and takes a deleted object for deleted', async () => {
    const lost: Step = (response) => response.destroy()
    const { url, seen } = await scripted(lost, refused(409, 'conflict'), accepted)
    assert.equal((await clientOf(url).messages.send(MESSAGE)).message_id, 'msg_1')
    assert.equal(seen.length, 3)
    assert.equal(
      (await failure(clientOf((await scripted(refused(409, 'conflict'))).url).messages.send(MESSAGE))).status,
      409,
    )
    const deleted = await scripted(lost, refused(404, 'not_found'))
    assert.equal(await clientOf(deleted.url).templates.delete('welcome'), undefined)
    const missing = await scripted(refused(404, 'not_found'))
    assert.equal((await failure(clientOf(missing.url).templates.delete('welcome'))).status, 404)
    // A repeat under `If-Match` would be refused, because the first attempt may have changed the version.
    const versioned = await scripted(lost, json(200, {}))
    await failure(clientOf(versioned.url).domains.update('a.example', {}, { ifMatch: '"1"' }))
    assert.equal(versioned.seen.length, 1)
  })

  test('throws a problem with all of its fields', async () => {
    const errors = [{ path: 'to[0].email', code: 'invalid', message: 'No address.' }]
    const { url } = await scripted(json(422, { ...PROBLEM, status: 422, code: 'validation_failed', errors }))
    const error = await failure(clientOf(url).messages.send(MESSAGE))
    assert.deepEqual(
      [error.status, error.code, error.errors, error.request_id, error.problem?.title],
      [422, 'validation_failed', errors, 'req_1', 'No'],
    )
    assert.equal(error.message, 'It is full.\nto[0].email: No address.')
  })

  test('ends with its signal, before, during and between attempts', async () => {
    const reason = new Error('enough')
    await assert.rejects(
      clientOf('http://nowhere.invalid').key.get({ signal: AbortSignal.abort(reason) }),
      reason,
    )
    const during = new AbortController()
    const hanging = await scripted(() => during.abort(reason))
    await assert.rejects(clientOf(hanging.url).key.get({ signal: during.signal }), reason)
    const between = new AbortController()
    const busy = await scripted((response, request) => {
      refused(503, 'unavailable', { 'retry-after': '60' })(response, request)
      response.on('close', () => setImmediate(() => between.abort(reason)))
    })
    await assert.rejects(clientOf(busy.url).key.get({ signal: between.signal }), reason)
  })

  test('ends after its time', async () => {
    const { url } = await scripted(() => {})
    let attempts = 0
    const counting: typeof fetch = (input, init) => {
      attempts++
      return fetch(input, init)
    }
    const options = { timeoutMs: 20, repeats: 1, fetch: counting }
    const error = await failure(clientOf(url, options).key.get())
    assert.deepEqual([error.code, attempts], ['timeout', 2])
    assert.match(error.message, /within 0\.02 s/)
  })

  test('keeps its path, and escapes names', async () => {
    const { url, seen } = await scripted(json(200, {}))
    const postrider = clientOf(`${url}/mail/`)
    await postrider.templates.get('a/b?c#ü')
    assert.equal(seen[0]?.url, '/mail/v1/templates/a%2Fb%3Fc%23%C3%BC')
    for (const name of ['', '.', '..', undefined]) {
      assert.throws(() => postrider.templates.get(name as string), {
        message: /^idOrAlias is missing|^id_or_alias is missing/,
      })
    }
    await postrider.domain('a.example').messages.list({ recipient: 'a+b@c.example', 'metadata.x y': '1&2' })
    assert.equal(
      seen[1]?.url,
      '/mail/v1/messages?domain=a.example&recipient=a%2Bb%40c.example&metadata.x+y=1%262',
    )
  })

  test('gives the header fields of its response', async () => {
    const { url } = await scripted(json(200, { alias: 'a' }, { etag: '"7"' }))
    const template = await clientOf(url).templates.get('a')
    assert.equal(headersOf(template)?.get('etag'), '"7"')
    assert.equal(headersOf({}), undefined)
  })
})

test('a client refuses an address or a key that cannot be right, and does not show its key', () => {
  for (const url of [
    'mail.example.com',
    'ftp://a.example',
    'https://a.example/v1',
    'https://u:p@a.example',
    'https://a.example/?a',
  ]) {
    assert.throws(() => clientOf(url), TypeError, url)
  }
  for (const key of ['', 'send_a b', 'send_\n', 'send_ü']) {
    assert.throws(() => clientOf('https://a.example', { key }), { message: /^key is a key such as/ })
  }
  const postrider = clientOf('https://a.example')
  assert.doesNotMatch(
    inspect(postrider, { depth: 9, showHidden: true }) + JSON.stringify(postrider),
    /the-secret/,
  )
})

test('a web page may use public keys only', () => {
  Object.assign(globalThis, { document: {} })
  try {
    assert.throws(() => clientOf('https://a.example'), { message: /use a public key/ })
    clientOf('https://a.example', { key: 'public_x' })
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
  }
})

describe('a list', () => {
  const pages: Step = (response, request) => {
    const cursor = new URL(request.url ?? '', 'http://a').searchParams.get('cursor')
    const page = { a: { data: [], next_cursor: 'b' }, b: { data: [3], next_cursor: null } }[cursor ?? '']
    json(200, page ?? { data: [1, 2], next_cursor: 'a' })(response, request)
  }

  test('is one page when awaited, and all items when iterated', async () => {
    const { url, seen } = await scripted(pages)
    const list = clientOf(url).messages.list({ limit: 2 })
    assert.equal(seen.length, 0)
    assert.deepEqual(await list, { data: [1, 2], next_cursor: 'a' })
    assert.deepEqual(await Array.fromAsync(list as AsyncIterable<unknown>), [1, 2, 3])
    assert.deepEqual(
      seen.map((one) => one.url?.slice('/v1/messages'.length)),
      ['?limit=2', '?limit=2', '?limit=2&cursor=a', '?limit=2&cursor=b'],
    )
    const rest = clientOf(url).messages.list({ cursor: 'b' })
    assert.deepEqual(await Array.fromAsync(rest.pages()), [{ data: [3], next_cursor: null }])
  })

  test('that can be followed ends where its cursor stays the same', async () => {
    const { url, seen } = await scripted(
      json(200, { data: [1], next_cursor: '5' }),
      json(200, { data: [], next_cursor: '5' }),
    )
    assert.deepEqual(
      await Array.fromAsync(clientOf(url).events.list({ order: 'asc' }) as AsyncIterable<unknown>),
      [1],
    )
    assert.equal(seen.length, 2)
  })

  test('throws its refusal, also by catch', async () => {
    const { url } = await scripted(refused(403, 'scope_not_permitted'))
    assert.equal((await failure(clientOf(url).messages.list())).code, 'scope_not_permitted')
    assert.equal(
      await clientOf(url)
        .messages.list()
        .catch(() => 'caught'),
      'caught',
    )
  })

  test('is a table in another format', async () => {
    const { url } = await scripted((response) =>
      response.writeHead(200, { 'content-type': 'text/csv' }).end('a,b\n'),
    )
    assert.equal(await clientOf(url).messages.list({ format: 'csv' }), 'a,b\n')
  })
})

describe('a client for an account', () => {
  const start = Date.parse('2001-01-01T00:00:00Z')
  const minted = (n: number, lifeMs: number) => ({
    key: `manage_minted-${n}`,
    created_at: new Date(start).toISOString(),
    expires_at: new Date(start + lifeMs).toISOString(),
  })

  /** Starts a service that mints keys, and refuses the keys of `ended`. */
  async function minting(lifeMs: number, ended = new Set<string>()) {
    const used: string[] = []
    let keys = 0
    const { url } = await scripted((response, request) => {
      const key = request.headers.authorization?.slice('Bearer '.length) ?? ''
      if (request.url === '/v1/key') {
        return json(200, { grants: ['messages:send', 'accounts:read'] })(response, request)
      }
      if (request.url === '/v1/accounts/acc_1/keys')
        return json(201, minted(++keys, lifeMs))(response, request)
      used.push(key)
      if (ended.has(key)) return refused(401, 'authentication_failed')(response, request)
      return json(200, { data: [], next_cursor: null })(response, request)
    })
    return { postrider: clientOf(url).forAccount('acc_1'), used, keys: () => keys }
  }

  test('mints one key for all of its calls, whatever the clock of this machine says', async () => {
    const { postrider, used, keys } = await minting(3_600_000)
    await Promise.all([postrider.domains.list(), postrider.domains.list(), postrider.keys.list()])
    await postrider.domains.list()
    assert.deepEqual(new Set(used), new Set(['manage_minted-1']))
    assert.equal(keys(), 1)
  })

  test('mints another key when the first one ends, or is refused', async () => {
    const short = await minting(0)
    await short.postrider.domains.list()
    await short.postrider.domains.list()
    assert.deepEqual(short.used, ['manage_minted-1', 'manage_minted-2'])
    const ended = await minting(3_600_000, new Set(['manage_minted-1']))
    await ended.postrider.domains.list()
    assert.deepEqual(ended.used, ['manage_minted-1', 'manage_minted-2'])
    const all = await minting(3_600_000, new Set(['manage_minted-1', 'manage_minted-2']))
    assert.equal((await failure(all.postrider.domains.list())).status, 401)
  })
})
