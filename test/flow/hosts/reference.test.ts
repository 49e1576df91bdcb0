// The API reference at /docs is complete, needs no other server, and has an anchor for every problem.

import assert from 'node:assert/strict'
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
      assert.match(html, new RegExp(`curl (?:&#39;)?${app.app.url}${stem}`), path)
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
        await page.getByRole('searchbox').fill('batch')
        assert.equal(await page.locator('nav li:visible').count(), 1)
        assert.deepEqual(complaints, [])
      } finally {
        await stopBrowser()
      }
    },
  )
})
