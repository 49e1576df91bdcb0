// Webhooks in the dashboard: a user creates, tests, inspects and deletes a webhook, repeats a delivery, and rotates the
// secret.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
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

test('a webhook from its creation to its end', async () => {
  const owner = await Person.loggedIn(app)
  const domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto(`/domains/${domain}/webhooks`)
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await page.getByLabel('URL').fill('http://10.0.0.1/hook')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('private or special use').waitFor()
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByLabel('Name').fill('Shop')
  await page.getByRole('button', { name: 'Save' }).click()
  const secret = (await page.getByText(/^whsec_/).textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  await window.closed()
  await page.getByRole('link', { name: 'Shop' }).click()
  await page.getByRole('heading', { name: 'Shop' }).waitFor()

  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('The receiver accepted the test event (204).').waitFor()
  // The owners get a message about the new webhook, and the webhook also gets the events of this message.
  const [sent] = (await receiver.received(1, ({ body }) => body.includes('"test":"true"'))) as [
    ReceivedRequest,
  ]
  new Webhook(secret).verify(sent.body, sent.headers as Record<string, string>)

  receiver.script = () => 500
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('The receiver did not accept the test event').waitFor()
  await page.getByText('The receiver answered 500.').waitFor()
  const test = page.getByRole('row').filter({ hasText: 'Test: Delivered' })
  await test.filter({ hasText: 'Failed' }).waitFor()
  await test.filter({ hasText: 'OK' }).waitFor()

  receiver.script = ({ body }, response) => {
    if (!body.includes('you@receiver.example')) return 204
    response.statusCode = 503
    response.end('The shop is closed')
    return undefined
  }
  await app.send()
  await receiver.received(3, ({ body }) => body.includes('you@receiver.example'))
  receiver.script = () => 200
  await page.getByText('Pending', { exact: true }).last().waitFor()
  const pending = page.getByRole('row').filter({ hasText: 'Pending' })
  await pending.getByRole('button', { name: 'Accepted' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The shop is closed').first().waitFor()
  await dialog.getByText('"message_id"').waitFor()
  await dialog.getByRole('button', { name: 'Retry now' }).click()
  await page.getByText('The delivery is due now.').waitFor()
  await page.keyboard.press('Escape')
  await window.closed()

  // A row names the recipient of a delivery and links to the message; the search finds the delivery by the recipient.
  await page.getByRole('textbox', { name: 'Recipient or message ID' }).fill('You@receiver.example')
  const found = page.getByRole('row').filter({ hasText: 'you@receiver.example' })
  await test.first().waitFor({ state: 'detached' })
  await found.filter({ hasText: 'OK' }).first().waitFor()
  assert.equal(await page.locator('tbody tr').count(), await found.count())
  assert.deepEqual(await window.faults(), [])
  await window.resize(390, 'dark')
  await found
    .getByText(/^HTTP 20\d$/)
    .first()
    .waitFor()
  assert.deepEqual(await window.faults(), [])
  await window.resize(1280, 'light')
  const address = new URL(page.url())
  await window.click(found.getByRole('link', { name: 'you@receiver.example' }).first())
  await page.getByText('Delivered to').first().waitFor()
  const message = page.url().split('/').at(-1) ?? ''
  await window.goto(address.pathname)
  await page.getByRole('textbox', { name: 'Recipient or message ID' }).fill(message.toLowerCase())
  await test.first().waitFor({ state: 'detached' })
  await found.first().waitFor()
  await page
    .getByRole('button', { name: 'Clear filters' })
    .or(page.getByRole('button', { name: 'Clear' }))
    .click()

  // A disabled webhook announces no attempt.
  receiver.script = () => 503
  const waiting = await app.send({ to: [{ email: 'later@receiver.example' }] })
  await receiver.received(1, ({ body }) => body.includes(waiting))
  await page
    .getByRole('row')
    .filter({ hasText: 'later@receiver.example' })
    .filter({ hasText: 'Pending' })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await page.getByText('Webhook disabled.').waitFor()
  const delayed = page.getByRole('row').filter({ hasText: 'later@receiver.example' })
  await delayed.filter({ hasText: 'Pending' }).getByRole('button').first().click()
  await dialog.getByText('None while the webhook is disabled').waitFor()
  await page.keyboard.press('Escape')
  await window.closed()

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const rotated = await page.getByText(/^whsec_/).textContent()
  assert.notEqual(rotated, secret)
  await page.getByRole('button', { name: 'Done' }).click()
  await window.closed()
  await page.getByText('Previous secret valid until').waitFor()

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No webhooks').waitFor()
  await window.close()
})
