// The mailbox of the playground: new messages appear without a reload, the user can search them, and each links to the
// page of the sent message.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { stays, until } from '../support/test-clock.ts'

/** Time that is longer than the pause after which the search request is sent, in milliseconds. */
const TYPING_MS = 600

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

test('mails are found by address, subject and text, in any case and without accents', async () => {
  const send = async (email: string, subject: string, text: string): Promise<void> => {
    await app.messageIn(await app.send({ to: [{ email }], subject, text }), 'delivered')
  }
  await send('ann@shop.test', 'Your receipt', 'Grüße aus Wien')
  await send('bob@shop.test', 'Prüfbericht', 'All is well')
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto('/mailbox')
  const lines = page.getByRole('navigation', { name: 'Received messages' }).getByRole('link')
  const has = (...subjects: string[]) =>
    until(`the mailbox shows ${subjects.join(', ')}`, async () => {
      const shown = await lines.allTextContents()
      return shown.length === subjects.length && subjects.every((one, at) => shown[at]?.includes(one))
    })
  await has('Prüfbericht', 'Your receipt')
  const box = page.getByRole('textbox', { name: 'Address, subject or text' })
  for (const [sought, subject] of [
    ['ANN@sh', 'Your receipt'],
    ['prufbe', 'Prüfbericht'],
    ['grusse aus', 'Your receipt'],
  ] as const) {
    await box.fill(sought)
    await has(subject)
  }
  await box.fill('nothing of it')
  await page.getByText('No matching messages').waitFor()
  assert.deepEqual(await window.faults(), [])
  await box.fill('ann@shop')
  await has('Your receipt')
  await window.click(lines.first())
  await window.click(page.getByRole('link', { name: 'Open in Messages' }))
  await page.getByText('Delivered to ann@shop.test.').waitFor()
  await window.close()
})

test('a mail that is opened right after typing in the search stays open', async () => {
  await app.messageIn(await app.send({ subject: 'Kept open' }), 'delivered')
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto('/mailbox')
  const line = page.getByRole('link', { name: /Kept open/ })
  await line.waitFor()
  await page.getByRole('textbox', { name: 'Address, subject or text' }).pressSequentially('kept')
  await line.click()
  await page.waitForURL(/\/mailbox\/.+\?search=kept$/)
  const opened = page.getByRole('link', { name: 'Open in Messages' })
  await opened.waitFor()
  await stays('the mail is open', async () => /\/mailbox\/./.test(page.url()), TYPING_MS)
  await opened.waitFor()
  await window.close()
})
