// Tests fetching of attachments: redirects, hostile hosts, limits of time and memory, and shares of accounts.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { DnsHost } from '../../test/support/dns-host.ts'
import { until } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { type AttachmentInput, LIMITS, namesFiles } from '../model/send-request.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { AttachmentFiles, maxFileBytes } from './attachment-files.ts'

const MAX = 200_000
const inTime = (): number => performance.now() + LIMITS.fetchMs

describe('attachments by URL', () => {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  async function serve(listener: RequestListener): Promise<string> {
    const server: Server = createServer(listener)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    return `http://files.test:${(server.address() as AddressInfo).port}`
  }

  async function open(max = MAX): Promise<AttachmentFiles> {
    const dns = await DnsHost.start({
      'files.test': { A: ['127.0.0.1'] },
      'inside.test': { A: ['10.0.0.1'] },
    })
    ends.push(() => dns.stop())
    const http = new OutgoingHttp({
      resolver: createResolver({ servers: [dns.server] }),
      allowed: parseNetworks('127.0.0.1/32'),
      ...{ plainHttp: true, mostOnTheWire: 2 * max },
    })
    ends.push(async () => http.stop())
    return new AttachmentFiles(http, max)
  }

  const files = (...urls: readonly string[]): AttachmentInput[] =>
    urls.map((url, index) => ({ filename: `${index}.bin`, url }) as unknown as AttachmentInput)
  const problemOf = (promise: Promise<unknown>): Promise<Problem> =>
    promise.then(
      () => assert.fail('it was fetched'),
      (error) => (error instanceof Problem ? error : assert.fail(String(error))),
    )
  const told = async (promise: Promise<unknown>): Promise<string[]> => {
    const { code, errors } = await problemOf(promise)
    assert.equal(code, 'validation_failed')
    return errors.map((one: FieldProblem) => `${one.path} ${one.code}`).sort()
  }

  test('get their contents, beside files that have theirs, and follow redirects', async () => {
    const asked: (string | undefined)[] = []
    const base = await serve((request, response) => {
      asked.push(request.headers['accept-encoding'])
      const hops = Number(request.url?.slice(1))
      if (hops > 0) response.writeHead(302, { location: `/${hops - 1}` }).end('moved')
      else response.end('a file\n')
    })
    const given = { filename: 'own.txt', content: 'b3du' }
    const all = [...files(`${base}/0`), given, ...files(`${base}/5`)]
    const { attachments, release } = await (await open()).fetch('acc', all, inTime())
    release()
    const content = Buffer.from('a file\n').toString('base64')
    assert.deepEqual(attachments, [{ filename: '0.bin', content }, given, { filename: '0.bin', content }])
    assert.deepEqual(new Set(asked), new Set(['identity']))
    assert.ok(namesFiles({ attachments: all }) && !namesFiles({ attachments }) && !namesFiles({}))
    assert.equal(namesFiles({ attachments: 'x' as never }), false)
    assert.equal(namesFiles({ attachments: [null] as never }), false)
  })

  test('are refused by name: wrong answers, loops, and hosts of private networks, also by a redirect', async () => {
    const answers: Record<string, (response: ServerResponse) => void> = {
      '/404': (response) => response.writeHead(404).end('no'),
      '/loop': (response) => response.writeHead(307, { location: '/loop' }).end(),
      '/inside': (response) => response.writeHead(302, { location: 'http://inside.test/' }).end(),
      '/metadata': (response) => response.writeHead(301, { location: 'http://169.254.169.254/latest' }).end(),
      '/file': (response) => response.writeHead(301, { location: 'file:///etc/passwd' }).end(),
      '/gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
      '/gone': (response) => response.destroy(),
    }
    const base = await serve(({ url = '' }, response) => answers[url]?.(response))
    const fetcher = await open()
    const urls = [
      ...Object.keys(answers).map((path) => `${base}${path}`),
      'http://inside.test/',
      'ftp://files.test/',
    ]
    assert.deepEqual(await told(fetcher.fetch('acc', files(...urls), inTime())), [
      'attachments[0].url not_fetched',
      'attachments[1].url not_fetched',
      'attachments[2].url url_not_permitted',
      'attachments[3].url url_not_permitted',
      'attachments[4].url url_not_permitted',
      'attachments[5].url not_fetched',
      'attachments[6].url not_fetched',
      'attachments[7].url url_not_permitted',
      'attachments[8].url url_not_permitted',
    ])
    const { errors } = await problemOf(fetcher.fetch('acc', files(`${base}/404`), inTime()))
    assert.match(errors[0]?.message ?? '', /^The host answered 404\. Check the URL, or give the content/)
  })

  test('without end take bounded memory and time, alone and together', async () => {
    let written = 0
    const piece = Buffer.alloc(16 * 1024)
    const base = await serve(({ url }, response) => {
      if (url === '/never') return
      if (url === '/slow') {
        response.write('x')
        return
      }
      if (url === '/part') return response.end(Buffer.alloc(MAX - 50_000))
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) written += piece.length
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    const fetcher = await open()
    assert.deepEqual(await told(fetcher.fetch('acc', files(`${base}/endless`), inTime())), [
      'attachments[0].url too_large',
    ])
    assert.ok(written < 100 * MAX, `${written} bytes`)
    const parts = await told(
      fetcher.fetch('acc', files(`${base}/part`, `${base}/part`, `${base}/part`), inTime()),
    )
    assert.equal(parts.length, 2)
    assert.ok(parts.every((one) => one.endsWith('too_large')))
    const soon = performance.now() + 300
    assert.deepEqual(await told(fetcher.fetch('acc', files(`${base}/never`, `${base}/slow`), soon)), [
      'attachments[0].url timeout',
      'attachments[1].url timeout',
    ])
    assert.deepEqual(await told(fetcher.fetch('acc', files(`${base}/part`), performance.now() - 1)), [
      'attachments[0].url timeout',
    ])
  })

  test('of one account leave slots for the others', async () => {
    const waiting: ServerResponse[] = []
    const base = await serve((_, response) => void waiting.push(response))
    const fetcher = await open()
    const four = files(...Array.from({ length: 4 }, () => base))
    const first = fetcher.fetch('small', files(base), inTime())
    const greedy = Array.from({ length: 12 }, () => fetcher.fetch('greedy', four, inTime()))
    const second = fetcher.fetch('small', files(base), inTime())
    const ended = Promise.allSettled([first, second, ...greedy])
    await until('the small account has both', () => waiting.length >= 30)
    await until('all are answered', () => {
      for (const response of waiting.splice(0)) response.end('x')
      return Promise.race([ended.then(() => true), new Promise((resolve) => setImmediate(resolve, false))])
    })
    const [one, other, ...rest] = await ended
    assert.deepEqual([one?.status, other?.status], ['fulfilled', 'fulfilled'])
    const codes = rest.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    assert.ok(codes.length > 0 && codes.every((code) => code === 'unavailable'), codes.join())
  })

  test('have at most half of the size of a message, and ten MiB', () => {
    assert.equal(maxFileBytes(25 * 1024 * 1024), 10 * 1024 * 1024)
    assert.equal(maxFileBytes(1_000_000), 500_000)
  })
})
