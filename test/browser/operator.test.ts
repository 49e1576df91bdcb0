// The operator's dashboard: an operator pauses and resumes a stuck destination, creates, limits and suspends an
// account, and sees the health of the installation.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { LookState } from '../../src/model/list-look.ts'
import { planLooks } from '../../src/store/node/list-looks.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import type { HostScript } from '../support/mail-host/script.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'

describe('the operator', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let page: Page
  let attempts = 0
  /** The reply of the mail host to recipients at stuck.example. */
  const late = Promise.withResolvers<string>()
  before(async () => {
    const script: HostScript = ({ verb, address }) => {
      if (verb !== 'RCPT') return undefined
      if (address.endsWith('@stuck.example')) return late.promise
      attempts++
      return '451 4.7.1 Later'
    }
    browser = await startBrowser()
    app = await TestApp.start({ host: { script }, env: { POSTRIDER_RETRY_SCHEDULE: '1h,1h' } })
    window = await DashboardWindow.open(browser, app)
    page = window.page
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  test('sees waiting mail, retries it, pauses it and resumes it', async () => {
    await app.messageIn(await app.send({ to: [{ email: 'a@slow.example' }] }), 'deferred')
    await window.goto('/operator/queue')
    const row = page.getByRole('row', { name: /slow\.example/ })
    await row.getByText('451 4.7.1 Later').waitFor()
    assert.deepEqual(await window.faults(), [])
    const before = attempts
    await row.getByRole('button', { name: 'Retry now: slow.example' }).click()
    await page.getByText('1 recipient of slow.example queued for an immediate attempt.').waitFor()
    await until('the recipient is attempted again', () => attempts > before)
    await row.getByRole('button', { name: 'Pause slow.example' }).click()
    await page.getByLabel('Note (optional)').fill('Their postmaster asked for a break')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await row.getByText('Paused', { exact: true }).waitFor()
    await row.getByText('Their postmaster asked for a break').waitFor()
    await row.getByText('451 4.7.1 Later').waitFor()
    await window.closed()
    // The list stays a table at 1280 px, and shows the reply on a phone.
    assert.equal(await page.locator('[data-blocks]').count(), 0)
    assert.deepEqual(await window.faults(), [])
    await window.resize(390, 'dark')
    await row.getByText('451 4.7.1 Later').waitFor()
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
    await row.getByRole('button', { name: 'Resume slow.example' }).click()
    await row.getByRole('button', { name: 'Pause slow.example' }).waitFor()
    await window.click(row.getByRole('link', { name: 'slow.example' }))
    const recipient = page.getByRole('row', { name: /a@slow\.example/ })
    await recipient.getByText('451 4.7.1 Later').waitFor()
    await recipient.getByText('example.test').waitFor()
    assert.deepEqual(await window.faults(), [])
    await window.resize(380, 'dark')
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
  })

  test('sees a pause of a destination without queued mail, and ends it', async () => {
    const operator = await Person.loggedIn(app)
    const pause = { destination: 'empty.example', note: 'Moves to another host' }
    assert.equal((await operator.call('POST', '/api/operator/queue/pause', pause)).status, 200)
    await window.follow('/operator/queue')
    const held = page.getByRole('alert').filter({ hasText: 'Destination empty.example is paused' })
    await held.getByText('Moves to another host').waitFor()
    assert.deepEqual(await window.faults(), [])
    await held.getByRole('button', { name: 'Resume' }).click()
    await held.waitFor({ state: 'detached' })
  })

  test('creates an account, limits it and suspends it', async () => {
    await window.follow('/operator/accounts')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Northwind')
    await page.getByLabel('Email address of the owner').fill('ann@northwind.example')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText(/\/invitation\?token=/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await window.closed()
    const row = page.getByRole('row', { name: /Northwind/ })
    await row.getByText('No limit').waitFor()
    // The account of the operator has sent one message, in the previous test.
    const heads = await page.getByRole('columnheader').allTextContents()
    await page
      .getByRole('row', { name: /operates this installation/ })
      .getByRole('cell')
      .nth(heads.indexOf('Sent in 30 days'))
      .getByText('1', { exact: true })
      .waitFor()
    await row.getByRole('button', { name: 'Edit Northwind' }).click()
    await page.getByLabel('Limit the sending allowance').check()
    await page.getByLabel('Recipients left').fill('')
    // An empty field is invalid, because it would mean no limit.
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByLabel('Recipients left').and(page.locator(':invalid')).waitFor()
    await page.getByLabel('Recipients left').fill('500')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await row.getByText('500').waitFor()
    await window.closed()
    await row.getByRole('button', { name: 'Edit Northwind' }).click()
    await page.getByRole('button', { name: 'Suspend' }).click()
    await row.getByText('Suspended').waitFor()
  })

  test('sees no next attempt in the past while recipients wait for a slot', async () => {
    const to = Array.from({ length: 12 }, (_, index) => [{ email: `s${index}@stuck.example` }])
    await Promise.all(to.map((one) => app.send({ to: one })))
    await window.follow('/operator/queue/stuck.example')
    await page.getByRole('cell', { name: 'Now', exact: true }).first().waitFor()
    await page.getByRole('cell', { name: 'Due', exact: true }).first().waitFor()
    assert.equal(await page.getByRole('cell', { name: /ago/ }).count(), 0)
    await window.follow('/operator/queue')
    const row = page.getByRole('row', { name: /stuck\.example/ })
    await row.getByRole('cell', { name: 'Due', exact: true }).waitFor()
    assert.deepEqual(await window.faults(), [])
    late.resolve('250 2.1.5 Ok')
    await row.waitFor({ state: 'detached' })
  })

  test('sees the health of the installation', async () => {
    await window.follow('/operator')
    await page.getByText('durability').waitFor()
    // Each check is shown in its original words: host names and names of settings stay unchanged.
    const { body } = await (await Person.loggedIn(app)).call('GET', '/api/operator/health')
    const shown = (await page.locator('main').textContent()) ?? ''
    for (const { detail } of body.checks) assert.ok(shown.includes(detail), detail)
    // The navigation shows the number of failed checks on every page.
    const failed = body.checks.filter(({ status }: { status: string }) => status === 'fail').length
    const badge = page.getByRole('link', { name: /^Operator/ }).locator('.mantine-Badge-root')
    if (failed === 0) assert.equal(await badge.count(), 0)
    else await badge.getByText(`${failed} failed check`).waitFor({ state: 'attached' })
    await window.follow('/operator/nodes')
    await page.getByRole('cell', { name: 'Running' }).waitFor()
    await page.getByText(/^\d+% of the event loop/).waitFor()
    assert.deepEqual(await window.faults(), [])
  })

  test('sees the addresses in block lists, and the requirements of receivers for a domain', async () => {
    const at = Date.now()
    const look = (subject: string, zone: string, state: LookState, answer: string | null) => ({
      ...{ subject, zone, state, answer, account_id: null, domain_id: null, told_at: null },
      ...{ since: at - 3_600_000, checked_at: at - 60_000, due_at: at + 86_400_000 },
    })
    await app.store.write(planLooks, {
      ...{ resume: [], pause: [], remove: [], now: at },
      add: [
        look('192.0.2.7', 'bl.example', 'not_listed', null),
        look('192.0.2.7', 'zen.spamhaus.org', 'listed', '127.0.0.3 (CSS)'),
        look(
          '2001:db8::7',
          'bl.example',
          'not_known',
          'the list refuses the name servers in use (127.255.255.254)',
        ),
      ],
    })
    await window.follow('/operator/lists')
    const row = page.getByRole('row', { name: /zen\.spamhaus\.org/ })
    await row.getByText('127.0.0.3 (CSS)').waitFor()
    await row.getByRole('link', { name: 'Request the removal' }).waitFor()
    assert.deepEqual(await window.faults(), [])
    await window.resize(390, 'dark')
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
    const { data } = (await (await Person.loggedIn(app)).call('GET', '/api/domains')).body
    await window.goto(`/domains/${data[0].domain_id}/requirements`)
    await page.getByText('Encrypted connections').waitFor()
    assert.equal(await page.getByText('SPF', { exact: true }).count(), 3)
    assert.deepEqual(await window.faults(), [])
    await window.resize(390, 'dark')
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
    assert.deepEqual(window.complaints, [])
  })
})
