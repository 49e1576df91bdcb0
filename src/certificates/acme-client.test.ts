// Certificate authorities that send invalid, late or endless responses: an order ends in time, with an error that names
// the problem.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { sleep } from '../../test/support/test-clock.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { AcmeClient } from './acme-client.ts'

type Answer = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

describe('an authority', () => {
  let server: Server
  let base: string
  let http: OutgoingHttp
  /** Responses by step, which override the usual responses; `asked` and `waits` record the requests and the waits. */
  let script: Readonly<Record<string, Answer>> = {}
  let delayMs = 0
  let asked: string[] = []
  let waits: number[] = []

  const at = (step: string) => `${base}/${step}`
  const usual = (): Readonly<Record<string, Answer>> => ({
    directory: { body: { newNonce: at('nonce'), newAccount: at('account'), newOrder: at('new') } },
    nonce: {},
    account: { headers: { location: at('account/1') } },
    new: { headers: { location: at('order') }, body: { authorizations: [at('authz')], finalize: at('end') } },
    authz: {
      body: {
        status: 'valid',
        identifier: { value: 'mail.test' },
        challenges: [{ type: 'http-01', url: at('challenge'), token: 'x'.repeat(32) }],
      },
    },
    challenge: { body: {} },
    order: { body: { status: 'valid', certificate: at('chain') } },
    end: { body: {} },
    chain: { body: 'chain', headers: { 'content-type': 'text/plain' } },
  })

  before(async () => {
    server = createServer(async (request, response) => {
      const step = request.url?.slice(1) ?? ''
      asked.push(step)
      await sleep(delayMs, 'the authority takes its time')
      const { body = {}, headers = {} } = { ...usual()[step], ...script[step] }
      response.writeHead(200, { 'content-type': 'application/json', 'replay-nonce': 'n', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    http = new OutgoingHttp({
      resolver: {} as never,
      allowed: parseNetworks('127.0.0.1/32'),
      plainHttp: true,
    })
  })
  after(async () => {
    await http.stop()
    server.close()
  })

  function order(answers: Readonly<Record<string, Answer>>, mostMs = 60_000): Promise<string> {
    script = answers
    asked = []
    waits = []
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const client = new AcmeClient({
      ...{ directoryUrl: at('directory'), email: 'post@mail.test', accountKey: privateKey, http, mostMs },
      wait: async (ms) => void waits.push(ms),
    })
    const wanted = { names: ['mail.test'], challenge: 'http-01', request: Buffer.alloc(0) } as const
    return client.order({ ...wanted, answer: async () => {} })
  }

  test('that follows the protocol returns a chain', async () => {
    assert.equal(await order({}), 'chain')
  })

  for (const [what, answers] of [
    ['names no URLs', { directory: { body: { newNonce: 1, newAccount: null } } }],
    [
      'leads to no address',
      { directory: { body: { ...{ newNonce: 'x', newAccount: 'x', newOrder: 'x' } } } },
    ],
    ['answers with no object', { account: { body: '5' } }],
    ['returns no account', { account: { headers: {} } }],
    ['returns an order without authorizations', { new: { body: {}, headers: {} } }],
    ['returns invalid authorizations', { new: { body: { authorizations: [null, 5] } } }],
    ['returns an authorization without a name', { authz: { body: { status: 'pending' } } }],
    ['returns invalid challenges', { authz: { body: { identifier: {}, challenges: [null] } } }],
    ['never decides', { order: { body: { status: 'processing' } } }],
    ['decides nonsense', { order: { body: { status: 7 } } }],
    ['has no certificate', { order: { body: { status: 'valid' } } }],
    [
      'refers to another protocol for the certificate',
      { order: { body: { status: 'valid', certificate: 'file:///etc/passwd' } } },
    ],
    ['sends an endless answer', { chain: { body: 'x'.repeat(1_000_000) } }],
  ] as [string, Readonly<Record<string, Answer>>][]) {
    test(`that ${what} fails the order`, async () => {
      await assert.rejects(order(answers), Error)
      assert.ok(asked.length < 100, `${asked.length} requests`)
    })
  }

  test('that wants a retry in years, or in the past, is asked again in seconds', async () => {
    for (const field of ['999999999', '-5', 'Fri, 31 Dec 9999 23:59:59 GMT', '1e400', 'x']) {
      const answers = { order: { body: { status: 'processing' }, headers: { 'retry-after': field } } }
      await assert.rejects(order(answers), /not decided in time/)
      assert.ok(
        waits.every((ms) => ms > 0 && ms <= 15_000),
        waits.join(),
      )
    }
  })

  test('that answers each of very many steps late is abandoned before another node takes the order over', async () => {
    delayMs = 20
    const authorizations = Array<string>(3_000).fill(at('authz'))
    await assert.rejects(
      order(
        { new: { body: { authorizations, finalize: at('end') }, headers: { location: at('order') } } },
        300,
      ),
      /too long|in time|no answer/,
    )
    delayMs = 0
    assert.ok(asked.length < 100, `${asked.length} requests`)
  })
})
