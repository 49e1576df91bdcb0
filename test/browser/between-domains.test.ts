// Switching between domains on the same page of their workspaces: typed text, selections and pending requests stay with
// the first domain.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Locator, Route } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { stays, until } from '../support/test-clock.ts'

/** Time that is longer than the pause after which an input field sends its request, in milliseconds. */
const TYPING_MS = 600

describe('between domains', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let owner: Person
  let first: string
  let second: string
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
    first = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    second = (await owner.call('POST', '/api/domains', { domain: 'bücher.example' })).body.domain_id
    window = await DashboardWindow.open(browser, app)
  })
  beforeEach(() => window.page.unrouteAll({ behavior: 'wait' }))
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  const button = (name: string | RegExp): Locator => window.page.getByRole('button', { name, exact: true })
  const open = (part: string) => window.goto(`/domains/${first}/${part}`)
  const domainOf = async (id: string) => (await owner.call('GET', `/api/domains/${id}`)).body

  /** Switches to the other domain, and waits for its page, but not for the data of the page. */
  async function go(id: string, part: string): Promise<void> {
    await window.page.getByRole('combobox', { name: 'Switch domain' }).selectOption(id)
    await window.page.locator(`html[data-page="/domains/${id}/${part}"]`).waitFor({ state: 'attached' })
  }

  /** Delays the responses to requests with this method and URL until the returned function is called. */
  async function hold(address: string, method: string): Promise<() => Promise<void>> {
    const held: (() => Promise<void>)[] = []
    let isOver = false
    await window.page.route(address, async (route: Route) => {
      if (isOver || route.request().method() !== method) return route.continue()
      const response = await route.fetch()
      held.push(() => route.fulfill({ response }))
    })
    return async () => {
      await until('the page sends the request', () => held.length > 0)
      isOver = true
      for (const answer of held) await answer()
    }
  }

  const days = () => window.page.getByLabel('Contents, in days')

  test('unsaved days belong to their domain', async () => {
    await open('settings')
    await days().fill('5')
    await go(second, 'settings')
    await window.page.getByRole('heading', { name: 'bücher.example' }).waitFor()
    assert.equal(await days().inputValue(), '')
    assert.equal(await button('Save retention').isDisabled(), true)
  })

  test('a late answer belongs to the domain of its request', async () => {
    const { page } = window
    await open('settings')
    await days().fill('5')
    const answer = await hold(`**/api/domains/${first}`, 'PATCH')
    await button('Save retention').click()
    await until('the domain is changed', async () => (await domainOf(first)).content_retention_days === 5)
    await go(second, 'settings')
    await page.getByRole('heading', { name: 'bücher.example' }).waitFor()
    await days().fill('7')
    await answer()
    await page.getByText(/^Retention saved\./).waitFor()
    assert.equal(await days().inputValue(), '7')
    await page.getByRole('heading', { name: 'bücher.example' }).waitFor()
    assert.equal((await domainOf(second)).content_retention_days, null)
    await go(first, 'settings')
    await until(
      'the field shows the value of the second domain',
      async () => (await days().inputValue()) === '5',
    )
  })

  test('a pause that is answered late does not change the other domain', async () => {
    const { page } = window
    await open('settings')
    const answer = await hold(`**/api/domains/${first}/pause`, 'POST')
    await button('Pause').click()
    const question = page.getByRole('dialog')
    await question.getByText(/loses the message/).waitFor()
    assert.equal((await domainOf(first)).status, 'verified', 'nothing is paused before the answer')
    await question.getByRole('button', { name: 'Pause' }).click()
    await until('the first domain is paused', async () => (await domainOf(first)).status === 'paused')
    await go(second, 'settings')
    await page.getByRole('heading', { name: 'bücher.example' }).waitFor()
    await answer()
    await stays('the button to pause is enabled', () => button('Pause').isEnabled(), TYPING_MS)
    await button('Pause').click()
    await question.getByRole('button', { name: 'Pause' }).click()
    await until('the second domain is paused', async () => (await domainOf(second)).status === 'paused')
    for (const id of [first, second]) await owner.call('POST', `/api/domains/${id}/resume`, {})
  })

  test('rows of a domain are never shown in another one', async () => {
    const { page } = window
    await app.send({ subject: 'Of the first' })
    await owner.call('POST', `/api/domains/${first}/suppressions`, { email: 'first@receiver.example' })
    for (const [part, row] of [
      ['messages', 'Of the first'],
      ['suppressions', 'first@receiver.example'],
    ] as const) {
      await open(part)
      await page.getByRole('row', { name: row }).first().waitFor()
      const answer = await hold(`**/api/domains/${second}/${part}*`, 'GET')
      await go(second, part)
      await stays('no row is shown', async () => (await page.getByText(row).count()) === 0, TYPING_MS)
      await answer()
      await window.settled()
      assert.equal(await page.getByText(row).count(), 0)
    }
  })

  test('rows that are selected in a domain are not selected in the next', async () => {
    const { page } = window
    const suppressions = [{ email: 'both@receiver.example' }]
    for (const id of [first, second]) {
      await owner.call('POST', `/api/domains/${id}/suppressions`, { suppressions })
    }
    await open('suppressions')
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    await page.getByText('2 addresses selected').waitFor()
    await go(second, 'suppressions')
    await page.getByRole('cell', { name: 'both@receiver.example', exact: true }).waitFor()
    assert.equal(await page.getByText(/selected$/).count(), 0)
  })

  test('a filter that was just typed does not lead back', async () => {
    const { page } = window
    await open('suppressions')
    await page.getByRole('textbox', { name: 'Address or its first letters' }).pressSequentially('both')
    await go(second, 'suppressions')
    const here = () => new URL(page.url()).pathname === `/domains/${second}/suppressions`
    await stays('the other domain is open', here, TYPING_MS)
    assert.equal(new URL(page.url()).search, '')
  })

  test('a filter does not lead back from a page that is still loading', async () => {
    const { page } = window
    await open('suppressions')
    const shown = Promise.withResolvers<void>()
    await page.route(/\/assets\/streams-page-.*\.js$/, async (route) => {
      await shown.promise
      await route.continue()
    })
    await page.getByRole('textbox', { name: 'Address or its first letters' }).pressSequentially('both')
    await page.getByRole('link', { name: 'Streams', exact: true }).click()
    await stays('the next page is still loading', () => page.url().endsWith('/streams'), TYPING_MS)
    shown.resolve()
    await page.getByRole('heading', { name: 'Streams' }).waitFor()
  })

  test('a domain is deleted by its readable name, and a refusal is not shown again', async () => {
    const { page } = window
    await window.goto(`/domains/${second}/settings`)
    const dialog = page.getByRole('dialog', { name: /bücher\.example/ })
    const end = async () => {
      await button('Delete').click()
      await dialog.getByRole('textbox').fill('bücher.example')
    }
    await page.route(new RegExp(`/api/domains/${second}\\?`), (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 503 }) : route.continue(),
    )
    await end()
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await window.closed()
    await page.unrouteAll({ behavior: 'wait' })
    await end()
    assert.equal(await dialog.getByRole('alert').count(), 0)
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('bücher.example', { exact: false }).first().waitFor()
    await until(
      'the domain is deleted',
      async () => (await owner.call('GET', `/api/domains/${second}`)).status === 404,
    )
  })
})
