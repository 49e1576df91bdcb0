// The unsubscribe page in a real browser: the brand of its stream, the choice of streams, unsubscribing, subscribing
// again, and the language of the page.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import PostalMime from 'postal-mime'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'

const LOGO = 'https://cdn.example/logo.svg'
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="20"/></svg>'

describe('the unsubscribe page', () => {
  let app: TestApp
  let browser: Browser
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    await app.call('POST', '/v1/streams', { alias: 'tips', name: 'Tips & tricks', kind: 'broadcast' })
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  /** Sends a broadcast to one recipient; returns the unsubscribe link. */
  async function linkTo(email: string, stream = 'broadcast'): Promise<string> {
    const id = await app.send({ stream, to: [{ email }] })
    await app.messageIn(id, 'delivered')
    const mail = app.host.mails.find(({ data }) => data.includes(id.slice(4)))
    const { headers } = await PostalMime.parse(mail?.data ?? '')
    const value = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
    return /<(http[^>]+)>/.exec(value)?.[1] ?? ''
  }
  /** Sends another message to an address; returns the final status of the recipient. */
  async function next(email: string, stream = 'broadcast'): Promise<string> {
    const id = await app.send({ stream, to: [{ email }] })
    return (await app.messageIn(id, 'delivered', 'suppressed')).to[0].status
  }

  test('has the name, logo and colour that the dashboard gives the stream, in light and dark', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    const [domain] = (await (await page.request.get(`${app.app.url}/api/domains`)).json()).data
    await window.goto(`/domains/${domain.domain_id}/streams`)
    await page.getByRole('button', { name: 'Actions for Broadcast' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByLabel('Sender name').fill('Larch & Linden')
    await page.getByLabel('Logo').fill(LOGO)
    await page.getByLabel('Colour').fill('#0a6b3d')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Broadcast saved.').waitFor()
    await window.closed()
    // A stream can leave unsubscribing to the sender.
    const source = async (): Promise<string> => (await app.call('GET', '/v1/streams/tips')).body.unsubscribe
    assert.equal(await source(), 'service')
    await page.getByRole('button', { name: 'Actions for Tips & tricks' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('combobox', { name: 'Unsubscribe link' }).click()
    await page.getByRole('option', { name: "The sender's own" }).click()
    await page.getByText(/^Messages that bring a List-Unsubscribe of their own keep it/).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Tips & tricks saved.').waitFor()
    assert.equal(await source(), 'sender')
    await app.call('PATCH', '/v1/streams/tips', { unsubscribe: 'service' })
    await window.close()

    const url = await linkTo('ann@receiver.example')
    for (const [width, colors] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      const reader = await DashboardWindow.open(browser, app, { login: null, width, colors })
      await reader.context.route(LOGO, (route) => route.fulfill({ contentType: 'image/svg+xml', body: SVG }))
      await reader.goto(url)
      await reader.page.getByRole('banner').getByText('Larch & Linden').waitFor()
      assert.equal(await reader.page.evaluate('document.querySelector("header img").naturalWidth'), 40)
      assert.equal(
        await reader.page.evaluate('getComputedStyle(document.querySelector("button.main")).backgroundColor'),
        'rgb(10, 107, 61)',
      )
      assert.deepEqual(await reader.faults(), [])
      await reader.close()
    }
  })

  test('is left and joined again, completely or stream by stream', async () => {
    const email = 'bob@receiver.example'
    const ofTips = await linkTo(email, 'tips')
    const reader = await DashboardWindow.open(browser, app, { login: null })
    const { page } = reader
    await reader.goto(await linkTo(email))
    // Each page names the sender of the stream to which its link belongs.
    await page.getByRole('heading', { name: 'Choose what you receive from Larch & Linden' }).waitFor()
    await reader.goto(ofTips)
    await page.getByRole('heading', { name: 'Choose what you receive from example.test' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'Unsubscribed' }).waitFor()
    assert.deepEqual([await next(email), await next(email, 'tips')], ['suppressed', 'delivered'])
    await page.getByRole('button', { name: 'Subscribe again' }).click()
    await page.getByText(/receives “Broadcast” from .* again/).waitFor()
    assert.equal(await next(email), 'delivered')
    await page.getByRole('checkbox', { name: 'Tips & tricks' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Your choice has been saved.').waitFor()
    assert.deepEqual(await reader.faults(), [])
    assert.deepEqual([await next(email), await next(email, 'tips')], ['delivered', 'suppressed'])
    await reader.close()
  })

  test('works in a browser without scripts', async () => {
    const email = 'dora@receiver.example'
    const url = await linkTo(email)
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
    await page.goto(url)
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('status').getByText('no longer receives “Broadcast” from').waitFor()
    assert.equal(await next(email), 'suppressed')
    await page.getByRole('button', { name: 'Subscribe again' }).click()
    await page.getByText('receives “Broadcast” from').waitFor()
    assert.equal(await next(email), 'delivered')
    await page.close()
  })

  test('uses the language of the browser', async () => {
    const url = await linkTo('cara@receiver.example')
    for (const [locale, button] of [
      ['de-DE', 'Abmelden'],
      ['fr-FR', 'Se désabonner'],
      ['ja-JP', '配信を停止する'],
    ] as const) {
      const reader = await DashboardWindow.open(browser, app, { login: null, locale })
      await reader.goto(url)
      await reader.page.getByRole('button', { name: button }).waitFor()
      assert.equal(await reader.page.getAttribute('html', 'lang'), locale.slice(0, 2))
      assert.deepEqual(await reader.faults(), [])
      await reader.close()
    }
  })
})
