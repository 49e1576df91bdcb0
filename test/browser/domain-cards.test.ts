// Cards of a domain beside its records: MTA-STS of inbound mail, the calendar of key rotation, and the check of BIMI.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { ok } from '../support/answers.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { addUser } from '../support/users.ts'

const DOMAIN = 'cards.example'

describe('the cards of a domain', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let page: Page
  let address: string
  let workspace: string
  let owner: Person
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
    const { domain_id: id } = await ok(owner.call('POST', '/api/domains', { domain: DOMAIN }), 201)
    address = `/api/domains/${id}`
    workspace = `/domains/${id}`
    const stream = { alias: 'in', name: 'In', kind: 'inbound', addresses: [`*@in.${DOMAIN}`] }
    await ok(owner.call('POST', `${address}/streams`, stream), 201)
    await publish()
    await ok(owner.call('POST', `${address}/verify`))
    window = await DashboardWindow.open(browser, app)
    page = window.page
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  const card = (title: string): Locator => page.locator('.card').filter({ hasText: title })
  /** Checks the open page in a wide light window and in a narrow dark window. */
  const isSound = async () => {
    assert.deepEqual(await window.faults(), [])
    await window.resize(380, 'dark')
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
  }
  const domain = () => ok(owner.call('GET', address))
  /** Publishes all records of the domain except its MX record. */
  const publish = async () => {
    const { records } = await domain()
    app.dns.publish(records.filter(({ type }: { type: string }) => type !== 'MX'))
  }

  test('MTA-STS: a mode is chosen, its records are named, published and found', async () => {
    await window.goto(`${workspace}/settings`)
    const tls = card('TLS of inbound mail')
    const mode = tls.getByLabel('Mode', { exact: true })
    await tls.getByText('No policy. Mail arrives with or without TLS.').waitFor()
    assert.equal(await tls.getByText(/^Since/).count(), 0)
    await mode.selectOption('testing')
    await tls.getByText('Senders deliver in any case, and report failures.').waitFor()
    await tls.getByText(/^Since .+ UTC\.$/).waitFor()
    await isSound()
    await window.click(tls.getByRole('link', { name: 'DNS records' }))
    const record = page.locator('tbody[aria-label]').filter({ hasText: '_mta-sts' })
    await record.waitFor()
    await isSound()
    await publish()
    await page.getByRole('button', { name: 'Verify now' }).click()
    await record.getByText('Found', { exact: true }).waitFor()
    await window.goto(`${workspace}/settings`)
    await tls.getByText(/^Since .+ UTC\.$/).waitFor()
    assert.equal(await tls.getByText('Senders do not find the present policy yet').count(), 0)
    // The service refuses a policy that would lose mail, and the field shows the mode that holds.
    await mode.selectOption('enforce')
    await tls.getByText('The mail host has no certificate of an authority').waitFor()
    assert.equal(await mode.inputValue(), 'testing')
    await isSound()
    // Another mode changes the ID of the policy, and so the record.
    await mode.selectOption('none')
    await tls.getByText('Senders forget the policy.').waitFor()
    await tls.getByText('Senders do not find the present policy yet').waitFor()
    assert.equal((await domain()).mta_sts, 'none')
    await mode.selectOption('off')
    await tls.getByText('No policy. Mail arrives with or without TLS.').waitFor()
    assert.equal((await domain()).mta_sts, 'off')
  })

  test('key rotation: an interval is chosen, shows the next step, and is turned off', async () => {
    await window.goto(`${workspace}/dns`)
    const rotation = card('DKIM key rotation')
    const interval = rotation.getByLabel('Automatic replacement')
    assert.equal(await interval.inputValue(), '')
    await interval.selectOption('90')
    await page.getByText('Interval saved.').waitFor()
    await rotation.getByText(/^New keys are made on .+ UTC\.$/).waitFor()
    assert.equal((await domain()).rotate_every_days, 90)
    await isSound()
    // An interval that was set by API is one of the choices.
    await ok(owner.call('PATCH', address, { rotate_every_days: 30 }))
    await window.goto(`${workspace}/dns`)
    assert.equal(await interval.inputValue(), '30')
    // New keys that were made by hand are switched to by the calendar.
    await rotation.getByRole('button', { name: 'Create new keys' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create new keys' }).click()
    await window.closed()
    await rotation.getByText('The new keys sign once their records have been found for a day.').waitFor()
    await publish()
    await page.getByRole('button', { name: 'Verify now' }).click()
    await rotation.getByText(/^The new keys sign after .+ UTC, if their records stay published\.$/).waitFor()
    await isSound()
    await interval.selectOption('')
    await rotation.getByText(/^The new keys sign/).waitFor({ state: 'detached' })
    assert.equal((await domain()).rotate_every_days, null)
  })

  test('BIMI: the card is there only with a record, and names what is wrong', async () => {
    const bimi = card('Logo in mailboxes (BIMI)')
    await window.goto(`${workspace}/dns`)
    assert.equal(await bimi.count(), 0)
    const verify = () => page.getByRole('button', { name: 'Verify now' }).click()
    const name = `default._bimi.${DOMAIN}`
    app.dns.set(name, { TXT: [`v=BIMI1; l=https://logo.${DOMAIN}/${'brand/'.repeat(20)}logo.svg`] })
    await verify()
    await bimi.getByText('Faults found').waitFor()
    await bimi.getByText('The DMARC policy is not enforced.').waitFor()
    await bimi.getByText('The logo cannot be fetched.').waitFor()
    await bimi.getByText('Without a certificate (a=) Yahoo and Fastmail show the logo').waitFor()
    await bimi.getByText(/^Logo checked/).waitFor()
    await isSound()
    app.dns.set(name, { TXT: ['v=BIMI1; l=; a=;'] })
    await verify()
    await bimi.getByText('No logo wanted').waitFor()
    assert.equal(await bimi.getByRole('listitem').count(), 0)
    await isSound()
    app.dns.set(name, 'NXDOMAIN')
    await verify()
    await bimi.waitFor({ state: 'detached' })
  })

  test('a developer sees the mode of MTA-STS, and cannot change it', async () => {
    const login = { email: 'dev@northwind.example', password: 'a long password' }
    const { account_id } = await app.store.read
      .selectFrom('domains')
      .select('account_id')
      .where('name', '=', DOMAIN)
      .executeTakeFirstOrThrow()
    await addUser(app.store, { ...login, account_id, name: 'Dev', role: 'developer' })
    const other = await DashboardWindow.open(browser, app, { login })
    await other.goto(`${workspace}/settings`)
    assert.ok(await other.page.getByLabel('Mode', { exact: true }).isDisabled())
    await other.follow(`${workspace}/dns`)
    assert.equal(await other.page.getByText('Automatic replacement').count(), 0)
    await other.close()
  })

  test('the browser had no complaint', () => assert.deepEqual(window.complaints, []))
})
