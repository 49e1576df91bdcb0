// Headers of the dashboard's files, and the size of its first load.

import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../test/support/app.ts'

const DIST = new URL('../../dashboard/dist/', import.meta.url)

interface Chunk {
  readonly file: string
  readonly src?: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
}

describe('the files of the dashboard', () => {
  let app: TestApp
  const INSIDE = { accept: 'text/html', cookie: 'postrider_session=any' }
  const page = (path: string, headers: Record<string, string> = INSIDE) =>
    fetch(new URL(path, app.app.url), { headers, redirect: 'manual' })

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

  test('without a session every page leads to the login, but for those that need none', async () => {
    const accept = { accept: 'text/html' }
    for (const [path, login] of [
      ['/', '/login'],
      ['/domains/dom_x?status=bounced', '/login?to=%2Fdomains%2Fdom_x%3Fstatus%3Dbounced'],
    ] as const) {
      const answer = await page(path, accept)
      assert.equal(answer.status, 302)
      assert.equal(answer.headers.get('location'), login)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    for (const path of ['/shared/msg_x?token=x', '/dns-records?token=x']) {
      assert.equal((await page(path, accept)).status, 200, path)
    }
    const outside = await (await page('/login', accept)).text()
    for (const path of ['/first-run', '/invitation', '/forgotten-password', '/reset-password']) {
      const scripts = (html: string) => html.match(/src="[^"]+"/g)
      assert.deepEqual(scripts(await (await page(path, accept)).text()), scripts(outside), path)
    }
    assert.match(outside, /assets\/outside-/)
  })

  test('what is not the dashboard stays what it is', async () => {
    for (const path of ['/v1/nothing', '/api/nothing', '/assets/nothing.js', '/docs/nothing', '/u']) {
      const answer = await page(path)
      assert.equal(answer.status, 404, path)
      assert.match(answer.headers.get('content-type') ?? '', /problem\+json/, path)
    }
    assert.equal((await page('/nothing', { accept: 'application/json' })).status, 404)
    assert.equal((await page('/login', { accept: '*/*' })).status, 200, 'the login, for any client')
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
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(html) ?? []
    const answer = await page(script, { 'accept-encoding': 'br' })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-encoding'), 'br')
    assert.match(answer.headers.get('content-type') ?? '', /javascript/)
    assert.match(answer.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
    assert.match((await answer.text()).slice(0, 2_000), /import|const|var|function/)
  })

  /** What a browser without any of the files fetches for these modules, compressed, in octets. */
  function weightOf(...modules: readonly string[]): number {
    const manifest: Record<string, Chunk> = JSON.parse(
      readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'),
    )
    const needed = new Set<string>(['color-scheme.js'])
    const seen = new Set<string>()
    const add = (name: string): void => {
      if (name.endsWith('.html')) {
        // The document names its scripts, and those they need, itself.
        const html = readFileSync(new URL(name, DIST), 'utf8')
        for (const [, file = ''] of html.matchAll(/"\/(assets\/[^"]+)"/g)) needed.add(file)
        return
      }
      const chunk = manifest[name]
      assert.ok(chunk, name)
      if (seen.has(name)) return
      seen.add(name)
      for (const file of [chunk.file, ...(chunk.css ?? [])]) needed.add(file)
      for (const other of chunk.imports ?? []) add(other)
    }
    for (const module of modules) add(module)
    return [...needed].reduce((sum, file) => sum + statSync(new URL(`${file}.br`, DIST)).size, 0)
  }

  /** In KiB: the login, the first page behind it with figures or the guide, the page that is open all day. */
  const FRAME = ['index.html', 'shell/shell.tsx']
  const HOME = [...FRAME, 'pages/home/home-page.tsx']
  const BUDGETS: readonly (readonly [page: string, modules: readonly string[], most: number])[] = [
    ['login', ['outside.html'], 90],
    ['home', [...HOME, 'pages/home/figures.tsx'], 150],
    ['guide', [...HOME, 'pages/home/first-steps.tsx'], 150],
    ['messages', [...FRAME, 'pages/messages/messages-page.tsx'], 200],
  ]
  for (const [page, modules, most] of BUDGETS) {
    test(`the first load of ${page} weighs at most ${most} KiB`, () => {
      const weight = weightOf(...modules) / 1024
      assert.ok(weight > 40 && weight <= most, `${weight.toFixed(1)} KiB`)
    })
  }

  test('texts of other languages are in no file that an English page loads', () => {
    const manifest: Record<string, Chunk> = JSON.parse(
      readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'),
    )
    const loaded = Object.values(manifest).flatMap(({ dynamicImports = [] }) => dynamicImports)
    const atOnce = Object.values(manifest).flatMap(({ imports = [] }) => imports)
    const catalogues = Object.keys(manifest).filter((name) =>
      /^texts\/(?!en)\w+\/(inside|outside|pages)/.test(name),
    )
    assert.equal(catalogues.length, 6)
    for (const name of catalogues) {
      assert.ok(loaded.includes(name) && !atOnce.includes(name), `${name} is fetched apart`)
      assert.ok(weightOf(name) < 40_000, name)
    }
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
