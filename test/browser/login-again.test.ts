// The login dialog over a page: the page names the user who is logged in afterwards, and a change never needs two
// logins.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { Sessions } from '../../src/access/sessions.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { findUserByEmail, type User } from '../../src/store/access/accounts.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'

const PASSWORD = 'wren-lantern-orbit-58'

describe('the login above a page', () => {
  let app: TestApp
  let browser: Browser
  let base: string
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    // A passkey belongs to a host name, so the test uses `localhost` instead of an IP address.
    base = app.app.url.replace('127.0.0.1', 'localhost')
    const owner = await Person.loggedIn(app)
    for (const name of ['pia', 'vera']) {
      const invitation = { email: `${name}@example.test`, role: 'viewer' }
      const { body } = await owner.call('POST', '/api/invitations', invitation)
      const token = new URL(body.url).searchParams.get('token')
      const accepted = { token, name, password: PASSWORD }
      assert.equal((await new Person(app).call('POST', '/api/invitations/accept', accepted)).status, 200)
    }
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  /** Opens a window of Vera, whose last login is too old to change her password or passkeys. */
  async function openLate(): Promise<DashboardWindow> {
    const window = await DashboardWindow.open(browser, app, { login: null })
    await lateIn(window)
    return window
  }

  async function lateIn({ context }: DashboardWindow): Promise<void> {
    const user = await findUserByEmail(app.store.read, 'vera@example.test')
    const clock = { ...systemClock, now: () => Date.now() - 11 * 60_000 }
    const from = { address: '127.0.0.1', userAgent: '' }
    const value = (await new Sessions(app.store, clock, silentLog).open(user as User, from)) as string
    await context.addCookies([{ name: 'postrider_session', value, url: base }])
  }

  test('one login suffices when the session ends while a change waits for it', async () => {
    const window = await openLate()
    const { page, context } = window
    await window.goto(`${base}/account/profile`)
    await page.getByRole('button', { name: 'Log out all other sessions' }).click()
    const again = page.getByRole('dialog', { name: 'Confirm your identity' })
    await again.waitFor()
    await context.clearCookies()
    const expired = page.getByRole('dialog', { name: 'Session expired' })
    await until('the page has noticed', async () => {
      // The page reloads its data when the user returns to the window.
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
      return expired.isVisible()
    })
    await expired.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await expired.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByText('All other sessions are logged out.').waitFor()
    await window.closed()
    await window.close()
  })

  test("another person's passkey logs that person in, and says so", async () => {
    const window = await DashboardWindow.open(browser, app, { login: null })
    const { page, context } = window
    const device = await context.newCDPSession(page)
    await device.send('WebAuthn.enable')
    await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal' },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      },
    })
    await page.goto(`${base}/login?to=/account/profile`)
    await page.getByLabel('Email address').fill('pia@example.test')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()

    await context.clearCookies()
    await lateIn(window)
    await window.goto(`${base}/account/profile`)
    await page.getByRole('cell', { name: '127.0.0.1' }).first().waitFor()
    await page.getByRole('button', { name: 'Log out all other sessions' }).click()
    const again = page.getByRole('dialog', { name: 'Confirm your identity' })
    let answer: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/sessions', async (route) => {
      await held
      await route.continue()
    })
    await again.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByText('You are now logged in as pia@example.test.').waitFor()
    await window.closed()
    // Data of the previous user disappear at once, not only when the responses arrive.
    assert.equal(await page.getByRole('cell', { name: '127.0.0.1' }).count(), 0)
    answer?.()
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()
    assert.equal(await page.getByText('All other sessions are logged out.').count(), 0)
    assert.deepEqual(window.complaints, [])
    await window.close()
  })
})
