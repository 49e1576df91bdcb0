// Users in the dashboard: invitations, the pages that each role sees, the second factor, and an expired session.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { Sessions } from '../../src/access/sessions.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { findUserByEmail, type User } from '../../src/store/access/accounts.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { stays } from '../support/test-clock.ts'

const PASSWORD = 'wren-lantern-orbit-58'

describe('people', () => {
  let app: TestApp
  let browser: Browser
  let owner: Person
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  /** Invites a user with this role, and accepts the invitation. */
  async function invited(email: string, role: string): Promise<void> {
    const { body } = await owner.call('POST', '/api/invitations', { email, role })
    const token = new URL(body.url).searchParams.get('token')
    const answer = await new Person(app).call('POST', '/api/invitations/accept', {
      token,
      name: 'Vera',
      password: PASSWORD,
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  async function logIn(page: Page, email: string, password: string): Promise<void> {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
  }

  test('an owner invites a user, who joins by the link', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    await window.goto('/account/users')
    await page.getByRole('button', { name: 'Invite a user' }).click()
    await page.getByLabel('Email address').fill('ann@example.test')
    await page.getByLabel('Admin').check()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.getByText(/\/invitation\?token=/).textContent()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'ann@example.test', exact: true }).waitFor()

    const guest = await DashboardWindow.open(browser, app, { login: null })
    await guest.goto(link ?? '')
    await guest.page.getByText('You are invited as an admin.').waitFor()
    await guest.page.getByLabel('Your name').fill('Ann')
    await guest.page.getByLabel('Password', { exact: true }).fill('short')
    await guest.page.getByRole('button', { name: 'Accept invitation' }).click()
    await guest.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await guest.page.getByRole('button', { name: 'Accept invitation' }).click()
    await guest.page.getByRole('heading', { name: 'Home' }).waitFor()
    await guest.click(guest.page.getByRole('link', { name: 'Account' }))
    await guest.page.getByRole('link', { name: 'Audit log' }).waitFor()

    // The other user gets the rights of the new role with the next page load.
    await window.goto('/account/users')
    const role = page.getByRole('combobox', { name: 'Role of ann@example.test' })
    await role.selectOption('viewer')
    await page.getByText('Ann is now a viewer.').waitFor()
    await guest.page.reload()
    await guest.page.getByRole('heading', { name: 'Account' }).waitFor()
    assert.equal(await guest.page.getByRole('link', { name: 'Audit log' }).count(), 0)
    // Users must confirm a change of their own role, because they cannot undo the change.
    const own = page.getByRole('combobox', { name: 'Role of owner@example.test' })
    await own.selectOption('admin')
    const lowering = page.getByRole('dialog', { name: 'Change your own role?' })
    await lowering.getByText('You will become an admin.').waitFor()
    await lowering.getByRole('button', { name: 'Cancel' }).click()
    await lowering.waitFor({ state: 'detached' })
    assert.equal(await own.inputValue(), 'owner')
    await page.getByRole('button', { name: 'Actions for ann@example.test' }).click()
    await page.getByRole('menuitem', { name: 'Remove from the account' }).click()
    const sure = page.getByRole('dialog', { name: 'Remove Ann' })
    await sure.getByRole('button', { name: 'Remove', exact: true }).click()
    await role.waitFor({ state: 'detached' })
    await guest.page.getByRole('link', { name: 'Domains' }).click()
    await guest.page.getByRole('dialog', { name: 'Session expired' }).waitFor()
    assert.deepEqual([...window.complaints, ...guest.complaints], [])
    await Promise.all([window.close(), guest.close()])
  })

  test('a viewer sees no controls for changes', async () => {
    await invited('vera@example.test', 'viewer')
    const login = { email: 'vera@example.test', password: PASSWORD }
    const window = await DashboardWindow.open(browser, app, { login })
    const { page } = window
    const buttons = page.getByRole('main').getByRole('button')
    for (const [path, absent] of [
      ['/domains', 'Add a domain'],
      ['/account/users', 'Invite a user'],
      ['/verification/keys', 'New key'],
    ] as const) {
      await window.goto(path)
      assert.equal(await buttons.filter({ hasText: absent }).count(), 0, path)
    }
    assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0)
    await window.goto('/verification')
    assert.equal(await buttons.filter({ hasText: 'Check' }).isDisabled(), true)
    // A user without permission who opens the URL by hand gets a refusal and no data.
    await window.goto('/account/audit')
    await page.getByText('Not permitted').waitFor()
    await window.close()
  })

  test('the audit log is filtered by action and time, leads to changed objects, and is exported', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    const [{ domain_id: domain }] = (await owner.call('GET', '/api/domains')).body.data
    const { body: key } = await owner.call('POST', '/api/keys', {
      ...{ kind: 'sending', domains: [domain], name: 'Shop' },
    })
    await window.goto('/account/audit')
    await page.getByRole('combobox', { name: 'Action' }).selectOption('Key created')
    await page.waitForURL(/action=key\.create/)
    const row = page.getByRole('row', { name: /Shop/ })
    await row.getByText('Key created').waitFor()
    assert.equal(await page.getByText('key.create', { exact: true }).count(), 0)
    assert.deepEqual(await window.faults(), [])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ])
    assert.match(await readFile(await file.path(), 'utf8'), new RegExp(`key\\.create,${key.key_id}`))
    await window.click(row.getByRole('link', { name: 'Shop' }))
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await window.follow('/account/audit')
    await page.getByLabel('From', { exact: true }).fill('2099-01-01T00:00')
    await page.getByText('No matching entries').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await row.waitFor()
    await window.resize(380, 'dark')
    assert.deepEqual(await window.faults('look'), [])
    await window.close()
  })

  test('a second factor is set up, required, and replaced by a recovery code', async () => {
    const email = 'otto@example.test'
    await invited(email, 'developer')
    const window = await DashboardWindow.open(browser, app, { login: { email, password: PASSWORD } })
    const { page } = window
    await window.goto('/account/profile')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    const secret = await page.locator('.qr').locator('xpath=../..').locator('.code-line').textContent()
    const totp = new TOTP({ secret: secret ?? '' })
    await page.getByLabel('Code from the app').fill(totp.generate())
    // The login has become too old during the setup; after a new login, the scanned key is still valid.
    await window.context.addCookies([await sessionOf(email, 11 * 60_000)])
    await page.getByRole('button', { name: 'Turn on' }).click()
    const again = page.getByRole('dialog', { name: 'Confirm your identity' })
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await again.getByRole('button', { name: 'Log in', exact: true }).click()
    const items = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await items.first().waitFor()
    const codes = await items.allTextContents()
    assert.equal(codes.length, 10)
    // The codes are shown only once, so their dialog stays open until the user confirms.
    await page.keyboard.press('Escape')
    await stays('the codes are shown', () => items.first().isVisible(), 300)
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 recovery codes left').waitFor()

    // The session ends in another window: the input of the user stays, and a login dialog opens over the page.
    await page.getByLabel('Your name').fill('Otto the Second')
    await window.context.clearCookies()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Session expired' })
    // The login dialog already contains the e-mail address.
    await dialog.locator('input[name=password]:focus').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click()
    await dialog.getByLabel('Code').fill(codes[0] ?? '')
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Otto the Second')
    await page.getByText('9 recovery codes left').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Name saved.').waitFor()
    await window.close()
  })

  test('a session that ends below a form leaves it open, with its text and its focus', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page, context } = window
    await window.goto('/account/users')
    await page.getByRole('button', { name: 'Invite a user' }).click()
    const form = page.getByRole('dialog', { name: 'Invite a user' })
    await form.getByLabel('Email address').fill('zoe@example.test')
    const send = form.getByRole('button', { name: 'Invite', exact: true })
    await context.clearCookies()
    await send.click()
    const dialog = page.getByRole('dialog', { name: 'Session expired' })
    await dialog.locator('input[name=password]:focus').waitFor()
    for (const key of ['Escape', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Escape', 'Control+K']) {
      await page.keyboard.press(key)
      const isBelow = "document.activeElement.closest('[inert]') !== null"
      assert.equal(await page.evaluate(isBelow), false, `${key}: the focus has left the login`)
    }
    assert.equal(await page.getByRole('dialog', { includeHidden: true }).count(), 2)
    const { email, password } = app.playground.dashboard_login
    assert.equal(await dialog.getByLabel('Email address').inputValue(), email)
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    await send.and(page.locator(':focus')).waitFor()
    assert.equal(await form.getByLabel('Email address').inputValue(), 'zoe@example.test')
    // The focus also stays on the button after a refusal.
    await form.getByLabel('Email address').fill(email)
    await send.click()
    await form.getByRole('alert').or(form.locator('[aria-invalid=true]')).first().waitFor()
    await send.and(page.locator(':focus')).waitFor()
    await window.close()
  })

  test('changes of a login require a new login first: recovery codes, other sessions, the password', async () => {
    const login = { email: 'olga@example.test', password: PASSWORD }
    await invited(login.email, 'viewer')
    const elsewhere = await Person.loggedIn(app, login)
    const { body: begun } = await elsewhere.call('POST', '/api/me/totp')
    const totp = new TOTP({ secret: begun.secret })
    const { body: on } = await elsewhere.call('POST', '/api/me/totp/confirm', { code: totp.generate() })
    const window = await DashboardWindow.open(browser, app, { login: null })
    const { page, context } = window
    const leave = () => elsewhere.call('GET', '/api/session')
    await context.addCookies([await sessionOf(login.email, 11 * 60_000)])
    await window.goto('/account/profile')

    const codes = page.getByRole('list', { name: 'Recovery codes' })
    const again = page.getByRole('dialog', { name: 'Confirm your identity' })
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await page.getByRole('button', { name: 'Create new codes' }).click()
    await again.waitFor()
    assert.deepEqual(await window.faults(), [])
    await again.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('alert').getByText('Login required').waitFor()
    await page.getByRole('button', { name: 'Create new codes' }).click()
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await again.getByRole('button', { name: 'Log in', exact: true }).click()
    await again.getByLabel('Code').fill(on.recovery_codes[0])
    await again.getByRole('button', { name: 'Log in', exact: true }).click()
    await again.waitFor({ state: 'hidden' })
    await codes.waitFor()
    const made = await codes.getByRole('listitem').allTextContents()
    assert.equal(new Set([...made, ...on.recovery_codes]).size, 20)
    await page.getByRole('button', { name: 'I have saved them' }).click()

    assert.equal((await leave()).status, 200)
    await page.getByRole('button', { name: 'Log out all other sessions' }).click()
    await page.getByText('All other sessions are logged out.').waitFor()
    assert.equal((await leave()).status, 401)

    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password').fill('heron-candle-meadow-7')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not your password.').waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    assert.equal(await page.getByLabel('New password').inputValue(), '')
    const given = { ...login, password: 'heron-candle-meadow-7', code: made[0] }
    assert.equal((await elsewhere.call('POST', '/api/session', given)).status, 200)
    assert.deepEqual(window.complaints, [])
    await window.close()
  })

  /** Returns the cookie of a new session whose login is `ageMs` old. */
  async function sessionOf(
    email: string,
    ageMs: number,
  ): Promise<{ name: string; value: string; url: string }> {
    const user = await findUserByEmail(app.store.read, email)
    const clock = { ...systemClock, now: () => Date.now() - ageMs }
    const from = { address: '127.0.0.1', userAgent: '' }
    const value = (await new Sessions(app.store, clock, silentLog).open(user as User, from)) as string
    return { name: 'postrider_session', value, url: app.app.url }
  }

  test('a wrong password is refused, and a lost connection keeps typed text', async () => {
    const window = await DashboardWindow.open(browser, app, { login: null })
    const { page, context } = window
    await window.goto('/account')
    await page.waitForURL(/\/login\?to=/)
    await logIn(page, 'vera@example.test', 'not the password')
    await page.getByRole('alert').waitFor()
    await context.setOffline(true)
    await logIn(page, 'vera@example.test', PASSWORD)
    await page.getByRole('alert').getByText('Connection lost').waitFor()
    assert.equal(await page.getByLabel('Email address').inputValue(), 'vera@example.test')
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.waitForURL(/\/account$/)
    await page.getByText('Verification credits').waitFor()
    await window.close()
  })

  test('a passkey is created, and suffices to log in', async () => {
    await invited('pia@example.test', 'viewer')
    const window = await DashboardWindow.open(browser, app, { login: null })
    const { page, context } = window
    const device = await context.newCDPSession(page)
    await device.send('WebAuthn.enable')
    await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    // A passkey belongs to a host name, so the test uses `localhost` instead of an IP address.
    const base = app.app.url.replace('127.0.0.1', 'localhost')
    await page.goto(`${base}/login?to=/account/profile`)
    await logIn(page, 'pia@example.test', PASSWORD)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()

    await context.clearCookies()
    await page.goto(`${base}/login`)
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    // The audit log distinguishes a login by passkey from a login by password.
    const { data } = (await owner.call('GET', '/api/audit?action=session.open&actor=pia@example.test')).body
    assert.deepEqual(
      data.map(({ detail }: { detail: { method: string } }) => detail.method),
      ['passkey', 'password'],
    )
    assert.deepEqual(window.complaints, [])
    await window.close()
  })

  test('the login page of the playground fills in the login of the playground', async () => {
    const window = await DashboardWindow.open(browser, app, { login: null })
    const { page } = window
    await window.goto('/login')
    await page.getByText(app.playground.dashboard_login.email).waitFor()
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('button', { name: 'Fill in' }).click()
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await window.close()
  })

  test('a forgotten password is replaced by the link in a mail', async () => {
    await invited('rita@example.test', 'viewer')
    const window = await DashboardWindow.open(browser, app, { login: null })
    const { page } = window
    await window.goto('/login')
    await page.getByLabel('Email address').fill('rita@example.test')
    await window.click(page.getByRole('link', { name: 'Forgot your password?' }))
    assert.equal(await page.getByLabel('Email address').inputValue(), 'rita@example.test')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page
      .getByRole('status')
      .getByText(/rita@example\.test/)
      .waitFor()
    const link = await mailedLink('rita@example.test', /http\S+\/reset-password\?token=\w+/)
    await window.goto(link)
    await page.getByLabel('Password', { exact: true }).fill('heron-candle-meadow-7')
    await page.getByRole('button', { name: 'Change password' }).click()
    await window.click(page.getByRole('link', { name: 'Log in' }))
    await logIn(page, 'rita@example.test', 'heron-candle-meadow-7')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    // The page reports a used link before the user fills in the form.
    await window.goto(link)
    await page.getByText('This link was used or has expired; ask for a new link.').waitFor()
    assert.equal(await page.getByLabel('Password', { exact: true }).count(), 0)
    assert.deepEqual(window.complaints, [])
    await window.close()
  })

  /** Returns the link in the first message to this address that contains such a link. */
  async function mailedLink(email: string, link: RegExp): Promise<string> {
    for (;;) {
      const { recipients, data } = await app.host.nextMail()
      const found = recipients.includes(email) ? link.exec((await PostalMime.parse(data)).text ?? '') : null
      if (found !== null) return found[0]
    }
  }
})
