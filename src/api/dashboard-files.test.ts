// Headers of the dashboard's files, and the size of its first load.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../test/support/app.ts'

const DIST = new URL('../../dashboard/dist/', import.meta.url)

interface Chunk {
  readonly file: string
  readonly src?: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

describe('the files of the dashboard', () => {
  let app: TestApp
  const page = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
    fetch(new URL(path, app.app.url), { headers })

  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  test('the page is at / and at every address of its own, with a policy of its own each time', async () => {
    const nonces = new Set<string>()
    for (const path of ['/', '/login', '/domains/dom_x/messages?status=bounced']) {
      const answer = await page(path)
      const policy = answer.headers.get('content-security-policy') ?? ''
      const html = await answer.text()
      assert.equal(answer.status, 200, path)
      assert.equal(answer.headers.get('cache-control'), 'no-cache')
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      assert.match(policy, /default-src 'none'; script-src 'self'; /)
      assert.doesNotMatch(policy, /unsafe/)
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? []
      assert.ok(nonce.length >= 22 && html.includes(`nonce="${nonce}"`), policy)
      assert.doesNotMatch(html, /<script(?![^>]* src=)/, 'no script stands in the page itself')
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 3)
  })

  test('what is not the dashboard stays what it is', async () => {
    for (const path of ['/v1/nothing', '/api/nothing', '/assets/nothing.js', '/docs/nothing', '/u']) {
      const answer = await page(path)
      assert.equal(answer.status, 404, path)
      assert.match(answer.headers.get('content-type') ?? '', /problem\+json/, path)
    }
    assert.equal((await page('/nothing', { accept: 'application/json' })).status, 404)
    assert.equal((await page('/healthz')).status, 200)
    for (const path of [
      '/.vite/manifest.json',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/%2e%2e/package.json',
    ]) {
      assert.doesNotMatch(await (await page(path, { accept: '*/*' })).text(), /isEntry|"scripts"|<html/, path)
    }
  })

  test('assets are compressed, typed and kept for ever', async () => {
    const html = await (await page('/')).text()
    const [script = ''] = /\/assets\/index-[^"]+\.js/.exec(html) ?? []
    const answer = await page(script, { 'accept-encoding': 'br' })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-encoding'), 'br')
    assert.match(answer.headers.get('content-type') ?? '', /javascript/)
    assert.match(answer.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
    assert.match((await answer.text()).slice(0, 2_000), /import|const|var|function/)
  })

  test('the first load weighs less than 300 KiB', () => {
    const manifest: Record<string, Chunk> = JSON.parse(
      readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'),
    )
    const needed = new Set<string>(['index.html', 'color-scheme.js'])
    const add = (name: string): void => {
      const chunk = manifest[name]
      assert.ok(chunk, name)
      if (needed.has(chunk.file)) return
      for (const file of [chunk.file, ...(chunk.css ?? [])]) needed.add(file)
      for (const other of chunk.imports ?? []) add(other)
    }
    add('index.html')
    for (const first of ['pages/login/login-page.tsx', 'pages/home/home-page.tsx']) add(first)
    const sizes = [...needed].map((file) => {
      const compressed = new URL(`${file}.gz`, DIST)
      return statSync(existsSync(compressed) ? compressed : new URL(file, DIST)).size
    })
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(total > 50_000 && total < 300 * 1024, `${Math.round(total / 1024)} KiB`)
  })
})

test('a node without the role shows no dashboard', async () => {
  const app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  try {
    const answer = await fetch(app.app.url, { headers: { accept: 'text/html' } })
    assert.equal(answer.status, 404)
  } finally {
    await app.stop()
  }
})
