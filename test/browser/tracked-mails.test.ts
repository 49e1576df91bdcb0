// HTML with tracked links and a tracking pixel looks exactly the same as before.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newId } from '../../src/lib/ids.ts'
import { putTracking, trackingKey } from '../../src/model/tracking-link.ts'
import { trackedPlaces } from '../../src/templates/tracked-places.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const SIGNER = { base: 'https://links.example.com', key: trackingKey('s', 'links.example.com') }
const LINK = '<a href="https://shop.example/spring?a=1&amp;b=2">the spring sale</a>'
const STYLES =
  '<style>a{color:#b00}p:last-child{border:1px solid}img{border:3px solid red;margin:9px}</style>'

/** HTML bodies of several kinds; the last bodies are malformed. */
const MAILS: Readonly<Record<string, string>> = {
  'a letter': `<!doctype html><html><body><h1>Hello</h1><p>Look at ${LINK}.</p></body></html>`,
  'a newsletter of tables': `<!doctype html><html><head>${STYLES}</head><body bgcolor="#eee" style="margin:0"><table width="100%"
    cellpadding="0"><tr><td align="center"><table width="600" bgcolor="#fff"><tr><td style="padding:30px">${LINK}</td>
    <td><a href="http://shop.example/"><b style="display:block;background:#05a;color:#fff;padding:12px">Buy</b></a></td></tr>
    <tr><td colspan="2">${'All work and no play. '.repeat(60)}</td></tr></table></td></tr></table></body></html>`,
  'a body that is as high as the window': `<!doctype html><body style="margin:0;min-height:100vh;background:linear-gradient(#fff,#9cf)">${LINK}</body>`,
  'a flex body': `<!doctype html><style>body{display:flex;gap:20px}</style><body><p>One</p><p>${LINK}</p></body>`,
  'quirks mode': `<body><table><tr><td>${LINK}<td>x</table>`,
  'no body of its own': `Text and ${LINK} and text`,
  'open elements at the end': `<div style="color:#060"><b><i>${LINK}<p>More`,
  'a list that is not closed': `<ul><li>${LINK}<li><a href=https://shop.example/b>B</a>`,
  'text behind the end': `<html><body><p>${LINK}</body></html> and more`,
  'an area in a map':
    '<img usemap="#m" width="80" height="40" alt="x"><map name="m"><area href="https://shop.example/" coords="0,0,9,9"></map>',
}

describe('tracked mails', { concurrency: 1 }, () => {
  let browser: Browser
  let page: Page
  before(async () => {
    browser = await startBrowser()
    page = await browser.newPage({ viewport: { width: 700, height: 500 }, javaScriptEnabled: false })
    await page.route('**/*', (route) => {
      seen.push(route.request().url())
      return route.fulfill({ contentType: 'image/gif', body: GIF })
    })
  })
  after(async () => {
    await page?.close()
    await stopBrowser()
  })
  const seen: string[] = []

  async function looks(html: string): Promise<Buffer> {
    await page.setContent(html, { waitUntil: 'load' })
    return page.screenshot({ fullPage: true, animations: 'disabled' })
  }

  for (const [name, html] of Object.entries(MAILS)) {
    test(`${name}: no pixel differs, and the open pixel is requested`, async () => {
      const places = trackedPlaces(html, { opens: true, links: true, untracked: [] })
      assert.ok(places !== undefined && places.links.length > 0 && places.opens !== null)
      const before = await looks(html)
      seen.length = 0
      // Each body gets a new message ID, because the browser requests an image only once.
      const tracked = putTracking(html, places, SIGNER, { messageId: newId('msg'), position: 0 })
      const now = await looks(tracked)
      assert.ok(now.equals(before), 'the pictures differ')
      assert.deepEqual(
        seen.map((url) => new URL(url).pathname.slice(0, 3)),
        ['/o/'],
      )
      assert.equal(await page.locator('[href^="https://links.example.com/c/"]').count(), places.links.length)
    })
  }
})
