// Tests that the generated files belong to docs/openapi.json, and that the client has a method for each operation of
// the document.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SDK_FILES } from '../../../bin/sdk-files.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { operationIds, Postrider } from './index.ts'

const ROOT = join(import.meta.dirname, '../../..')

describe('the generated files', () => {
  const isCurrent = async (path: string): Promise<void> => {
    const committed = await readFile(join(ROOT, path), 'utf8')
    assert.ok(committed === (await SDK_FILES[path]?.()), `${path} is out of date: npm run sdk`)
  }
  for (const path of Object.keys(SDK_FILES)) {
    // Other files contain the hash of the document from which the types come.
    const isTypes = path.endsWith('/types.ts')
    const whole = isTypes ? thorough('2 CPU s: loads the generator and TypeScript 5') : {}
    test(`${path} belongs to docs/openapi.json`, whole, () => isCurrent(path))
  }
})

test('the packages have the version of the service', async () => {
  const versions = ['.', 'sdk/typescript', 'sdk/mcp'].map(async (folder) => {
    const { version } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))
    return version
  })
  assert.equal(new Set(await Promise.all(versions)).size, 1)
})

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: object }
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

describe('the client', () => {
  test('has a method for each operation of the document, and no other', async () => {
    const document = JSON.parse(await readFile(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    }
    let asked: { readonly url: string; readonly init: RequestInit | undefined } | undefined
    let ended = new AbortController()
    const postrider = new Postrider({
      ...{ url: 'https://mail.example.com/below', key: 'send_x' },
      fetch: async (url, init) => {
        asked = { url: String(url), init }
        // The stream would be opened again and again.
        if (String(url).includes('/stream')) ended.abort()
        return new Response('{"data":[],"next_cursor":null}', {
          headers: {
            'content-type': String(url).includes('/stream') ? 'text/event-stream' : 'application/json',
          },
        })
      },
    })
    const ids: string[] = []
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId: id, requestBody }] of Object.entries(methods)) {
        ids.push(id)
        // biome-ignore lint/suspicious/noExplicitAny: the name of the method is known at run time only
        const call = id.split('.').reduce((noun: any, step) => noun?.[step], postrider)
        assert.equal(typeof call, 'function', id)
        const isStream = id.endsWith('.stream')
        ended = new AbortController()
        const names = path.match(/\{\w+\}/g) ?? []
        const body = requestBody === undefined ? [] : [{ a: 1 }]
        const answer = call(...names.map((_, index) => `name ${index}`), ...body, {
          limit: 7,
          signal: isStream ? ended.signal : undefined,
        })
        if (isStream)
          await answer[Symbol.asyncIterator]()
            .next()
            .catch(() => {})
        else await answer
        let index = 0
        const filled = path.replace(/\{\w+\}/g, () => `name%20${index++}`)
        assert.equal(asked?.url, `https://mail.example.com/below${filled}?limit=7`, id)
        assert.equal(asked.init?.method, method.toUpperCase(), id)
        assert.equal(asked.init.body, requestBody === undefined ? undefined : '{"a":1}', id)
        const headers = new Headers(asked.init.headers)
        assert.equal(headers.has('idempotency-key'), method === 'post', id)
        assert.equal(headers.get('authorization'), 'Bearer send_x')
      }
    }
    assert.deepEqual([...operationIds()].sort(), ids.sort())
  })
})
