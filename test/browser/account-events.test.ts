// The events of the account in the dashboard: an owner creates a webhook of the account, and finds the events that the
// webhook gets.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { addUser } from '../support/users.ts'
import { type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver.ts'

let app: TestApp
let browser: Browser
let receiver: WebhookReceiver
before(async () => {
  browser = await startBrowser()
  receiver = await WebhookReceiver.start()
  app = await TestApp.start({ env: { POSTRIDER_WEBHOOK_HTTP: 'yes' } })
})
after(async () => {
  await stopBrowser()
  await app?.stop()
  await receiver?.stop()
})

test('a webhook of the account, its delivery, and the event in the list', async () => {
  const owner = await Person.loggedIn(app)
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto('/account/events')
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByLabel('Name').fill('Platform')
  await page.getByText('All accounts').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const secret = (await page.getByText(/^whsec_/).textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  await window.closed()
  await owner.call('POST', '/api/keys', { kind: 'verification', name: 'Checker' })
  const [sent] = (await receiver.received(1, ({ body }) => body.includes('key.created'))) as [ReceivedRequest]
  new Webhook(secret).verify(sent.body, sent.headers as Record<string, string>)

  await page.getByLabel('Event', { exact: true }).selectOption('Key created')
  const row = page.getByRole('row').filter({ hasText: 'Checker' })
  await row.getByText('Key created').waitFor()
  await page.getByRole('link', { name: 'Platform' }).click()
  await page.getByRole('heading', { name: 'Platform' }).waitFor()
  await page.getByRole('button', { name: 'Key created' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('"object_id"').waitFor()
  assert.equal(await dialog.getByText('Recipient').count(), 0)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await window.closed()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks').waitFor()
  await window.close()
})

test('a viewer sees the events and changes no webhook', async () => {
  const { id: account_id } = await app.store.read
    .selectFrom('accounts')
    .select('id')
    .executeTakeFirstOrThrow()
  const login = { email: 'viewer@people.example', password: 'a long password' }
  await addUser(app.store, { ...login, account_id, name: null, role: 'viewer' })
  const window = await DashboardWindow.open(browser, app, { login })
  await window.goto('/account/events')
  await window.page.getByRole('cell', { name: 'Key created' }).first().waitFor()
  assert.equal(await window.page.getByRole('button', { name: 'New webhook' }).count(), 0)
  await window.close()
})
