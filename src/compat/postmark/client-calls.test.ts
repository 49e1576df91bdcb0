// Every call that Postmark's client can make is declared.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountClient, ServerClient } from 'postmark'
import { postmark } from './vendor.ts'

/** Methods of the clients that make no call. */
const NO_CALLS = new Set(['constructor', 'getHttpClient', 'getAuthHeader'])

/** Argument of every method: a text in paths, an object with options, and a callback. */
const ARGUMENT = Object.assign(() => undefined, { toString: () => 'one' })

const isDeclared = (method: string, path: string): boolean =>
  postmark.calls.some(
    (call) =>
      call.method === method &&
      new RegExp(`^${call.path.replace(/:\w+/g, '[^/]+')}$`, 'i').test(path.replace(/(?<=.)\/$/, '')),
  )

test("every call of Postmark's client is declared", async () => {
  const seen: string[] = []
  const fetch = async (url: URL | string, { method = 'GET' }: RequestInit = {}): Promise<Response> => {
    seen.push(`${method} ${new URL(String(url)).pathname}`)
    return Response.json({})
  }
  for (const Client of [ServerClient, AccountClient]) {
    const client = new Client('token', { requestHost: 'x.test', fetch } as never)
    for (const name of Object.getOwnPropertyNames(Client.prototype)) {
      const before = seen.length
      if (NO_CALLS.has(name)) continue
      const call = (client as never as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]
      await call?.call(client, ARGUMENT)
      assert.ok(seen.length > before, name)
    }
  }
  assert.ok(seen.length > 60, `${seen.length}`)
  const missing = seen.filter((one) => {
    const [method = '', path = ''] = one.split(' ')
    return !isDeclared(method, path)
  })
  assert.deepEqual(missing, [])
})
