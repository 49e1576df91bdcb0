// Every page of the account in a real browser, in all widths, light and dark: no element is too wide, cut off or
// overlapping, axe-core finds no violation, and the content security policy refuses no content.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openIncident } from '../../src/store/incidents/incidents.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { isOfDomain, pageRoutes, unvisited } from '../support/browser/page-routes.ts'
import { faultsOnWalk, VIEWS } from '../support/browser/walk.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'
import { addUser } from '../support/users.ts'

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
  '/deliverability',
  '/addresses/nobody%40example.net',
  '/domains',
  '/verification',
  '/verification/lists',
  '/verification/keys',
  '/verification/credits',
  '/account',
  '/account/users',
  '/account/keys',
  '/account/usage',
  '/account/events',
  '/account/events?type=key.created&object_id=none',
  '/account/audit',
  '/account/profile',
  '/operator',
  '/operator/queue',
  '/operator/queue/nowhere.test',
  '/operator/accounts',
  '/operator/nodes',
  '/operator/lists',
  '/no-such-page',
]

/** Paths of the pages of the separate login program. */
const LOGIN = [
  '/login',
  '/forgotten-password',
  '/first-run?token=x',
  '/invitation?token=x',
  '/reset-password?token=x',
]
/** Paths of dashboard pages that need no login. */
const SHARED = ['/dns-records?token=x', '/shared/msg_x?token=x', '/shared-mails/mbx_x?token=x']

const ADDRESSES = ['ann@example.test', 'info@example.test', 'no address']

/** Expression that returns the transferred bytes of a page and of all its resources. */
const TRANSFERRED = `performance.getEntries()
  .reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)`

/** Opens an incident with each kind of scope, with a message of the account as its example; returns its ID. */
async function incidentOf(app: TestApp): Promise<string> {
  const example = await app.store.read
    .selectFrom('events')
    .select(['account_id', 'domain_id', 'message_id', 'id'])
    .where('type', '=', 'delivered')
    .executeTakeFirstOrThrow()
  const now = Date.now()
  const { incidentId } = await app.store.write(openIncident, {
    ...{ accountId: example.account_id, domainId: example.domain_id, name: 'replies Yahoo' },
    ...{ cause: 'rate_limited', provider: 'Yahoo', code: 'TSS04', beganAt: now - 3_600_000, now },
    scope: { source_address: '192.0.2.7', stream: 'broadcast', tag: 'newsletter', key_id: 'key_1' },
    ...{ attempts: 420, failed: 131, recipients: 120, usualShare: 0.011 },
    example: { messageId: example.message_id, eventId: example.id },
    evidence: [
      { wording: 'replies', values: { failed: 131, attempts: 420, codes: 'TSS04 (131)' }, link: '/domains' },
      { wording: 'check_address', values: {}, link: null },
    ],
  })
  return incidentId
}

describe('every page', () => {
  let app: TestApp
  let browser: Browser
  let inside: string[]
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    const owner = await Person.loggedIn(app)
    // The account gets data for every page.
    await app.messageIn(await app.send(), 'delivered')
    await settled(app.store)
    const incident = await incidentOf(app)
    await owner.call('POST', '/api/keys', { kind: 'verification', name: 'Sign-up form' })
    await owner.call('POST', '/api/invitations', { email: 'ann@example.test', role: 'viewer' })
    const { body } = await owner.call('POST', '/api/domains', { domain: 'shop.example' })
    const lists = '/verification/lists'
    const { body: list } = await owner.call('POST', '/api/verification/verifications', ADDRESSES)
    const hook = { url: 'https://hook.example/' }
    const { webhook_id } = (await owner.call('POST', '/api/account-webhooks', hook)).body
    inside = [
      ...INSIDE,
      `/account/webhooks/${webhook_id}`,
      `/deliverability/incidents/${incident}`,
      `/domains/${body.domain_id}/dns`,
      `${lists}/${list.verification_id}`,
    ]
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  test('is listed here or among the pages of a domain', async () => {
    const others = (await pageRoutes()).filter(({ path }) => !isOfDomain(path))
    assert.ok(others.length > 25, `${others.length}`)
    assert.deepEqual(unvisited(others, [...inside, ...LOGIN, ...SHARED]), [])
  })

  test('after the login', async () => {
    const window = await DashboardWindow.open(browser, app)
    assert.deepEqual(await faultsOnWalk(window, inside, { views: VIEWS }), [])
    await window.close()
  })

  test('an open menu, dialog and choice', async () => {
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
    // The keyboard focus cannot reach elements behind the menu.
    await page.locator('#content[inert]').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Home' }).waitFor({ state: 'hidden' })
    await page.locator('#content:not([inert])').waitFor()
    await page.getByRole('button', { name: 'Open menu' }).and(page.locator(':focus')).waitFor()
    // A page of a domain names the domain, because the menu that names the domain is closed.
    await window.click(page.getByRole('link', { name: app.playground.domain }))
    await page.getByRole('main').getByText(app.playground.domain, { exact: true }).waitFor()
    await window.close()
  })

  test('the side navigation shows all links in a window of a laptop, and the current link in any window', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    await window.goto('/domains')
    await window.click(page.getByRole('link', { name: app.playground.domain }))
    const hidden =
      'document.querySelector(".frame-nav").scrollHeight - document.querySelector(".frame-nav").clientHeight'
    assert.equal(await page.evaluate<number>(hidden), 0)
    await page.setViewportSize({ width: 1280, height: 480 })
    assert.ok((await page.evaluate<number>(hidden)) > 0)
    await window.follow(new URL(page.url()).pathname.replace('messages', 'settings'))
    const link = await page.locator('.frame-nav [aria-current]').boundingBox()
    const nav = await page.locator('.frame-nav').boundingBox()
    assert.ok(link !== null && nav !== null && link.y + link.height <= nav.y + nav.height + 1)
    await window.close()
  })

  test('the API reference, narrow', async () => {
    const window = await DashboardWindow.open(browser, app, { width: 380, login: null })
    const { page } = window
    await page.goto(`${app.app.url}/docs`)
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('searchbox').fill('attachments')
    await page.locator('#found mark').first().waitFor()
    assert.deepEqual(await window.faults(), [])
    await page.goto(`${app.app.url}/docs/pages/sending`)
    assert.deepEqual(await window.faults(), [])
    await window.close()
  })

  test('a first visit loads little: the login below 90 KiB, home and its guide below 150, in every language', async () => {
    const { account } = await createTenant(app.store)
    const newcomer = { email: 'newcomer@example.net', password: 'a long password' }
    await addUser(app.store, { ...newcomer, account_id: account.id, name: null, role: 'owner' })
    const figures = { path: '/', login: app.playground.dashboard_login, shows: 'svg' }
    const guide = { path: '/', login: newcomer, shows: '.steps' }
    const login = { path: '/login', login: null, shows: 'form' }
    for (const locale of ['en-US', 'de-DE', 'fr-FR']) {
      for (const { path, login: user, shows, most } of [
        { ...login, most: 90 },
        { ...figures, most: 150 },
        { ...guide, most: 150 },
      ]) {
        const window = await DashboardWindow.open(browser, app, { login: user, locale })
        await window.goto(path)
        await window.page.locator(`main ${shows}`).first().waitFor()
        const kib = (await window.page.evaluate<number>(TRANSFERRED)) / 1024
        assert.ok(kib > 20 && kib < most, `${path} with ${shows} in ${locale}: ${kib.toFixed(1)} KiB`)
        await window.close()
      }
    }
  })

  test('before the login', async () => {
    const window = await DashboardWindow.open(browser, app, { login: null })
    for (const paths of [LOGIN, SHARED])
      assert.deepEqual(await faultsOnWalk(window, paths, { views: VIEWS }), [])
    await window.close()
  })
})
