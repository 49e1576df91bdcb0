// Every page of the account in a real browser: it fits a narrow window, axe-core finds nothing serious, the policy refuses nothing.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'

const INSIDE = [
  '/',
  '/activity',
  '/activity?search=nobody',
  '/activity?stream=transactional&tag=none&after=2026-01-01T00:00:00Z',
  '/activity/requests',
  '/activity/requests?outcome=refused',
  '/statistics',
  '/statistics?group=provider&range=30d&by=day',
  '/statistics?group=category&stream=none',
  '/addresses/nobody%40example.net',
  '/domains',
  '/verification',
  '/verification/lists',
  '/verification/keys',
  '/verification/credits',
  '/account',
  '/account/users',
  '/account/audit',
  '/account/profile',
  '/operator',
  '/operator/queue',
  '/operator/accounts',
  '/operator/nodes',
  '/no-such-page',
]

const OUTSIDE = [
  '/login',
  '/forgotten-password',
  '/first-run?token=x',
  '/invitation?token=x',
  '/reset-password?token=x',
  '/dns-records?token=x',
  '/shared/msg_x?token=x',
]

describe('every page', () => {
  let app: TestApp
  let browser: Browser
  let dns: string
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    const owner = await Person.loggedIn(app)
    // Something to see everywhere.
    await app.send()
    await owner.call('POST', '/api/verification/keys', { name: 'Sign-up form' })
    await owner.call('POST', '/api/invitations', { email: 'ann@example.test', role: 'viewer' })
    const { body } = await owner.call('POST', '/api/domains', { domain: 'shop.example' })
    dns = `/domains/${body.domain_id}/dns`
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  test('behind the login', async () => {
    const window = await DashboardWindow.open(browser, app, { strict: true })
    assert.deepEqual(await faultsOf(window, [...INSIDE, dns]), [])
    await window.close()
  })

  test('a menu, a dialog and a choice that are open', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    const faults: string[] = []
    await window.goto('/domains')
    await page.getByText('Playground', { exact: true }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).waitFor()
    await window.settled()
    faults.push(...(await window.faults()))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByRole('dialog').waitFor()
    await window.settled()
    faults.push(...(await window.faults()))
    await page.keyboard.press('Escape')
    await window.closed()
    await window.follow('/statistics')
    await page.getByRole('combobox', { name: 'Group by' }).click()
    await page.locator('[role=option]').first().waitFor()
    await window.settled()
    faults.push(...(await window.faults()))
    assert.deepEqual(faults, [])
    await window.close()
  })

  test('the menu of a narrow window, which covers its page and is closed by Escape', async () => {
    const window = await DashboardWindow.open(browser, app, { width: 380 })
    const { page } = window
    await window.goto('/domains')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('link', { name: 'Home' }).waitFor()
    assert.deepEqual(await window.faults(), [])
    // The keyboard does not reach what is covered.
    await page.locator('#content[inert]').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Home' }).waitFor({ state: 'hidden' })
    await page.locator('#content:not([inert])').waitFor()
    await page.getByRole('button', { name: 'Open menu' }).and(page.locator(':focus')).waitFor()
    await window.close()
  })

  test('the API reference, narrow', async () => {
    const window = await DashboardWindow.open(browser, app, { width: 380, login: null })
    await window.page.goto(`${app.app.url}/docs`)
    assert.deepEqual(await window.faults('look'), [])
    await window.close()
  })

  test('before the login', async () => {
    const window = await DashboardWindow.open(browser, app, { login: null, strict: true })
    // They belong to two programs: between these a browser loads a page anew.
    assert.deepEqual(await faultsOf(window, OUTSIDE, 'goto'), [])
    await window.close()
  })
})

/** Faults of these pages, wide and light, then narrow and dark. */
async function faultsOf(
  window: DashboardWindow,
  paths: readonly string[],
  way: 'follow' | 'goto' = 'follow',
): Promise<string[]> {
  const faults: string[] = []
  await window.goto(paths[0] ?? '')
  for (const path of paths) {
    await window[way](path)
    faults.push(...(await window.faults()))
  }
  await window.resize(380, 'dark')
  for (const path of paths) {
    await window[way](path)
    faults.push(...(await window.faults('look')))
  }
  return faults
}
