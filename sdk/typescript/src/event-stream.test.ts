// Tests of event streams: parsing by the rules of HTML, and reconnecting after a cut at each byte.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { type Frame, framesOf } from './event-stream.ts'
import { Postrider, PostriderError } from './index.ts'

async function* cut(text: string, size: number): AsyncGenerator<Uint8Array, void> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const parsed = (text: string, size = 1): Promise<Frame[]> => Array.fromAsync(framesOf(cut(text, size)))

describe('the parser of event streams', () => {
  test('reads all line ends, in pieces of any size', async () => {
    const text =
      '\ufeffid: 1\nevent: x\ndata: a ü\n\nid:2\r\ndata: b\r\ndata:  c\r\n\r\n: hi\rid\rdata\r\r: end\n\n'
    for (const size of [1, 2, 3, 5, 100]) {
      assert.deepEqual(await parsed(text, size), [
        { id: '1', data: 'a ü' },
        { id: '2', data: 'b\n c' },
        { id: '', data: '' },
      ])
    }
  })

  test('drops what is incomplete', async () => {
    assert.deepEqual(await parsed('id: 1\ndata: a\n\nid: 2\ndata: b\n'), [{ id: '1', data: 'a' }])
  })
})

const EVENTS = [1, 2, 3].map((position) => ({
  position,
  frame: `id: ${position}\nevent: accepted\ndata: {"id":"evt_${position}"}\n\n`,
}))
const OPENING = 'retry: 1000\nid: 0\n\n'

/** Starts a server that cuts its first response after a number of bytes. */
async function streaming(cutAfter: number) {
  const cursors: (string | null)[] = []
  const server = createServer((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://a').searchParams.get('cursor')
    cursors.push(cursor)
    const text =
      OPENING +
      EVENTS.filter((one) => one.position > Number(cursor))
        .map((one) => one.frame)
        .join('')
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.flushHeaders()
    if (cursors.length > 1) return response.write(text)
    return response.write(text.slice(0, cutAfter), () => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const postrider = new Postrider({ url, key: 'send_x', pauseMs: 1 })
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { postrider, cursors, stop }
}

describe('an event stream', () => {
  test('that is cut at any byte continues, and yields each event once', async () => {
    const { length } = OPENING + EVENTS.map(({ frame }) => frame).join('')
    for (let at = 1; at <= length; at++) {
      const { postrider, cursors, stop } = await streaming(at)
      const stream = postrider.events.stream()
      const ids: string[] = []
      for await (const { id } of stream) {
        ids.push(id)
        if (ids.length === EVENTS.length) break
      }
      stop()
      assert.deepEqual(ids, ['evt_1', 'evt_2', 'evt_3'], `cut after ${at}`)
      assert.equal(stream.position, '3')
      assert.ok(cursors.length <= 2)
    }
  })

  test('reconnects when nothing arrives, and ends with its signal', async () => {
    const { postrider, cursors, stop } = await streaming(1_000_000)
    const reason = new Error('enough')
    const ended = new AbortController()
    const ids: string[] = []
    await assert.rejects(async () => {
      for await (const { id } of postrider.events.stream({ signal: ended.signal, timeoutMs: 20 })) {
        ids.push(id)
        if (ids.length === EVENTS.length) setImmediate(() => ended.abort(reason))
      }
    }, reason)
    stop()
    assert.equal(ids.length, 3)
    assert.ok(cursors.length >= 1)
  })

  test('throws a refusal, and the failure of the first connection', async () => {
    const refusing = createServer((_, response) => {
      const problem = { title: 'No', status: 403, code: 'scope_not_permitted', request_id: 'req_1' }
      response.writeHead(403, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
    })
    refusing.listen(0, '127.0.0.1')
    await once(refusing, 'listening')
    const { port } = refusing.address() as AddressInfo
    const postrider = new Postrider({ url: `http://127.0.0.1:${port}`, key: 'send_x', pauseMs: 1 })
    const first = (): Promise<unknown> => postrider.events.stream()[Symbol.asyncIterator]().next()
    await assert.rejects(first(), { code: 'scope_not_permitted' })
    refusing.closeAllConnections()
    refusing.close()
    await once(refusing, 'close')
    await assert.rejects(
      first(),
      (error) => error instanceof PostriderError && error.code === 'connection_failed',
    )
  })
})
