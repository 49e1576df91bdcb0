import assert from 'node:assert/strict'
import { createServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { createResolver } from '../dns/resolver.ts'
import { systemClock } from '../lib/clock.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { LinkProbe, worksOnce } from './link-probe.ts'
import { askSpamFilter, readRspamd } from './spam-filter.ts'

const http = new OutgoingHttp({
  resolver: createResolver({ servers: [], clock: systemClock }),
  allowed: { includes: () => true },
  plainHttp: true,
})
after(() => http.stop())

const requests: string[] = []
const site = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`)
  const { url = '' } = request
  if (url === '/moved') response.writeHead(302, { location: '/gone' })
  else if (url === '/no-head') response.statusCode = request.method === 'HEAD' ? 405 : 206
  else if (url === '/loop') response.writeHead(302, { location: '/loop' })
  else
    response.statusCode =
      ({ '/gone': 404, '/down': 500, '/members': 401 } as Record<string, number>)[url] ?? 200
  response.end()
})
const portOf = async (server: HttpServer | ReturnType<typeof createTcpServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return (server.address() as AddressInfo).port
}

describe('links', () => {
  it('asks with HEAD, follows redirects, and requests no link that works once', async () => {
    const base = `http://127.0.0.1:${await portOf(site)}`
    const paths = [
      '/',
      '/gone',
      '/moved',
      '/no-head',
      '/loop',
      '/down',
      '/members',
      '/confirm/12',
      '/x?token=12',
    ]
    const probe = new LinkProbe(http)
    const [states, isComplete] = await probe.states(paths.map((path) => `${base}${path}`))
    const dead = [...states]
      .filter(([, state]) => state === undefined || state.dead !== undefined)
      .map(([url]) => url.slice(base.length))
    assert.deepEqual(dead.toSorted(), ['/down', '/gone', '/moved'])
    assert.equal(isComplete, false)
    assert.equal(
      requests.some((one) => /confirm|token/.test(one)),
      false,
    )
    assert.deepEqual(
      requests.filter((one) => !one.startsWith('HEAD')),
      ['GET /no-head'],
    )
    const asked = requests.length
    await probe.states([`${base}/gone`])
    assert.equal(requests.length, asked, 'the answer is kept')
  })

  it('reports a host without a listener as dead', async () => {
    const server = createServer()
    const port = await portOf(server)
    await new Promise((resolve) => server.close(resolve))
    const [states] = await new LinkProbe(http).states([`http://127.0.0.1:${port}/`])
    const [state] = states.values()
    assert.ok(state?.dead !== undefined && state.first === 0, JSON.stringify(state))
  })

  it('knows links that work once', () => {
    for (const url of [
      'https://a.de/unsubscribe?u=1',
      'https://a.de/reset/1',
      `https://a.de/${'a1'.repeat(20)}`,
    ]) {
      assert.equal(worksOnce(url), true, url)
    }
    assert.equal(worksOnce('https://a.de/orders/12?utm_source=mail'), false)
  })
})

const RAW = Buffer.from('Subject: Hi\r\n\r\nText\r\n')
const MAIL = { raw: RAW, from: 'shop@shop.de', recipient: 'ann@gmail.com' }

describe('spam filters', () => {
  it('asks Rspamd by its protocol', async () => {
    const seen: object[] = []
    const server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece) => pieces.push(piece))
      request.on('end', () => {
        const { from, rcpt, helo, password, pass } = request.headers
        seen.push({
          call: `${request.method} ${request.url}`,
          from,
          rcpt,
          helo,
          password,
          pass,
          body: Buffer.concat(pieces).toString(),
        })
        response.end(
          JSON.stringify({
            ...{ score: 6.2, required_score: 15, action: 'add header' },
            symbols: {
              MISSING_DATE: { name: 'MISSING_DATE', score: 1, description: 'No date' },
              R_DKIM: { score: -0.2 },
            },
          }),
        )
      })
    })
    const url = new URL(`rspamd+http://:secret@127.0.0.1:${await portOf(server)}`)
    const score = await askSpamFilter(url, http, { helo: 'mail.shop.de' })(MAIL)
    assert.deepEqual(score, {
      ...{ filter: 'rspamd', score: 6.2, required: 15 },
      rules: [
        { name: 'MISSING_DATE', score: 1, description: 'No date' },
        { name: 'R_DKIM', score: -0.2, description: '' },
      ],
    })
    assert.deepEqual(seen, [
      {
        ...{ call: 'POST /checkv2', from: MAIL.from, rcpt: MAIL.recipient, helo: 'mail.shop.de' },
        ...{ password: 'secret', pass: 'all', body: RAW.toString() },
      },
    ])
  })

  it('asks SpamAssassin by its protocol', async () => {
    let request = ''
    const port = await spamd((socket) => {
      socket.on('data', (piece) => {
        request += piece
      })
      socket.on('end', () => socket.end(SPAMD))
    })
    const score = await askSpamFilter(new URL(`spamd://127.0.0.1:${port}`), http, { helo: 'a' })(MAIL)
    assert.equal(request, `REPORT SPAMC/1.5\r\nContent-length: ${RAW.length}\r\n\r\n${RAW}`)
    assert.deepEqual(score, {
      ...{ filter: 'spamassassin', score: 6.1, required: 5 },
      rules: [
        {
          name: 'MISSING_HEADERS',
          score: 1.2,
          description: 'Missing To: header, which no program leaves out',
        },
        { name: 'NO_RELAYS', score: -0.1, description: 'Informational: message was not relayed via SMTP' },
      ],
    })
  })

  it('has no score if the filter is away or answers garbage', async () => {
    const garbage = await spamd((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\nSpam: True ; 1 / 5'))
    const cut = await spamd((socket) => socket.destroy())
    const endless = await spamd((socket) => {
      socket.on('error', () => {})
      const write = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'a')));
      }
      socket.on('drain', write)
      write()
    })
    const away = createServer()
    const port = await portOf(away)
    await new Promise((resolve) => away.close(resolve))
    for (const url of [
      `spamd://127.0.0.1:${garbage}`,
      `spamd://127.0.0.1:${cut}`,
      `spamd://127.0.0.1:${endless}`,
      `spamd://127.0.0.1:${port}`,
      `rspamd+http://127.0.0.1:${port}`,
      `rspamd+http://127.0.0.1:${garbage}`,
    ]) {
      assert.equal(await askSpamFilter(new URL(url), http, { helo: 'a' })(MAIL), undefined, url)
    }
    for (const text of [
      '',
      '[]',
      'null',
      '{"score":1}',
      '{"score":"1","required_score":2,"symbols":{}}',
      '{"score":1,"required_score":2,"symbols":null}',
    ]) {
      assert.equal(readRspamd(text), undefined, text)
    }
    assert.deepEqual(readRspamd('{"score":1,"required_score":2,"symbols":{"A":null}}')?.rules, [
      { name: 'A', score: 0, description: '' },
    ])
  })
})

const spamd = (answer: (socket: Socket) => void): Promise<number> =>
  portOf(
    createTcpServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {})
      socket.resume()
      answer(socket)
    }),
  )

const SPAMD = [
  'SPAMD/1.1 0 EX_OK',
  'Content-length: 600',
  'Spam: True ; 6.1 / 5.0',
  '',
  'Spam detection software, running on the system "a", has identified this incoming email as possible spam.',
  '',
  'Content analysis details:   (6.1 points, 5.0 required)',
  '',
  ' pts rule name              description',
  '---- ---------------------- --------------------------------------------------',
  '-0.1 NO_RELAYS              Informational: message was not relayed via SMTP',
  ' 1.2 MISSING_HEADERS        Missing To: header, which no program',
  '                            leaves out',
  '',
].join('\r\n')
