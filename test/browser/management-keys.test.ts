// Management keys in the dashboard: a key from a ready-made set with a network, single scopes with a domain, rotation,
// revocation, and the usage of the account.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { managementKey } from '../support/keys.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { addUser } from '../support/users.ts'

describe('management keys', () => {
  let app: TestApp
  let browser: Browser
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  /** Returns the response of `GET /v1/key` to a key, or the code of the problem. */
  async function rightsOf(key: string) {
    const { body } = await app.call('GET', '/v1/key', undefined, { authorization: `Bearer ${key}` })
    return body
  }

  test('a key is created from a set with a network, rotated and revoked', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    await window.goto('/account/keys')
    await page.getByText('No management keys yet').waitFor()
    await page.getByRole('button', { name: 'New management key' }).first().click()
    const form = page.getByRole('dialog', { name: 'New management key' })
    await form.getByLabel('Name').fill('Terraform')
    await form.getByRole('radio', { name: 'Provisioning' }).check()
    await form.getByText('Scopes of the keys that it creates').waitFor()
    await form.getByLabel('Networks').fill('127.0.0.0/8\n192.0.2.0/33')
    assert.deepEqual(await window.faults(), [])
    await form.getByRole('button', { name: 'Create management key' }).click()
    await form.getByText(/^192\.0\.2\.0\/33: /).waitFor()
    await form.getByLabel('Networks').fill('127.0.0.0/8')
    await form.getByRole('button', { name: 'Create management key' }).click()
    const made = page.getByRole('dialog', { name: 'Your new management key' })
    const first = (await made.getByText(/^manage_\w+$/).textContent()) ?? ''
    await made.getByText(`-H 'Authorization: Bearer ${first}'`).waitFor()
    assert.deepEqual(await window.faults(), [])
    await made.getByRole('button', { name: 'Done' }).click()
    await window.closed()

    const rights = await rightsOf(first)
    assert.deepEqual([rights.name, rights.networks, rights.domains], ['Terraform', ['127.0.0.0/8'], null])
    assert.ok(rights.scopes.includes('domains:write') && rights.grants.includes('messages:send'))
    const row = page.getByRole('row', { name: /Terraform/ })
    for (const text of ['Provisioning', 'All domains', '127.0.0.0/8', 'Active']) {
      await row.getByText(text, { exact: true }).waitFor()
    }

    await row.getByRole('button', { name: 'Actions for Terraform' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
    const rotation = page.getByRole('dialog', { name: 'Rotate the secret of Terraform' })
    await rotation.getByRole('button', { name: 'Create new secret' }).click()
    const rotated = page.getByRole('dialog', { name: 'Your new secret' })
    const second = (await rotated.getByText(/^manage_\w+$/).textContent()) ?? ''
    assert.notEqual(second, first)
    await rotated.getByRole('button', { name: 'Done' }).click()
    await window.closed()
    await row.getByText(/previous secret ends/).waitFor()
    assert.deepEqual(
      (await Promise.all([first, second].map(rightsOf))).map(({ key_id }) => key_id),
      [rights.key_id, rights.key_id],
    )
    assert.deepEqual(await window.faults(), [])

    await row.getByRole('button', { name: 'Actions for Terraform' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    const question = page.getByRole('dialog', { name: 'Revoke Terraform?' })
    await question.getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked').waitFor()
    assert.equal((await rightsOf(second)).code, 'authentication_failed')
    assert.deepEqual(
      window.complaints.filter((one) => !one.includes('422')),
      [],
    )
    await window.close()
  })

  test('a key loses scopes, and gets another name, networks and an expiry; its entries in the audit log link to it', async () => {
    const secret = await managementKey(app, { name: 'Reports', scopes: ['stats:read', 'messages:read'] })
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    await window.goto('/account/keys')
    await page.getByRole('button', { name: 'Actions for Reports' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit Reports' })
    assert.deepEqual(
      [await form.getByRole('checkbox').count(), await form.getByLabel('Networks').inputValue()],
      [2, ''],
    )
    await form.getByLabel('Name').fill('Figures')
    await form.getByRole('checkbox', { name: 'messages:read' }).uncheck()
    await form.getByLabel('Networks').fill('office')
    assert.deepEqual(await window.faults(), [])
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText(/^office: /).waitFor()
    await form.getByLabel('Networks').fill('127.0.0.0/8')
    await form.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'In 30 days' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await window.closed()
    const rights = await rightsOf(secret)
    assert.deepEqual(
      [rights.name, rights.scopes, rights.networks],
      ['Figures', ['stats:read'], ['127.0.0.0/8']],
    )
    const days = (Date.parse(rights.expires_at) - Date.now()) / 86_400_000
    assert.ok(days > 29 && days <= 30, rights.expires_at)
    await page.getByRole('row', { name: /Figures/ }).waitFor()
    assert.deepEqual(await window.faults(), [])

    await window.goto('/account/audit')
    const entry = page.getByRole('row', { name: /Key changed/ }).first()
    await window.click(entry.getByRole('link', { name: 'Figures' }))
    await page.getByRole('row', { name: /Figures/ }).waitFor()
    await window.close()
  })

  test('an API key and an SMTP credential are changed on a narrow screen', async () => {
    const window = await DashboardWindow.open(browser, app, { width: 390, colors: 'dark' })
    const { page } = window
    const owner = await Person.loggedIn(app)
    const { body } = await owner.call('GET', '/api/domains')
    const at = (part: string) => `/domains/${body.data[0].domain_id}/${part}`
    await window.goto(at('keys'))
    await page.getByRole('button', { name: 'Edit Playground' }).click()
    const key = page.getByRole('dialog', { name: 'Edit Playground' })
    await key.getByLabel('Name').fill('Narrow')
    await key.getByRole('checkbox', { name: 'content:read' }).uncheck()
    assert.deepEqual(await window.faults(), [])
    await key.getByRole('button', { name: 'Save' }).click()
    await window.closed()
    const rights = await rightsOf(app.playground.sending_key)
    assert.deepEqual([rights.name, rights.scopes.includes('content:read')], ['Narrow', false])
    assert.ok(rights.scopes.includes('messages:send'))
    assert.deepEqual(await window.faults(), [])

    await window.goto(at('smtp'))
    await page.getByRole('button', { name: 'Edit Playground' }).click()
    const credential = page.getByRole('dialog', { name: 'Edit Playground' })
    assert.equal(await credential.getByRole('checkbox').count(), 0)
    await credential.getByLabel('Networks').fill('192.0.2.0/24')
    await credential.getByRole('button', { name: 'Save' }).click()
    await window.closed()
    const { username } = app.playground.smtp
    const changed = (await owner.call('GET', `/api/smtp-credentials/${username}`)).body
    assert.deepEqual([changed.name, changed.networks], ['Playground', ['192.0.2.0/24']])
    assert.deepEqual(await window.faults(), [])
    await window.close()
  })

  test('a key gets single scopes and one domain', async () => {
    const window = await DashboardWindow.open(browser, app, { width: 390, colors: 'dark' })
    const { page } = window
    await window.goto('/account/keys')
    await page.getByRole('button', { name: 'New management key' }).first().click()
    const form = page.getByRole('dialog', { name: 'New management key' })
    await form.getByLabel('Name').fill('Deployment')
    await form.getByRole('radio', { name: 'Single scopes' }).check()
    await form.getByRole('button', { name: 'Create management key' }).click()
    await form.getByText(/The list is empty/).waitFor()
    await form.getByRole('checkbox', { name: 'templates:write' }).check()
    await form.getByRole('checkbox', { name: 'templates:read' }).check()
    await form.getByRole('checkbox', { name: 'messages:send' }).check()
    assert.equal(await form.getByText('Scopes of the keys that it creates').count(), 0)
    await form.getByRole('radio', { name: 'Chosen domains' }).check()
    await form.getByRole('checkbox', { name: app.playground.domain }).check()
    assert.deepEqual(await window.faults(), [])
    await form.getByRole('button', { name: 'Create management key' }).click()
    const made = page.getByRole('dialog', { name: 'Your new management key' })
    const key = (await made.getByText(/^manage_\w+$/).textContent()) ?? ''
    assert.deepEqual(await window.faults(), [])
    await made.getByRole('button', { name: 'Done' }).click()
    await window.closed()
    const rights = await rightsOf(key)
    assert.deepEqual(rights.scopes, ['messages:send', 'templates:read', 'templates:write'])
    assert.deepEqual(rights.domains, [app.playground.domain])
    const row = page.getByRole('row', { name: /Deployment/ })
    await row.getByText('messages:send and 2 more').waitFor()
    assert.deepEqual(await window.faults(), [])
    await window.close()
  })

  test('a developer gives away only what the role has, and a viewer nothing', async () => {
    const { account_id } = await app.store.read
      .selectFrom('domains')
      .select('account_id')
      .executeTakeFirstOrThrow()
    const login = (role: string) => ({ email: `${role}@people.example`, password: 'a long password' })
    for (const role of ['developer', 'viewer'] as const) {
      await addUser(app.store, { ...login(role), account_id, name: null, role })
    }
    const window = await DashboardWindow.open(browser, app, { login: login('developer') })
    const { page } = window
    await window.goto('/account/keys')
    await page.getByRole('button', { name: 'New management key' }).first().click()
    const form = page.getByRole('dialog', { name: 'New management key' })
    await form.getByRole('radio', { name: 'Single scopes' }).check()
    await form.getByRole('checkbox', { name: 'keys:write' }).waitFor()
    assert.equal(await form.getByRole('checkbox', { name: 'domains:write' }).count(), 0)
    assert.equal(await form.getByRole('radio', { name: 'Provisioning' }).count(), 0)
    await window.close()

    const other = await DashboardWindow.open(browser, app, { login: login('viewer') })
    await other.goto('/account/keys')
    await other.page.getByRole('row', { name: /Deployment/ }).waitFor()
    const buttons = other.page.getByRole('main').getByRole('button')
    assert.equal(await buttons.filter({ hasText: /New management key|Actions/ }).count(), 0)
    await other.close()
  })

  test('the usage of the account names this month and what is left', async () => {
    const owner = await Person.loggedIn(app)
    await app.messageIn(await app.send(), 'delivered')
    await settled(app.store)
    const usage = (await owner.call('GET', '/api/account/usage?by=month')).body
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    await window.goto('/account/usage')
    const months = page.getByRole('table', { name: 'By month', exact: true }).getByRole('row')
    assert.equal(await months.count(), usage.data.length + 1)
    const { accepted, delivered } = usage.data.at(-1)
    const cells = await months.nth(1).getByRole('cell').allTextContents()
    assert.deepEqual(cells.slice(1, 3), [accepted, delivered].map(String))
    await page
      .getByRole('table', { name: 'Limits' })
      .getByRole('row', { name: /Domains/ })
      .getByText(String(usage.left.domains), { exact: true })
      .waitFor()
    assert.deepEqual(await window.faults(), [])
    await window.close()
  })
})
