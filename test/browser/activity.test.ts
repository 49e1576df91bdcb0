// The activity page shows live events of all domains, with filters for recipient, message ID, type and domain.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'

let app: TestApp
let browser: Browser
before(async () => {
  browser = await startBrowser()
  app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
})
after(async () => {
  await stopBrowser()
  await app?.stop()
})

/** Returns an expression that simulates the visibility of the tab, because a test cannot hide a tab. */
const visibility = (state: 'hidden' | 'visible'): string => `
  Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`

test('events appear by themselves and are found by recipient, type, domain and message ID', async () => {
  const person = await Person.loggedIn(app)
  await person.call('POST', '/api/domains', { domain: 'shop.example' })
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/events/stream')) streams.push(request.url())
  })
  // The first page is not Home, because Home also opens an event stream.
  await window.goto('/domains')
  await window.click(page.getByRole('link', { name: 'Activity' }))
  await page.getByText('No events yet').waitFor()
  const subject = 'A subject that is too long for a line. '.repeat(8)
  const id = await app.send({ to: [{ email: 'Ann@example.test' }], subject })
  const row = page.getByRole('row').filter({ hasText: 'Ann@example.test' })
  await row.filter({ hasText: 'Delivered' }).waitFor()
  // The list has each recipient once, with the outcome; a filter selects all events.
  assert.equal(await row.count(), 1)
  await page.getByRole('combobox', { name: 'Event' }).selectOption('Every event')
  await row.filter({ hasText: 'Accepted' }).waitFor()
  await app.send({ to: [{ email: 'bounce@example.test' }] })
  const reason = page.getByRole('row').filter({ hasText: 'Bounced' }).getByText('550')
  await reason.waitFor()
  await window.resize(320, 'dark')
  await reason.waitFor()
  assert.deepEqual(await window.faults('look'), [])
  await window.resize(1280, 'light')
  assert.equal(streams.length, 2, 'one stream serves all events of a choice')
  assert.deepEqual(await window.faults(), [])

  // A hidden tab gets no events; it shows the missed events when it becomes visible again.
  await page.evaluate(visibility('hidden'))
  await app.messageIn(await app.send({ to: [{ email: 'cara@example.test' }] }), 'delivered')
  assert.equal(streams.length, 2)
  assert.equal(await page.getByText('cara@example.test').count(), 0)
  await page.evaluate(visibility('visible'))
  await page.getByText('cara@example.test').first().waitFor()
  assert.equal(streams.length, 3)

  const box = page.getByRole('textbox', { name: 'Recipient, subject or message ID' })
  await box.fill('aNN@EX')
  await page.getByText('cara@example.test').first().waitFor({ state: 'detached' })
  await row.filter({ hasText: 'Accepted' }).waitFor()
  await box.fill('TOO lo')
  await row.filter({ hasText: 'Accepted' }).waitFor()
  await page.getByRole('combobox', { name: 'Event' }).selectOption('Delivered')
  await row.filter({ hasText: 'Accepted' }).waitFor({ state: 'detached' })
  await row.filter({ hasText: 'Delivered' }).waitFor()
  await page.getByRole('combobox', { name: 'Domain' }).selectOption('shop.example')
  await page.getByText('No matching events').waitFor()
  await window.resize(380, 'dark')
  assert.deepEqual(await window.faults(), [])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await row.first().waitFor()
  assert.deepEqual(await window.faults('look'), [])
  await window.resize(1280, 'light')

  await box.fill(id.toLowerCase())
  await page.getByRole('heading', { name: subject.trim() }).waitFor()
  assert.match(page.url(), new RegExp(`/messages/${id}$`))
  await window.close()
})

test('the list is polled if no stream can be opened', async () => {
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await page.route('**/api/events/stream*', (route) => route.fulfill({ status: 503 }))
  await window.goto('/activity')
  await app.send({ to: [{ email: 'dora@example.test' }] })
  await page.getByText('dora@example.test').first().waitFor()
  await window.close()
})
