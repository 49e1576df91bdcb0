// The way from an empty installation to the first message, by hand: first run, domain, DNS records, verification and
// message.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { createAccount } from '../../src/access/accounts.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { findDomain } from '../../src/store/domains/domain-rows.ts'
import { retireKeys } from '../../src/store/domains/key-rotation.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'

const OWNER = { email: 'ann@northwind.example', password: 'wren-lantern-orbit-58' }

describe('an empty installation', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let page: Page
  before(async () => {
    const env = {
      POSTRIDER_MODE: 'production',
      POSTRIDER_ROLES: 'api,delivery,dashboard',
      POSTRIDER_HOSTNAME: 'mail.northwind.example',
    }
    browser = await startBrowser()
    app = await TestApp.start({ env, zone: { 'mail.northwind.example': { A: ['9.9.9.8'] } } })
    window = await DashboardWindow.open(browser, app, { login: null })
    page = window.page
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  /** Clicks a button of the open dialog, and waits until the dialog is closed. */
  async function confirm(action: string): Promise<void> {
    await page.getByRole('dialog').getByRole('button', { name: action }).click()
    await window.closed()
  }

  /** Returns the type, full name and value of a DNS record as the page shows them. */
  async function shown(record: Locator): Promise<{ type: string; name: string; value: string }> {
    await record.waitFor()
    const [type = '', name = '', value = ''] = await record.locator('td .code-line').allTextContents()
    return { type, name, value }
  }

  test('the login explains what to do while there are no users', async () => {
    await window.goto('/')
    await page.getByText('Open the one-time link').waitFor()
  })

  test('the link in the log creates the first user, who joins the account that the command line made', async () => {
    await window.goto(app.app.firstRunUrl ?? '')
    await page.getByLabel('Organisation').waitFor()
    await createAccount({ store: app.store, clock: systemClock }, 'Northwind')
    await window.goto(app.app.firstRunUrl ?? '')
    await page.getByText('You become the owner of the account Northwind').waitFor()
    assert.equal(await page.getByLabel('Organisation').count(), 0)
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('Email address').fill(OWNER.email)
    await page.getByLabel('Password', { exact: true }).fill(OWNER.password)
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByRole('heading', { name: 'Send your first message' }).waitFor()
    // The first step of a new installation is to set up the server.
    await page.getByText(/^Set up the server/).waitFor()
  })

  test('home shows the next steps: the server with its problems, the domain, its records, a key, a message', async () => {
    const steps = page.locator('.steps > li')
    await steps.filter({ hasText: 'Set up the server' }).getByText('Checked again every minute.').waitFor()
    assert.deepEqual((await page.locator('.topic > span:first-child').allTextContents()).slice(0, 4), [
      'Server name',
      'Reverse DNS (PTR)',
      'Outgoing mail (port 25 or relay)',
      'Return path: bounces and SPF',
    ])
    const reverse = page.locator('.topic').filter({ hasText: 'Reverse DNS' })
    await reverse.getByText('Failed', { exact: true }).waitFor()
    await reverse.getByText('set its PTR record to mail.northwind.example.').waitFor()
    await page.locator('.topic').filter({ hasText: 'Server name' }).getByText('OK', { exact: true }).waitFor()
    assert.deepEqual(await page.locator('.step-mark').allTextContents(), ['1', '2', '3', '4', '5'])
    assert.deepEqual(await window.faults(), [])
    await window.resize(380, 'dark')
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
  })

  test('the health of the installation has a card for each problem, with a remedy to copy', async () => {
    await window.follow('/operator')
    const card = page.locator('.card').filter({ hasText: 'no PTR record' })
    await card.getByText('Failed', { exact: true }).waitFor()
    await card.getByText('What to do').waitFor()
    await page
      .getByRole('button', { name: /^Copy / })
      .first()
      .waitFor()
    assert.deepEqual(await window.faults(), [])
    await window.follow('/')
  })

  test('a domain is added, its records are published and found', async () => {
    await page.getByRole('link', { name: 'Add a domain' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a domain' })
    const name = dialog.getByRole('textbox', { name: 'Domain' })
    await name.fill('not a domain')
    await dialog.getByRole('button', { name: 'Add domain' }).click()
    await dialog.locator('[aria-invalid="true"]').waitFor()
    await name.fill('northwind.example')
    await dialog.getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('heading', { name: 'DNS records' }).waitFor()
    await page.getByText('Full names').click()

    const rsa = page.getByRole('rowgroup', { name: 'DKIM, RSA' })
    const returnPath = page.getByRole('rowgroup', { name: 'Return-Path' })
    const key = await shown(rsa)
    assert.deepEqual([key.type, /\._domainkey\.northwind\.example$/.test(key.name)], ['TXT', true])
    const path = await shown(returnPath)
    // The first check happens at once; the page announces the next check.
    await rsa.getByText('Not found').waitFor()
    await page.getByText(/^Next check in \d+ s\.$/).waitFor()
    app.dns.set(path.name, { CNAME: 'elsewhere.example' })
    await page.getByRole('button', { name: 'Verify now' }).click()
    await returnPath.getByText('elsewhere.example').waitFor()
    await rsa.getByText('Not found').waitFor()

    app.dns.set(key.name, { TXT: [key.value.match(/.{1,255}/g) ?? []] })
    app.dns.set(path.name, { CNAME: path.value })
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.getByText('Verified', { exact: true }).waitFor()
    assert.equal(await returnPath.getByText('elsewhere.example').count(), 0)
  })

  test('the records are shared by a link that needs no login and shows nothing else', async () => {
    await page.getByRole('button', { name: 'Share' }).click()
    const url = (await page.getByRole('dialog').locator('.code-line').textContent()) ?? ''
    assert.match(url, /\/dns-records\?token=acc_\w+\.dom_\w+\.\w+~[\w-]{51}$/)
    await page.getByRole('button', { name: 'Done' }).click()
    await window.closed()
    const stranger = await DashboardWindow.open(browser, app, { login: null })
    await stranger.goto(url)
    const row = stranger.page.getByRole('rowgroup', { name: 'Return-Path' })
    assert.equal((await shown(row)).name, 'bounces')
    assert.deepEqual(await stranger.faults(), [])
    await stranger.resize(380, 'dark')
    assert.deepEqual(await stranger.faults('look'), [])
    for (const wrong of [
      `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
      url.replace('acc_', 'acc_0'),
    ]) {
      await stranger.goto(wrong)
      await stranger.page.getByText('This link is not valid, was revoked, or has expired.').waitFor()
    }
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Revoke all links' }).click()
    await window.closed()
    await stranger.goto(url)
    await stranger.page.getByText('This link is not valid, was revoked').waitFor()
    await stranger.close()
  })

  test('a first mail is sent, and its arrival is shown', async () => {
    await window.click(page.getByRole('link', { name: 'Home' }))
    const step = (text: string): Locator => page.locator('.step').filter({ hasText: text })
    await step('Publish its DNS records').locator('xpath=self::*[@data-done]').waitFor()
    await step('Create an API key').getByRole('link', { name: 'SMTP settings' }).waitFor()
    await step('Send a message').getByText(`${app.app.url}/v1`).waitFor()
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByLabel('To', { exact: true }).fill('bob@receiver.example')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await window.click(page.getByRole('link', { name: 'View message' }))
    await page.getByRole('heading', { name: 'Test message from Postrider' }).waitFor()
    await page.getByText('Delivered').first().waitFor()
    assert.equal(app.host.mails.length, 1)
    assert.match(app.host.mails[0]?.data.toString() ?? '', /^DKIM-Signature: .*d=northwind\.example/ms)
    // Home shows figures instead of the first steps after a delivery, and the next steps until the user hides them.
    await settled(app.store)
    await window.goto('/')
    await page.getByText('Installation health').waitFor()
    await page.getByRole('link', { name: 'Write a template' }).waitFor()
    assert.equal(await page.locator('.steps').count(), 0)
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await page.reload()
    await page.getByRole('link', { name: 'Delivered: 1, show events' }).waitFor()
    await page.getByText('Installation health').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Write a template' }).count(), 0)
    await window.goto('/domains')
    await window.click(page.getByRole('link', { name: 'northwind.example' }))
  })

  test('its keys are replaced: published, switched to, retired', async () => {
    await window.click(page.getByRole('link', { name: 'DNS records' }))
    await page.getByRole('button', { name: 'Create new keys' }).click()
    await confirm('Create new keys')
    const switching = page.getByRole('button', { name: 'Sign with new keys' })
    await switching.waitFor()
    // The records of new keys do not count as missing records.
    await page.getByText(/^2 of 5 records found$/).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Discard new keys' }).click()
    await confirm('Discard new keys')
    await page.getByText('New keys discarded.').waitFor()
    await page.getByRole('button', { name: 'Create new keys' }).click()
    await confirm('Create new keys')
    await switching.waitFor()
    assert.equal(await switching.isDisabled(), true)
    await page.getByText('Full names').click()
    const key = await shown(page.getByRole('rowgroup', { name: 'New DKIM key, RSA' }))
    app.dns.set(key.name, { TXT: [key.value.match(/.{1,255}/g) ?? []] })
    await page.getByRole('button', { name: 'Verify now' }).click()
    await switching.click()
    await confirm('Sign with new keys')
    await page.getByRole('rowgroup', { name: 'Old DKIM key, RSA' }).waitFor()
    assert.equal((await shown(page.getByRole('rowgroup', { name: 'DKIM, RSA', exact: true }))).name, key.name)
    await page.getByRole('button', { name: 'Retire old keys' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Retire old keys' }).click()
    await dialog.getByText('less than ten minutes ago').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await window.closed()
    const domain = await app.store.read
      .selectFrom('domains')
      .select(['id', 'account_id'])
      .where('name', '=', 'northwind.example')
      .executeTakeFirstOrThrow()
    assert.equal(
      await app.store.write(retireKeys, { domain, isScheduled: false, now: Date.now() + 10 * 60_000 }),
      'done',
    )
    await page.reload()
    await page.getByRole('button', { name: 'Create new keys' }).waitFor()
    assert.equal(await page.getByRole('rowgroup', { name: 'Old DKIM key, RSA' }).count(), 0)
  })

  test('a record that is added after the last check is checked by the open page', async () => {
    const owner = await Person.loggedIn(app, OWNER)
    const [{ domain_id: id }] = (await owner.call('GET', '/api/domains')).body.data
    const { status } = await owner.call('POST', `/api/domains/${id}/streams`, {
      ...{ alias: 'replies', name: 'Replies', kind: 'inbound', addresses: ['*@in.northwind.example'] },
    })
    assert.equal(status, 201)
    await window.goto(`/domains/${id}/dns`)
    const record = page.getByRole('rowgroup', { name: 'Inbound mail (MX)' })
    await record.getByText(/^(Mismatch|Not found)$/).waitFor()
    await page.getByText('The records are checked daily.').waitFor()
  })

  test('a domain of another account is claimed by a record of its own', async () => {
    const holder = await createTenant(app.store, { domain: 'shop.example' })
    await window.click(page.getByRole('link', { name: 'Domains' }))
    await page.getByRole('button', { name: 'Add a domain' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a domain' })
    await dialog.getByRole('textbox', { name: 'Domain' }).fill('https://www.shop.example/contact')
    await dialog.getByText('www.shop.example will be added.').waitFor()
    await dialog.getByRole('button', { name: 'Use shop.example' }).click()
    await dialog.getByRole('button', { name: 'Add domain' }).click()
    await page.getByText('This domain belongs to another account').waitFor()
    await page.getByText('Full names').click()
    const shownOf = (name: string) => shown(page.getByRole('rowgroup', { name }))
    const key = await shownOf('DKIM, RSA')
    const path = await shownOf('Return-Path')
    app.dns.set(key.name, { TXT: [key.value.match(/.{1,255}/g) ?? []] })
    app.dns.set(path.name, { CNAME: path.value })
    // Published records are not enough to prove that this account may use the domain.
    await page.getByRole('button', { name: 'Verify now' }).click()
    const claim = page.getByRole('rowgroup', { name: 'Ownership' })
    await claim.getByText('Not found').waitFor()
    await page.getByText('Pending', { exact: true }).waitFor()
    const proof = await shownOf('Ownership')
    assert.deepEqual([proof.type, proof.name], ['TXT', '_postrider-claim.shop.example'])
    app.dns.set(proof.name, { TXT: [proof.value] })
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.getByText('Verified', { exact: true }).waitFor()
    // The page asks to publish records as long as one of them is missing.
    await page.getByText(/^Publish these records at your DNS provider\./).waitFor()
    for (const name of ['DKIM, Ed25519', 'DMARC', 'Tracking']) {
      const record = await shownOf(name)
      app.dns.set(record.name, record.type === 'CNAME' ? { CNAME: record.value } : { TXT: [record.value] })
    }
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.getByText('Keep these records published at your DNS provider.').waitFor()
    await claim.waitFor({ state: 'detached' })
    assert.equal(await findDomain(app.store.read, holder.account.id, 'shop.example'), undefined)
  })

  test('a domain says that it cannot send yet, and keeps its mail for the set time', async () => {
    await window.goto('/domains?add')
    await page.getByRole('textbox', { name: 'Domain' }).fill('later.example')
    await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('heading', { name: 'DNS records' }).waitFor()
    const workspace = new URL(page.url()).pathname.replace(/dns$/, '')
    for (const part of ['keys', 'smtp']) {
      await window.follow(`${workspace}${part}`)
      await page.getByText('later.example cannot send yet').waitFor()
    }
    await window.follow(`${workspace}keys`)
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Early')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByRole('dialog').getByText('later.example cannot send yet').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await window.closed()
    await window.follow(`${workspace}messages`)
    await page.getByText('This domain is not verified yet and cannot send').waitFor()
    await window.follow(`${workspace}settings`)
    const days = page.getByRole('textbox', { name: 'Contents, in days' })
    const save = page.getByRole('button', { name: 'Save retention' })
    await days.fill('900')
    await save.click()
    await page.getByText('1 to 45 days, or empty.').waitFor()
    await days.fill('7')
    await save.click()
    await page
      .getByText(/^Retention saved/)
      .first()
      .waitFor()
    await page.reload()
    await window.settled()
    assert.equal(await days.inputValue(), '7')
    await days.fill('')
    await save.click()
    await page
      .getByText(/^Retention saved/)
      .first()
      .waitFor()
    const domain = await app.store.read
      .selectFrom('domains')
      .selectAll()
      .where('name', '=', 'later.example')
      .execute()
    assert.deepEqual(
      domain.map((one) => one.content_retention_days),
      [null],
    )
  })

  test('a pasted address is read as a domain; one of a mailbox provider is reported as such', async () => {
    for (const [pasted, heading] of [
      ['https://münchen.example/shop?item=1', 'münchen.example'],
      ['ann@gmail.com', 'gmail.com belongs to a mailbox provider'],
    ] as const) {
      await window.goto('/domains?add')
      await page.getByRole('textbox', { name: 'Domain' }).fill(pasted)
      await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
      await page.getByRole('heading', { name: 'DNS records' }).waitFor()
      await page.getByText(heading, { exact: true }).last().waitFor()
    }
    await window.goto('/domains')
    await page.getByRole('link', { name: 'münchen.example' }).waitFor()
  })

  test('the operator is led to grant credits when there are none', async () => {
    await window.goto('/verification')
    await page.getByText('0 credits left').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Check', exact: true }).isDisabled(), true)
    await window.click(page.getByRole('link', { name: 'Grant credits' }))
    await page.getByRole('row', { name: /Northwind/ }).waitFor()
  })

  test('nothing broke and nothing was refused on the way', () => {
    assert.deepEqual(window.complaints, [])
  })
})
