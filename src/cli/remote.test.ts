// Commands for an installation elsewhere that does not answer as it should: a clear sentence and the right exit code.

import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { testCertificate } from '../../test/support/certificate.ts'
import { systemClock } from '../lib/clock.ts'
import { type Finished, run } from './run.ts'

const KEY = 'manage_secret'

describe('an installation elsewhere', () => {
  const servers: { close(): unknown }[] = []
  after(() => {
    for (const server of servers) server.close()
  })

  async function listening(server: Server | NetServer): Promise<string> {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const serving = async (listener: RequestListener): Promise<string> =>
    `http://${await listening(createServer(listener))}`

  const cli = (url: string, ...words: readonly string[]): Promise<Finished> =>
    run(words, {
      env: { HOME: '/nowhere', POSTRIDER_URL: url, POSTRIDER_KEY: KEY },
      clock: systemClock,
      readInput: async () => '',
    })
  const says = async (url: string, sentence: RegExp, ...words: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await cli(url, ...(words.length > 0 ? words : ['domain', 'list']))
    assert.deepEqual([code, stdout], [1, ''], stderr)
    assert.match(stderr, sentence)
    assert.match(stderr, /^postrider: (?:[A-Z]|https?:|127)[^\n]*\n$/)
    assert.ok(!stderr.includes(KEY))
  }

  test('that is not there or has no name', async () => {
    const gone = createServer()
    const host = await listening(gone)
    await new Promise((resolve) => gone.close(resolve))
    await says(`http://${host}`, /Nothing listens at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/)
    await says('http://127.0.0.1:1', /cannot be reached \(bad port\)/)
    await says('https://no-such-host.invalid', /The host no-such-host\.invalid cannot be found/)
  })

  test('with a certificate that nobody trusts, or without TLS', async () => {
    const { cert, key } = await testCertificate()
    const tls = await listening(createTlsServer({ cert, key }))
    await says(`https://${tls}`, /The certificate of .* is not trusted \([A-Z_]+\); .*NODE_EXTRA_CA_CERTS/)
    const plain = await serving((_request, response) => response.end())
    await says(plain.replace('http:', 'https:'), /does not answer with TLS/)
  })

  test('behind a proxy that answers itself', async () => {
    const url = await serving((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
    })
    await says(url, /answers with status 502 with text\/html instead of JSON: .*proxy/)
    const page = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    })
    await says(page, /answers with status 200 with text\/html/)
    const moved = await serving((_request, response) => {
      response.writeHead(308, { location: 'https://elsewhere.test/' }).end()
    })
    await says(moved, /redirects to https:\/\/elsewhere\.test\//)
    const broken = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": [')
    })
    await says(broken, /The answer is not JSON/)
  })

  test('that cuts the connection gets the request once more, with the same Idempotency-Key', async () => {
    const keys: unknown[] = []
    const url = await serving((request, response) => {
      keys.push(request.headers['idempotency-key'])
      if (keys.length === 1) return void request.socket.destroy()
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ domain: 'a.test', domain_id: 'dom_1', status: 'pending', records: [] }))
    })
    assert.equal((await cli(url, 'domain', 'add', 'a.test')).code, 0)
    assert.match(String(keys[0]), /^[\w-]{36}$/)
    assert.equal(keys[0], keys[1])
    const cutting = createNetServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.destroy())
    })
    const cut = `http://${await listening(cutting)}`
    await says(cut, /cut the connection before its answer was complete/)
    await says(cut, /The change may have been made: look before/, 'domain', 'add', 'a.test')
  })

  test('that asks for a pause gets it, as far as it says how long', async () => {
    const refusal = JSON.stringify({ code: 'rate_limit_exceeded', detail: 'Slow down.', request_id: 'req_1' })
    let count = 0
    const url = await serving((_request, response) => {
      if (count++ === 0) {
        response
          .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '0' })
          .end(refusal)
      } else {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"data": [], "next_cursor": null}')
      }
    })
    assert.equal((await cli(url, 'domain', 'list')).code, 0)
    assert.equal(count, 2)
    const late = await serving((_request, response) => {
      response
        .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '3600' })
        .end(refusal)
    })
    await says(late, /Slow down\. Try again in 3600 seconds\./)
    // The clock of the server is an hour ahead of the clock of this machine.
    const ahead = await serving((_request, response) => {
      const now = Date.now() + 3_600_000
      const times = {
        date: new Date(now).toUTCString(),
        'retry-after': new Date(now + 90_000).toUTCString(),
      }
      response.writeHead(429, { 'content-type': 'application/problem+json', ...times }).end(refusal)
    })
    await says(ahead, /Slow down\. Try again in 90 seconds\./)
    const vague = await serving((_request, response) => {
      response.writeHead(429, { 'content-type': 'text/plain' }).end('no')
    })
    await says(
      vague,
      /status 429 with text\/plain instead of JSON: too many requests were sent; try again later/,
    )
    const { stdout } = await cli(late, 'domain', 'list', '--json')
    assert.partialDeepStrictEqual(JSON.parse(stdout).error, {
      code: 'rate_limit_exceeded',
      request_id: 'req_1',
    })
  })

  test('cannot write to the terminal, nor name files', async () => {
    const hostile = await serving((_request, response) => {
      response.writeHead(422, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ code: 'new_code', detail: 'No\u001b[2J!', errors: [] }))
    })
    const { code, stderr } = await cli(hostile, 'domain', 'list')
    assert.deepEqual([code, stderr], [1, 'postrider: No\\x1b[2J!\n'])
    const naming = await serving((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const template = { template_id: 'tpl_1', layout_id: 'lay_1', alias: '../../x', name: 'x' }
      response.end(JSON.stringify({ ...template, data: [template], next_cursor: null, url: request.url }))
    })
    await says(naming, /alias/, 'template', 'pull', '/nowhere/at/all', '--domain', 'a.test')
    const endless = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ data: [], next_cursor: 'same' }))
    })
    assert.equal((await cli(endless, 'domain', 'list')).code, 0)
  })

  test('is named completely, and only for commands that work there', async () => {
    const env = { HOME: '/nowhere' }
    const refused = async (words: string, more: Record<string, string> = {}): Promise<string> => {
      const { code, stderr } = await run(words.split(' '), {
        ...{ env: { ...env, ...more }, clock: systemClock, readInput: async () => `${KEY}\n` },
      })
      assert.equal(code, 2, words)
      return stderr
    }
    assert.match(await refused('domain list --url https://mail.test'), /The URL needs a key: POSTRIDER_KEY/)
    assert.match(await refused('domain list --key -'), /A key needs the URL/)
    assert.match(await refused('domain list --url ftp://mail.test --key x'), /Give a URL such as https:/)
    assert.match(await refused('--url https://u:p@mail.test --key x domain list'), /Give a URL such as/)
    assert.match(
      await refused('backup x.db --url https://mail.test'),
      /`backup` works only on the machine of the service, and takes no --url/,
    )
    assert.match(await refused('doctor --profile prod'), /works only on the machine/)
    assert.match(await refused('domain list --profile prod --key x'), /cannot be combined/)
    assert.match(
      await refused('suppression import --url http://127.0.0.1:1 --key - --domain a.test'),
      /both read standard input/,
    )
    assert.match(
      await refused('erase a@b.test', { POSTRIDER_URL: 'http://127.0.0.1:1', POSTRIDER_KEY: KEY }),
      /--domain/,
    )
  })
})
