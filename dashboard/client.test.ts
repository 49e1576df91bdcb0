// API calls: a change that is requested twice is made once, even if its response is lost.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { call, get, ProblemError, patch, post, put, remove } from './client.ts'

interface Asked {
  readonly method: string
  readonly key: string | undefined
  readonly etag: string | undefined
}

describe('a call', () => {
  let server: Server
  let url: string
  let asked: Asked[]
  let answer: (response: ServerResponse) => void
  before(async () => {
    server = createServer(({ method = '', headers }, response) => {
      const key = headers['idempotency-key']
      asked.push({ method, key: key?.toString(), etag: headers['if-none-match']?.toString() })
      answer(response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    asked = []
    answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":1}')
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  const keys = (): (string | undefined)[] => asked.map(({ key }) => key)
  const lost = (response: ServerResponse): void => void response.destroy()
  const isLost = (error: unknown): boolean =>
    error instanceof ProblemError && error.code === 'connection_lost'

  test('that changes something is the same change for as long as it waits for its answer', async () => {
    const changes: readonly (() => Promise<unknown>)[] = [
      () => post(`${url}/keys`, { name: 'Shop' }),
      () => put(`${url}/keys`, { name: 'Shop' }),
      () => patch(`${url}/keys`, { name: 'Shop' }),
      () => remove(`${url}/keys`),
    ]
    for (const change of changes) {
      asked = []
      assert.deepEqual(await Promise.all([change(), change(), change()]), Array(3).fill({ done: 1 }))
      assert.equal(asked.length, 1, JSON.stringify(asked))
      await change()
      assert.equal(asked.length, 2, JSON.stringify(asked))
    }
  })

  test('of another content or address is another change', async () => {
    await Promise.all([
      post(`${url}/keys`, { name: 'Shop' }),
      post(`${url}/keys`, { name: 'Till' }),
      post(`${url}/smtp`, { name: 'Shop' }),
    ])
    assert.equal(new Set(keys()).size, 3)
  })

  test('that posts has a key of its own, which it keeps while nobody knows whether it arrived', async () => {
    const send = () => post(`${url}/messages`, { to: 'ann' })
    await send()
    answer = lost
    await assert.rejects(send(), isLost)
    await assert.rejects(send(), isLost)
    answer = (response) => response.writeHead(200).end()
    await send()
    await send()
    const [first, second, third, fourth, fifth] = keys()
    for (const key of keys()) assert.match(key ?? '', /^[0-9a-f]{32}$/)
    assert.deepEqual([third, fourth], [second, second])
    assert.equal(new Set([first, second, fifth]).size, 3)
  })

  test('keeps its key where a proxy, or a fault of the service, has answered in its place', async () => {
    const send = () => post(`${url}/messages`, { to: 'bob' })
    for (const status of [500, 502, 503, 504]) {
      answer = (response) =>
        response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Too late</h1>')
      await assert.rejects(send(), { status })
    }
    answer = (response) => response.writeHead(200).end()
    await send()
    await send()
    assert.equal(new Set(keys().slice(0, 5)).size, 1)
    assert.notEqual(keys()[5], keys()[4])
  })

  test('keeps its key while the service still works on the one before', async () => {
    const send = () => post(`${url}/messages`, { to: 'cleo' })
    const refuse = (status: number, code: string) => (response: ServerResponse) =>
      response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ code }))
    for (const [status, code] of [
      [504, 'unavailable'],
      [409, 'conflict'],
      [409, 'conflict'],
    ] as const) {
      answer = refuse(status, code)
      await assert.rejects(send(), { status })
    }
    answer = (response) => response.writeHead(200).end()
    await send()
    assert.equal(new Set(keys()).size, 1)
    // A refused request is no longer pending.
    answer = refuse(409, 'conflict')
    await assert.rejects(send(), { status: 409 })
    await assert.rejects(send(), { status: 409 })
    assert.equal(new Set(keys()).size, 3)
  })

  test('that is refused has another key when it is made again', async () => {
    answer = (response) =>
      response
        .writeHead(422, { 'content-type': 'application/problem+json' })
        .end('{"code":"validation_failed"}')
    for (let times = 0; times < 2; times++) await assert.rejects(post(`${url}/messages`, {}), { status: 422 })
    assert.equal(new Set(keys()).size, 2)
  })

  test('that sends a file has its key for as long as nobody knows whether it arrived', async () => {
    const [one, other] = [new Blob(['email\n']), new Blob(['email\n'])]
    const upload = (body: Blob) => call('POST', `${url}/lists`, { body, type: 'text/csv' })
    answer = lost
    await assert.rejects(upload(one), isLost)
    answer = (response) => response.writeHead(200).end()
    await Promise.all([upload(one), upload(one)])
    await upload(other)
    await upload(one)
    const [first, second, third, fourth, ...more] = keys()
    assert.deepEqual([second, more], [first, []])
    assert.equal(new Set([first, third, fourth]).size, 3)
  })

  test('of a file that is chosen once more is the same one', async () => {
    const chosen = (lastModified: number) => new File(['email\n'], 'list.csv', { lastModified })
    const upload = (body: File) => call('POST', `${url}/lists`, { body, type: 'text/csv' })
    answer = lost
    await assert.rejects(upload(chosen(1)), isLost)
    await assert.rejects(upload(chosen(2)), isLost)
    answer = (response) => response.writeHead(200).end()
    await upload(chosen(1))
    const [first, changed, again] = keys()
    assert.equal(again, first)
    assert.notEqual(changed, first)
  })

  test('of a file has the key that it is given', async () => {
    const body = new Blob(['email\n'])
    for (let times = 0; times < 2; times++) {
      await call('POST', `${url}/bulk`, { body, type: 'text/csv', idempotencyKey: 'one' })
    }
    assert.deepEqual(keys(), ['one', 'one'])
  })

  test('that reads has no key, and asks only for what has changed', async () => {
    answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' }).end('[1]')
    assert.deepEqual(await get(`${url}/list`), [1])
    answer = (response) => response.writeHead(304).end()
    assert.deepEqual(await get(`${url}/list`), [1])
    assert.deepEqual(asked, [
      { method: 'GET', key: undefined, etag: undefined },
      { method: 'GET', key: undefined, etag: '"1"' },
    ])
  })
})
