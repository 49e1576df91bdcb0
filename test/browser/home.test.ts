// The home page: correct figures that link to their lists, waiting mail, and the language of the user.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { settled } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

let app: TestApp
let browser: Browser
before(async () => {
  browser = await startBrowser()
  app = await TestApp.start({
    env: { POSTRIDER_RETRY_SCHEDULE: '1s,1s,1h' },
    host: {
      script: ({ verb, argument }) => {
        if (verb !== 'RCPT') return undefined
        if (/<gone/.test(argument)) return '550 5.1.1 No such user'
        return /<busy/.test(argument) ? '451 4.2.1 Mailbox is busy' : undefined
      },
    },
  })
})
after(async () => {
  await stopBrowser()
  await app?.stop()
})

/** Returns the places of elements in order. */
async function boxesOf(elements: Locator) {
  await elements.first().waitFor()
  const boxes = await Promise.all((await elements.all()).map((one) => one.boundingBox()))
  return boxes.flatMap((box) => box ?? [])
}

test('figures count recipients once, lead to their lists, and update by themselves', async () => {
  const busy = await app.send({ to: [{ email: 'busy@receiver.example' }], subject: 'Waits' })
  await app.messageIn(await app.send({ to: [{ email: 'gone@receiver.example' }] }), 'bounced')
  await app.messageIn(await app.send({ to: [{ email: 'ann@receiver.example' }] }), 'delivered')
  // The message is deferred more than once, but counts once.
  await until('the message is deferred again', async () => {
    const { body } = await app.call('GET', `/v1/messages/${busy}`)
    return body.events.filter(({ type }: { type: string }) => type === 'deferred').length > 1
  })
  await settled(app.store)
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto('/')
  await page.getByRole('link', { name: 'Accepted: 3, show events' }).waitFor()
  await page.getByRole('link', { name: 'Delivered: 1, show events' }).waitFor()
  await page.getByRole('link', { name: 'Deferred: 1, show events' }).waitFor()
  // The page shows no delivery time for a single delivery.
  assert.equal(await page.getByText('Time to delivery').count(), 0)
  // All messages are from today, so the chart of a week would have a single bar.
  await page.getByRole('table', { name: 'Outcomes by hour' }).waitFor({ state: 'attached' })
  await page.getByText('7 days', { exact: true }).click()
  await page.getByRole('table', { name: 'Outcomes by day' }).waitFor({ state: 'attached' })
  // The chart contains only final results, so deferrals are missing and the numbers add up.
  const series = await page
    .getByRole('table', { name: /^Outcomes/ })
    .getByRole('columnheader')
    .allTextContents()
  assert.deepEqual(series, ['Time', 'Delivered', 'Bounced', 'Suppressed', 'Failed'])
  assert.deepEqual(await window.faults(), [])
  await window.resize(380, 'dark')
  assert.deepEqual(await window.faults(), [])
  assert.deepEqual(await page.locator('.bar-chart-legend .status').allTextContents(), series.slice(1))
  await page.getByText('24 hours', { exact: true }).click()
  await page.getByRole('table', { name: 'Outcomes by hour' }).waitFor({ state: 'attached' })
  const labels = await boxesOf(page.locator('.bar-chart-label[text-anchor=middle]'))
  const distances = labels.slice(1).map(({ x, width }, index) => {
    const before = labels[index]
    assert.ok(before !== undefined && before.x + before.width + 8 < x, 'labels keep a distance')
    return x + width / 2 - before.x - before.width / 2
  })
  assert.ok(distances.length >= 2 && Math.max(...distances) - Math.min(...distances) < 2, `${distances}`)
  await page.getByText('7 days', { exact: true }).click()
  await window.resize(1280, 'light')
  await app.messageIn(await app.send({ to: [{ email: 'bob@receiver.example' }] }), 'delivered')
  await page.getByRole('link', { name: 'Delivered: 2, show events' }).waitFor()
  await window.click(page.getByRole('link', { name: 'Bounced: 1, show events' }))
  await page.getByRole('row', { name: /gone@receiver.example/ }).waitFor()
  // The message was deferred twice, but counts once, and appears once in the linked list.
  await window.goto('/')
  await window.click(page.getByRole('link', { name: 'Deferred: 1, show events' }))
  await page.getByRole('row', { name: /busy@receiver.example/ }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  await page.getByRole('button', { name: 'Remove filter Each recipient once' }).click()
  await until('the list shows each deferral', async () => (await page.locator('tbody tr').count()) > 1)
  await window.goto('/')
  await window.click(page.getByRole('link', { name: '1 message', exact: true }))
  await page
    .getByRole('row', { name: /Waits/ })
    .getByText(/Next attempt/)
    .filter({ visible: true })
    .waitFor()
  await window.close()
})

test('the page is never white, and keeps its height while its figures load', async () => {
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  const [program, figures] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    if (!route.request().url().includes('color-scheme')) await program.promise
    await route.continue()
  })
  await page.route('**/api/stats?*', async (route) => {
    await figures.promise
    await route.continue()
  })
  await page.goto(app.app.url, { waitUntil: 'commit' })
  await page.locator('.starting').waitFor()
  program.resolve()
  const before = await boxesOf(page.locator('.placeholder-rates, .placeholder-chart'))
  figures.resolve()
  await page.getByRole('link', { name: /^Accepted: \d+, show events$/ }).waitFor()
  await window.settled()
  const rates = page.locator('section').filter({ has: page.locator('.rates') })
  const chart = page.locator('section').filter({ has: page.locator('.chart') })
  for (const [index, part] of [rates, chart].entries()) {
    const [after] = await boxesOf(part)
    const moved = Math.abs((before[index]?.height ?? 0) - (after?.height ?? 0))
    assert.ok(moved < 25, JSON.stringify([before[index], after]))
  }
  await window.close()
})

test('numbers and times are in the language of the browser', async () => {
  const id = await app.send({ subject: 'Sprache' })
  await app.messageIn(id, 'delivered')
  const window = await DashboardWindow.open(browser, app, { locale: 'de-DE' })
  const domain = (await window.page.context().request.get(`${app.app.url}/api/domains`)).json()
  const [{ domain_id: domainId }] = (await domain).data
  await window.goto(`/domains/${domainId}/messages?subject=sprache`)
  await window.page
    .getByRole('row', { name: /Sprache/ })
    .getByText(/^(jetzt|vor \d+ Minuten?)$/)
    .and(window.page.locator(':visible'))
    .waitFor()
  await window.close()
})
