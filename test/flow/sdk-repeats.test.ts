// The SDK sends messages through a proxy that cuts connections before, during and after responses: each message is
// accepted once.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { Postrider } from '../../sdk/typescript/src/index.ts'
import { TestApp } from '../support/app.ts'
import { thorough } from '../support/thorough.ts'

/** Where a connection is cut: before the service has the request, while it works, within and after its response. */
const CUTS = ['before', 'at work', 'within', 'after'] as const
/** Number of repeats of the client; the proxy cuts no more attempts of a request. */
const REPEATS = 3
/** Number of requests after which the proxy has cut the attempts of a request in every order. */
const ALL_ORDERS = (CUTS.length + 1) ** REPEATS
const CONCURRENT = 50

/** A proxy in front of a service, which cuts connections. */
class CuttingProxy {
  readonly #server: Server
  readonly #target: string
  /** Cuts of the next attempts by key, as digits of a number whose base is the number of cuts plus one. */
  readonly #cutsByKey = new Map<string, number>()
  readonly counts = new Map<string, number>()

  constructor(target: string) {
    this.#target = target
    this.#server = createServer((request, response) => void this.#pass(request, response).catch(() => {}))
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #cutOf(request: IncomingMessage): (typeof CUTS)[number] | undefined {
    const key = String(request.headers['idempotency-key'])
    const cuts = this.#cutsByKey.get(key) ?? this.#cutsByKey.size % ALL_ORDERS
    this.#cutsByKey.set(key, Math.floor(cuts / (CUTS.length + 1)))
    const cut = CUTS[(cuts % (CUTS.length + 1)) - 1]
    if (cut !== undefined) this.counts.set(cut, (this.counts.get(cut) ?? 0) + 1)
    return cut
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const cut = this.#cutOf(request)
    if (cut === 'before') return void response.destroy()
    const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = request.headers
    const asked = fetch(`${this.#target}${request.url}`, {
      ...{ method: request.method ?? 'POST', headers: headers as Record<string, string> },
      body: body as Buffer<ArrayBuffer>,
    })
    if (cut === 'at work') response.destroy()
    const answer = await asked
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (cut === 'at work') return
    if (cut === 'after') return void response.destroy()
    const { 'content-encoding': ____, ...fields } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, { ...fields, 'content-length': bytes.length })
    if (cut === undefined) return void response.end(bytes)
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  }
}

describe('messages that the SDK sends over connections that are cut', () => {
  let app: TestApp
  let proxy: CuttingProxy
  let postrider: Postrider
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    proxy = new CuttingProxy(app.app.url)
    const options = { key: app.playground.sending_key, repeats: REPEATS + 2, pauseMs: 20 }
    postrider = new Postrider({ url: await proxy.start(), ...options })
  })
  after(async () => {
    await proxy.stop()
    await app.stop()
  })

  /** Sends messages, and compares the accepted IDs with the stored messages. */
  async function sends(number: number, mark: string): Promise<void> {
    const ids = new Set<string>()
    let next = 0
    const work = async (): Promise<void> => {
      for (let n = next++; n < number; n = next++) {
        const { message_id } = await postrider.messages.send({
          ...{ from: 'hello@example.test', to: [{ email: `${mark}-${n}@receiver.example` }] },
          ...{ subject: `${mark} ${n}`, text: 'Hello.' },
        })
        ids.add(message_id)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT }, work))
    const rows = await app.store.read
      .selectFrom('messages')
      .select(['id', 'subject'])
      .where('subject', 'like', `${mark} %`)
      .execute()
    assert.equal(ids.size, number)
    assert.deepEqual(new Set(rows.map(({ id }) => id)), ids)
    assert.equal(new Set(rows.map(({ subject }) => subject)).size, rows.length)
    for (const cut of CUTS)
      assert.ok((proxy.counts.get(cut) ?? 0) > number / 50, `${cut}: ${proxy.counts.get(cut)}`)
  }

  test('are each accepted once', () => sends(ALL_ORDERS, 'short'))

  test(
    'are each accepted once, eight times in each order of cuts',
    thorough('10 CPU s: sends 1,000 messages'),
    () => sends(8 * ALL_ORDERS, 'long'),
  )
})
