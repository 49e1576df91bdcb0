// Search for messages across all domains, and the page of an address; this file runs on both databases.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

/** A subject that is written from right to left. */
const HEBREW = '\u05e9\u05dc\u05d5\u05dd'
/** Expression that returns the distance of this subject from the left edge of its search result, in pixels. */
const FROM_LEFT = `(() => {
  const subjects = [...document.querySelectorAll('.search-line .one-line-each > *')]
  const subject = subjects.find(({ textContent }) => textContent === '${HEBREW}')
  const range = document.createRange()
  range.selectNodeContents(subject)
  return range.getBoundingClientRect().left - subject.getBoundingClientRect().left
})()`

describe('searching', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let domain: string
  let owner: Person
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start({
      host: {
        script: ({ verb, argument }) =>
          verb === 'RCPT' && /<gone/.test(argument) ? '550 5.1.1 No such user' : undefined,
      },
    })
    owner = await Person.loggedIn(app)
    domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    window = await DashboardWindow.open(browser, app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  const open = (path: string) => window.goto(`/domains/${domain}/${path}`)
  const button = (name: string | RegExp): Locator => window.page.getByRole('button', { name, exact: true })
  const row = (name: RegExp): Locator => window.page.getByRole('row', { name })

  test('opens by key from any page, and shows what is known about a message', async () => {
    const { page } = window
    const id = await app.send({
      ...{ to: [{ email: 'Gone@receiver.example'.toLowerCase() }], subject: 'Prüfbericht', tag: 'report' },
    })
    await app.messageIn(id, 'bounced')
    await app.messageIn(await app.send({ subject: HEBREW }), 'delivered')
    await settled(app.store)
    await window.goto('/domains')
    await page.keyboard.press('Control+K')
    const box = page.getByRole('textbox', { name: 'Search all domains' })
    await box.waitFor()
    for (const sought of ['PRUFBERICHT', id, `<${id.slice(4)}@${app.playground.domain}>`]) {
      await box.fill(sought)
      await page.getByRole('option', { name: /Prüfbericht/ }).waitFor()
    }
    assert.deepEqual(await window.faults(), [])
    await box.fill(HEBREW)
    await page.getByRole('option', { name: HEBREW }).waitFor()
    assert.ok((await page.evaluate<number>(FROM_LEFT)) < 2)
    await box.fill('report')
    await page.getByRole('option', { name: /messages with this tag/ }).waitFor()
    await box.fill('audit')
    await page.getByRole('option', { name: 'Audit log' }).waitFor()
    const template = { name: 'Invoice by mail', alias: 'bill', subject: 's', text: 't' }
    await owner.call('POST', `/api/domains/${domain}/templates`, template)
    for (const sought of ['Bill', 'invoice']) {
      await box.fill(sought)
      await page.getByRole('option', { name: /Invoice by mail.*Template · bill/ }).waitFor()
    }
    // The ring of the focused field is inside of the dialog, below its title.
    const [field, title] = await Promise.all([
      box.boundingBox(),
      page.locator('.mantine-Modal-header').boundingBox(),
    ])
    assert.ok((field?.y ?? 0) - 4 >= (title?.y ?? 0) + (title?.height ?? 0), JSON.stringify([field, title]))
    await box.fill('nothing like this')
    await page.getByText('No matches.').waitFor()
    await box.fill('GONE@rec')
    await page.getByRole('option', { name: 'gone@receiver.example' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'gone@receiver.example' }).waitFor()
    await page.keyboard.press('/')
    await box.fill(id)
    await page.getByRole('option', { name: /Prüfbericht/ }).waitFor()
    await page.keyboard.press('Escape')
    await window.closed()
    await page.keyboard.press('/')
    await box.fill(id)
    await page.getByRole('option', { name: /Prüfbericht/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/^Bounced for gone@receiver.example: .* Reply: 550 5\.1\.1 No such user/).waitFor()
    await until('the tab tells the domain', async () => {
      return (await page.title()) === `Prüfbericht · ${app.playground.domain} · Postrider`
    })
  })

  test('an address shows its mail, suppressions and verifications, and the possible actions', async () => {
    const { page } = window
    await open('messages')
    await window.click(row(/Prüfbericht/).getByRole('link', { name: 'gone@receiver.example' }))
    await page.getByText('Bounced: 1', { exact: true }).waitFor()
    await page.getByRole('row', { name: /Hard bounce/ }).waitFor()
    await page.getByRole('row', { name: /550 5\.1\.1 No such user/ }).waitFor()
    assert.deepEqual(await window.faults(), [])
    await button('Verify').click()
    await page
      .getByRole('status')
      .getByText(/^(Undeliverable|Risky|Unknown)$/)
      .waitFor()
    await window.resize(380, 'dark')
    assert.deepEqual(await window.faults(), [])
    await window.resize(1280, 'light')
    await button(/^Remove from/).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Not suppressed: messages are sent to this address.').waitFor()
    await button('Suppress').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click()
    await page.getByRole('row', { name: /Manual/ }).waitFor()
    const id = await app.send({ to: [{ email: 'erased@receiver.example' }], stream: 'broadcast' })
    await app.messageIn(id, 'delivered')
    const mail = app.host.mails.find(({ data }) => data.includes(id.slice(4)))
    const [, link = ''] = /^List-Unsubscribe: <(http[^>]+)>/im.exec(mail?.data.toString() ?? '') ?? []
    await page.request.post(link, { form: { 'List-Unsubscribe': 'One-Click' } })
    await window.goto('/addresses/erased%40receiver.example')
    await page.getByRole('row', { name: /broadcast Unsubscribe/ }).waitFor()
    await button('Erase').click()
    await page.getByRole('textbox', { name: /to confirm/ }).fill('erased@receiver.example')
    const erase = page.getByRole('dialog').getByRole('button', { name: 'Erase' })
    // The page erases nothing and reports no erasure while the list of domains is unavailable.
    await page.route(/\/api\/domains\?/, (route) => route.fulfill({ status: 503 }))
    await erase.click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    assert.equal(await page.getByText('The address was erased.').count(), 0)
    await page.unroute(/\/api\/domains\?/)
    await erase.click()
    await page.getByText('No messages have been sent to this address.').waitFor()
  })
})
