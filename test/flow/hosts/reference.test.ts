// The API reference at /docs is complete, needs no other server, and has an anchor for every problem.

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { PROBLEMS } from '../../../src/model/problem.ts'
import { TestApp } from '../../support/app.ts'
import { startBrowser, stopBrowser } from '../../support/browser/browser.ts'
import { thorough } from '../../support/thorough.ts'

describe('the reference', () => {
  let app: TestApp
  let html: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    html = (await app.call('GET', '/docs')).body
  })
  after(() => app.stop())

  test('has every endpoint with a call to copy, and every problem under its anchor', async () => {
    const { body } = await app.call('GET', '/v1/openapi.json')
    for (const [path, methods] of Object.entries<object>(body.paths)) {
      assert.ok(html.includes(`<code>${path}</code>`), path)
      const stem = path.split('{')[0]
      assert.match(html, new RegExp(`curl (?:-N )?(?:&#39;)?${app.app.url}${stem}`), path)
      for (const { summary, responses } of Object.values(methods)) {
        assert.ok(html.includes(summary), summary)
        // Checking an API key needs the database, so every endpoint that requires a key may return 503.
        assert.ok('503' in responses, summary)
      }
    }
    for (const [code, { meaning }] of Object.entries(PROBLEMS)) {
      assert.equal(html.split(`id="${code}"`).length, 2, code)
      assert.match(meaning, /^[A-Z].*\.$/s)
    }
    const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, 'each anchor once')
    for (const [, anchor = ''] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(anchor), anchor)
    assert.doesNotMatch(html, /\d{5,} (?:rows|characters|addresses)/, 'large numbers have separators')
  })

  test('serves the pages of the documentation, whose links and index lead to existing places', async () => {
    const { body: index } = await app.call('GET', '/docs/search.json')
    const addresses = new Set<string>(index.map(({ href }: { href: string }) => href))
    assert.ok(addresses.size > 300, String(addresses.size))
    for (const { text } of index)
      assert.doesNotMatch(text, /: (?:·|$)/, 'a field without a description has no colon')
    const pages = new Map<string, string>()
    const pageOf = async (path: string): Promise<string> => {
      const known = pages.get(path)
      if (known !== undefined) return known
      const { status, body } = await app.call('GET', path)
      assert.equal(status, 200, path)
      const text = typeof body === 'string' ? body : ''
      pages.set(path, text)
      return text
    }
    for (const address of addresses) {
      const [path = '', anchor] = address.split('#')
      assert.ok((await pageOf(`/${path}`)).includes(`id="${anchor}"`), address)
    }
    for (const [path, page] of pages) {
      for (const [, address = ''] of page.matchAll(/<a href="(?!https?:|mailto:)([^"]+)"/g)) {
        const { pathname, hash } = new URL(address, new URL(path, app.app.url))
        const target = await pageOf(pathname)
        if (hash !== '')
          assert.ok(target.includes(`id="${decodeURIComponent(hash.slice(1))}"`), `${path}: ${address}`)
      }
    }
    assert.equal((await app.call('GET', '/docs/pages/nothing')).status, 404)
  })

  test('lists the sources of all pages in llms.txt, and their links lead to other sources', async () => {
    const { status, headers, body: list } = await app.call('GET', '/llms.txt')
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
    assert.match(list, /^# Postrider\n\n> /)
    const addresses = [...list.matchAll(/\]\((\S+\.md)\)/g)].map(([, address]) => address)
    const files = (await readdir(new URL('../../../docs/', import.meta.url))).filter((one) =>
      one.endsWith('.md'),
    )
    assert.deepEqual(
      addresses.map((address) => address.slice(app.app.url.length)).sort(),
      [...files.map((file) => `/docs/${file}`), '/docs/readme.md'].sort(),
    )
    for (const address of addresses) {
      const source = await app.call('GET', new URL(address).pathname)
      assert.deepEqual([source.status, source.headers.get('x-content-type-options')], [200, 'nosniff'])
      assert.match(source.headers.get('content-type') ?? '', /^text\/markdown/)
      for (const [, page = ''] of source.body.matchAll(/\]\(([\w-]+\.md)(?:#[^)]*)?\)/g)) {
        assert.ok(addresses.includes(new URL(page, address).href), `${address}: ${page}`)
      }
      assert.doesNotMatch(source.body, /\]\(docs\//, address)
    }
    for (const path of ['/docs/nothing.md', '/docs/..%2Fpackage.md', '/docs/.md']) {
      assert.equal((await app.call('GET', path)).status, 404, path)
    }
  })

  test('the link of a problem leads to its description', async () => {
    const { headers } = await app.call('GET', '/v1/messages/none', undefined, { authorization: 'Bearer x' })
    const [, address = ''] = /^<(.+)>; rel="help"$/.exec(headers.get('link') ?? '') ?? []
    const url = new URL(address)
    assert.equal(url.pathname, '/docs')
    assert.ok(html.includes(`id="${url.hash.slice(1)}"`))
  })

  test('needs only the node, and its policy allows nothing else', async () => {
    const { headers } = await app.call('GET', '/docs')
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'self'; script-src 'self'/,
    )
    assert.doesNotMatch(html, /swagger|<script>|\sstyle="|\son\w+="/i)
    for (const [, address = ''] of html.matchAll(/(?:src|href)="([^#"][^"]*)"/g)) {
      assert.doesNotMatch(address, /^(?:https?:)?\/\//)
      assert.equal((await app.call('GET', `/${address}`)).status, 200, address)
    }
    assert.equal((await fetch(`${app.app.url}/docs/`)).url, `${app.app.url}/docs`)
  })

  test(
    'in a browser: the anchor is in view, calls can be copied and the contents searched',
    thorough('1.3 CPU s: the reference in a browser'),
    async () => {
      const browser = await startBrowser()
      try {
        const page = await browser.newPage({ reducedMotion: 'reduce' })
        const complaints: string[] = []
        page.on('console', (message) => complaints.push(message.text()))
        page.on('pageerror', (error) => complaints.push(String(error)))
        page.on('request', (request) => {
          if (!request.url().startsWith(app.app.url)) complaints.push(request.url())
        })
        await page.goto(`${app.app.url}/docs#validation_failed`)
        const place = await page.locator('#validation_failed').boundingBox()
        assert.ok(place !== null && place.y >= 0 && place.y < 300, JSON.stringify(place))
        assert.ok((await page.getByRole('button', { name: 'Copy' }).count()) > 10)
        const found = page.locator('#found li a')
        // Searches for words in a field, in a guide and on a page of the documentation.
        for (const [words, place, address] of [
          ['attachments', 'POST /v1/messages', 'docs#send-a-message'],
          ['idempotency', 'Basics', 'docs#idempotency'],
          ['inline images', 'Sending', 'docs/pages/sending#attachments'],
        ] as const) {
          await page.getByRole('searchbox').fill(words)
          await found.filter({ hasText: place }).first().waitFor()
          const addresses = await found.evaluateAll((links) => links.map((link) => link.getAttribute('href')))
          assert.ok(addresses.includes(address), `${words}: ${addresses.join(' ')}`)
        }
        assert.equal(await page.locator('nav h2:visible').count(), 0)
        await page.getByRole('searchbox').fill('xyzzy')
        await page.getByText('Nothing found for “xyzzy”.').waitFor()
        await page.getByRole('searchbox').fill('')
        const python = page.locator('#send-a-message pre[data-language=python]')
        assert.equal(await python.isVisible(), false)
        await page.locator('#send-a-message').getByRole('button', { name: 'Python' }).click()
        await python.waitFor()
        await page.goto(`${app.app.url}/docs/pages/sending`)
        assert.equal(await page.locator('h1').textContent(), 'Sending')
        assert.deepEqual(complaints, [])
      } finally {
        await stopBrowser()
      }
    },
  )
})
