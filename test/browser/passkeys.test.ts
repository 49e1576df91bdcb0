// A passkey in a real browser with an authenticator of its own: made by who is logged in, then enough by itself.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser } from '../support/browser.ts'

describe('a passkey', { timeout: 60_000 }, () => {
  let app: TestApp
  let browser: Browser
  before(async () => {
    ;[app, browser] = await Promise.all([TestApp.start(), startBrowser()])
  })
  after(async () => {
    await browser.close()
    await app.stop()
  })

  /** The authenticator of a laptop: it knows who is there, and keeps the names of its users. */
  async function withAuthenticator(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable')
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  }

  test('is made by who is logged in, and logs in without a password', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    await withAuthenticator(page)
    // WebAuthn knows hosts by their names only.
    const url = app.app.url.replace('127.0.0.1', 'localhost')
    const { email, password } = app.playground.dashboard_login
    await page.goto(`${url}/login`)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()

    await page.goto(`${url}/account/profile`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()

    await context.clearCookies()
    await page.goto(`${url}/login`)
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    const [cookie] = await context.cookies()
    assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['postrider_session', true, 'Lax'])
    const kept = await app.store.read.selectFrom('passkeys').selectAll().execute()
    assert.deepEqual(
      kept.map(({ name, last_used_at }) => [name, last_used_at !== null]),
      [['Laptop', true]],
    )
    await context.close()
  })
})
