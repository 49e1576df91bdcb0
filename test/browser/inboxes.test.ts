// Test inboxes: the mailbox of the playground is one of them; new messages appear without a reload, the user can search
// them, and each links to the page of the sent message. A user creates an inbox, shares and deletes its messages.

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
  const box = page.getByRole('textbox', { name: 'Search, or to:' })
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
  await page.getByRole('textbox', { name: 'Search, or to:' }).pressSequentially('kept')
  await line.click()
  await page.waitForURL(/\/inboxes\/.+\/mbx_.+\?search=kept$/)
  const opened = page.getByRole('link', { name: 'Open in Messages' })
  await opened.waitFor()
  await stays('the mail is open', async () => /\/mbx_/.test(page.url()), TYPING_MS)
  await opened.waitFor()
  await window.close()
})

test('a user creates an inbox and a key, reads, shares and deletes its mail, and deletes the inbox', async () => {
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await window.goto('/inboxes')
  await button('New inbox').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Suite')
  await page.getByRole('textbox', { name: 'Messages to keep' }).fill('10001')
  await button('Create inbox').click()
  await page.locator('input[aria-invalid="true"]').waitFor()
  await page.getByRole('textbox', { name: 'Messages to keep' }).fill('20')
  await button('Create inbox').click()
  const secret = page.getByRole('dialog').locator('.code-line')
  await button('Done').waitFor()
  assert.deepEqual(await window.faults(), [])
  const [baseUrl = '', username = '', password = ''] = await secret.allTextContents()
  const login = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const listed = await app.callWith('GET', `${new URL(baseUrl).pathname}/api/v1/messages`, undefined, {
    authorization: login,
  })
  assert.equal(listed.status, 200)
  await button('Done').click()
  await window.closed()

  await page.getByRole('button', { name: 'Actions for Suite' }).click()
  await page.getByRole('menuitem', { name: 'New test key' }).click()
  await button('Create key').click()
  await button('Done').waitFor()
  const [key = ''] = await secret.allTextContents()
  assert.match(key, /^send_test_/)
  await button('Done').click()
  await window.closed()

  await window.click(page.getByRole('link', { name: 'Suite' }))
  await page.getByText('No messages yet').waitFor()
  const lines = page.getByRole('navigation', { name: 'Received messages' }).getByRole('link')
  for (const subject of ['First', 'Second']) {
    const body = {
      ...{ from: 'shop@shop.example', to: [{ email: 'ann@receiver.example' }], subject },
      ...{ html: '<a href="https://shop.example/reset">x</a>', text: 'Your code is 482913.' },
      attachments: [{ filename: 'a.txt', content: Buffer.from('file').toString('base64') }],
    }
    const answer = await app.call('POST', '/v1/messages', body, { authorization: `Bearer ${key}` })
    assert.equal(answer.status, 202)
    await lines.filter({ hasText: subject }).waitFor()
  }
  await window.click(lines.filter({ hasText: 'Second' }))
  await page.getByText('482913', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Open in Messages' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'a.txt' }).click()
  assert.equal((await download).suggestedFilename(), 'a.txt')
  await page.getByRole('tab', { name: 'Links (1)' }).click()
  await page.getByText('https://shop.example/reset', { exact: true }).waitFor()
  assert.deepEqual(await window.faults(), [])

  await button('Share').click()
  await button('Create link').click()
  await button('Done').waitFor()
  const link = (await page.getByRole('dialog').locator('.code-line').textContent()) ?? ''
  const stranger = await DashboardWindow.open(browser, app, { login: null })
  await stranger.goto(link.slice(app.app.url.length))
  await stranger.page.getByRole('heading', { name: 'Second' }).waitFor()
  await stranger.page.locator('iframe').waitFor()
  assert.deepEqual(await stranger.faults(), [])
  await button('Revoke all links').click()
  await window.closed()
  await stranger.goto(link.slice(app.app.url.length))
  await stranger.page.getByText('was revoked or has expired').waitFor()
  await stranger.close()

  await button('Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await lines.filter({ hasText: 'Second' }).waitFor({ state: 'detached' })
  await button('Delete all').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click()
  await page.getByText('No messages yet').waitFor()

  await window.follow('/inboxes')
  await page.getByRole('button', { name: 'Actions for Suite' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'Suite' }).waitFor({ state: 'detached' })
  await window.close()
})
