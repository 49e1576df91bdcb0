// Changes while a page is open: another user changes the same object, background work ends, or a response is pending.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

describe('while a page is open', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let owner: Person
  let receiver: WebhookReceiver
  let base: string
  before(async () => {
    browser = await startBrowser()
    receiver = await WebhookReceiver.start()
    app = await TestApp.start({ env: { POSTRIDER_WEBHOOK_HTTP: 'yes' } })
    owner = await Person.loggedIn(app)
    const { domain_id: domain } = (await owner.call('GET', '/api/domains')).body.data[0]
    base = `/domains/${domain}`
    window = await DashboardWindow.open(browser, app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
    await receiver?.stop()
  })

  const open = (path: string) => window.goto(`${base}/${path}`)
  const button = (name: string | RegExp): Locator => window.page.getByRole('button', { name, exact: true })
  const api = (method: string, path: string, body?: object) => owner.call(method, `/api${base}/${path}`, body)

  test('an allowance that is used up is not renewed by changing a name', async () => {
    const { page } = window
    await api('POST', 'streams', {
      alias: 'alerts',
      name: 'Alerts',
      kind: 'transactional',
      sending_allowance: 5,
    })
    const stream = async () => (await api('GET', 'streams/alerts')).body
    await open('streams')
    await button('Actions for Alerts').click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('Sending allowance').inputValue(), '5')
    await app.send({ stream: 'alerts' })
    await until('the allowance has one recipient less', async () => (await stream()).sending_allowance === 4)
    await api('PATCH', 'streams/alerts', { rate: '7/s' })
    await dialog.getByLabel('Name', { exact: true }).fill('Alarms')
    await button('Save').click()
    await window.closed()
    const { name, sending_allowance, rate } = await stream()
    assert.deepEqual([name, sending_allowance, rate], ['Alarms', 4, '7/s'])
  })

  test('a webhook keeps the changes of another user', async () => {
    const { page } = window
    const hook = { url: receiver.url, name: 'Shop' }
    const { webhook_id: id } = (await api('POST', 'webhooks', hook)).body
    await open(`webhooks/${id}`)
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await api('PATCH', `webhooks/${id}`, { tags: ['orders'] })
    await page.getByRole('dialog').getByLabel('Name').fill('Till')
    await button('Save').click()
    await window.closed()
    const { name, tags } = (await api('GET', `webhooks/${id}`)).body
    assert.deepEqual([name, tags], ['Till', ['orders']])
    await api('DELETE', `webhooks/${id}`)
  })

  test('deliveries of another status begin with their first page, and a repeated one shows its end', async () => {
    const { page } = window
    let answer = 503
    receiver.script = () => answer
    const { webhook_id: id } = (await api('POST', 'webhooks', { url: receiver.url, name: 'Shop' })).body
    await app.send()
    const listed = () => api('GET', `webhooks/${id}/deliveries`)
    await until('the delivery has an attempt', async () => (await listed()).body.data[0]?.attempt_count > 0)
    const { delivery_id: delivery } = (await listed()).body.data.at(-1)
    await open(`webhooks/${id}?cursor=${delivery}`)
    await page.getByText('No deliveries').waitFor()
    await page.getByLabel('Status').selectOption('pending')
    await until(
      'the page requests the first page of the list',
      () => new URL(page.url()).search === '?status=pending',
    )
    await page.getByRole('row').getByRole('button').last().click()
    const dialog = page.getByRole('dialog')
    answer = 204
    await dialog.getByRole('button', { name: 'Retry now' }).click()
    await dialog.getByText('OK', { exact: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await window.closed()
    await api('DELETE', `webhooks/${id}`)
  })

  test('a switch keeps the focus while it is saved', async () => {
    const { page } = window
    const { body } = await owner.call('GET', `/api${base}`)
    const records = body.records.map((record: { purpose: string }) =>
      record.purpose === 'tracking' ? { ...record, status: 'found' } : record,
    )
    await page.route(`**/api${base}`, async (route) => {
      const isChange = route.request().method() === 'PATCH'
      const json = { ...body, records, ...(isChange ? { track_opens: true } : {}) }
      await route.fulfill({ json })
    })
    await open('settings')
    const opens = page.getByRole('switch').first()
    await opens.focus()
    await page.keyboard.press('Space')
    await until('the switch is on', () => opens.isChecked())
    assert.equal(await page.evaluate("document.activeElement.getAttribute('role')"), 'switch')
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('the address for complaints is switched off and on again', async () => {
    await open('settings')
    const complaints = window.page.getByRole('switch', { name: 'Address for complaints' })
    for (const isOn of [false, true]) {
      await complaints.focus()
      await window.page.keyboard.press('Space')
      await until('the change is saved', async () => {
        const { cfbl } = (await owner.call('GET', `/api${base}`)).body
        return cfbl === isOn && (await complaints.isChecked()) === isOn
      })
    }
  })

  test('a version is restored over unsaved changes only after a confirmation', async () => {
    const { page } = window
    const fields = { alias: 'kept', name: 'Kept', html: '<p>one</p>' }
    const { template_id: id } = (await api('POST', 'templates', fields)).body
    await api('PUT', `templates/${id}`, { ...fields, html: '<p>two</p>' })
    await open(`templates/${id}`)
    const subject = page.getByLabel('Subject', { exact: true })
    await subject.fill('Typed')
    await button('Versions').click()
    await button('View version 1').click()
    await button('Restore').click()
    const question = page.getByRole('dialog', { name: 'Restore version 1?' })
    await question.getByText('Unsaved changes are discarded').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal(await subject.inputValue(), 'Typed')
    await button('Restore').click()
    await question.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Version 1 restored as version 3.').waitFor()
    await window.closed()
    assert.equal(await subject.inputValue(), '')
  })

  test('results of a list stay while the next ones are loading', async () => {
    const { page } = window
    const list = { verification_id: 'ver_1', name: 'List', status: 'running', total: 3, duplicates: 0 }
    const results = { deliverable: 1, risky: 0, undeliverable: 0, unknown: 0 }
    const times = { created_at: new Date().toISOString(), seconds_left: null, waiting_for: null }
    let done = 1
    let isHeld = false
    await page.route('**/api/verification/verifications/ver_1', (route) =>
      route.fulfill({ json: { ...list, ...times, done, results: { ...results, deliverable: done } } }),
    )
    await page.route('**/ver_1/results*', async (route) => {
      const answer = { email: 'ann@example.net', result: 'deliverable', internalResult: 'mailbox_exists' }
      if (done > 1) isHeld = true
      else await route.fulfill({ json: { data: [{ ...answer, latencyMs: 1 }], next_cursor: null } })
    })
    await window.goto('/verification/lists/ver_1')
    const address = page.getByRole('cell', { name: 'ann@example.net' })
    await address.waitFor()
    done = 2
    await until('the page requests the next results', () => isHeld)
    await page.getByText('66.7%').or(page.getByText('100%')).first().waitFor()
    assert.equal(await address.isVisible(), true)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a user with a changed role sees the allowed parts, and is logged out where the session has ended', async () => {
    const login = { email: 'dev@example.test', password: 'wren-lantern-orbit-58' }
    const { body } = await owner.call('POST', '/api/invitations', { email: login.email, role: 'developer' })
    const token = new URL(body.url).searchParams.get('token')
    const accepted = { token, name: 'Dev', password: login.password }
    await new Person(app).call('POST', '/api/invitations/accept', accepted)
    const theirs = await DashboardWindow.open(browser, app, { login })
    const { page } = theirs
    await theirs.goto(`${base}/suppressions`)
    const people = (await owner.call('GET', '/api/people')).body.data
    const { user_id: id } = people.find((one: { email: string }) => one.email === login.email)
    assert.equal((await owner.call('PATCH', `/api/people/${id}`, { role: 'viewer' })).status, 200)
    const add = page.getByRole('button', { name: 'Add', exact: true })
    await add.click()
    await page.getByRole('dialog').getByLabel('Addresses').fill('ann@example.net')
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress', exact: true }).click()
    await page.getByText('your role is viewer').waitFor()
    await add.waitFor({ state: 'detached' })
    await page.goto(`${app.app.url}${base}/suppressions`)
    await page.getByRole('heading', { name: 'Suppressions' }).waitFor()
    await theirs.context.clearCookies()
    await page.getByRole('button', { name: /^D ?Dev|Dev/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.waitForURL('**/login')
    await theirs.close()
  })

  test('an error of one dialog is not shown in the next', async () => {
    const { page } = window
    const dialog = page.getByRole('dialog')
    const { template_id: id } = (await api('POST', 'templates', { name: 'Asked', html: '<p>x</p>' })).body
    const { webhook_id: hook } = (await api('POST', 'webhooks', { url: receiver.url })).body
    await page.route('**/api/**', (route) =>
      ['POST', 'DELETE'].includes(route.request().method())
        ? route.fulfill({ status: 503, contentType: 'text/html', body: 'Later' })
        : route.continue(),
    )
    /** Opens a dialog, sends a request that fails, cancels, and opens the dialog again. */
    async function askTwice(ask: () => Promise<unknown>, answer: string): Promise<void> {
      await ask()
      await dialog.getByRole('button', { name: answer, exact: true }).click()
      await dialog.getByRole('alert').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await window.closed()
      await ask()
      await dialog.getByRole('button', { name: answer, exact: true }).waitFor()
      assert.equal(await dialog.getByRole('alert').count(), 0, answer)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await window.closed()
    }
    await open(`webhooks/${hook}`)
    await askTwice(async () => {
      await button('More').click()
      await page.getByRole('menuitem', { name: 'Replay events' }).click()
    }, 'Replay')
    await open(`templates/${id}`)
    // The preview request of this page fails as well, and the page shows the error.
    await page.getByRole('alert').getByText('status 503').waitFor()
    await askTwice(async () => {
      await button('More').click()
      await page.getByRole('menuitem', { name: 'Delete this template' }).click()
    }, 'Delete')
    await window.goto('/addresses/ann%40example.net')
    await askTwice(() => button('Suppress').click(), 'Suppress')
    await window.goto('/domains')
    await askTwice(async () => {
      await button('Add a domain').click()
      await dialog.getByLabel('Domain').fill('shop.example')
    }, 'Add domain')
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('a text is copied by a page that was loaded by plain HTTP from another machine', async () => {
    const { page } = window
    await open('settings')
    await page.evaluate('delete Navigator.prototype.clipboard')
    await button('Copy Domain ID').click()
    await button('Domain ID copied').waitFor()
    await page.getByLabel('Contents, in days').focus()
    await page.keyboard.press('ControlOrMeta+K')
    await page.getByRole('dialog').getByRole('textbox').waitFor()
    await page.keyboard.press('ControlOrMeta+V')
    const field = page.getByRole('dialog').getByRole('textbox')
    assert.equal(await field.inputValue(), base.replace('/domains/', ''))
    await page.evaluate('document.execCommand = () => false')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await window.closed()
    await button('Copy API base URL').click()
    await page.getByText('The text could not be copied.').waitFor()
  })
})
