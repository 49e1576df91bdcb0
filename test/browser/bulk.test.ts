// Bulk mail in the dashboard: a user uploads a list, selects its columns, previews a row, sends the bulk, and downloads
// its failures.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { until } from '../support/test-clock.ts'
import { workbookWith } from '../support/workbook.ts'

const TEMPLATE = {
  alias: 'offer',
  name: 'Spring offer',
  subject: 'For {{customer.name}}',
  html: '<p>Dear {{customer.name}}, you pay {{price}}.</p>',
  text: 'Dear {{customer.name}}, you pay {{price}}.',
  required: ['customer.name'],
}
const CSV = [
  'Full name;Amount;Post;Internal',
  '"Ann; first of all";9;ann@receiver.example;x',
  'Bob;8;bob@receiver.example;x',
  'Nobody;7;no address;x',
  '',
].join('\r\n')

describe('bulk mail', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let page: Page
  let workspace: string
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    assert.equal((await app.call('POST', '/v1/templates', TEMPLATE)).status, 201)
    window = await DashboardWindow.open(browser, app)
    page = window.page
    const { id } = await app.store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()
    workspace = `/domains/${id}/bulk`
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  const choose = async (name: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test('sends a list, shows a row before, and the failures after', async () => {
    await window.goto(workspace)
    await page.getByText('No bulk mail sent yet').waitFor()
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('link', { name: 'Upload list' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'customers.csv',
      mimeType: 'text/csv',
      // Spreadsheet programs write this format in countries where numbers contain a decimal comma.
      buffer: Buffer.from(`\ufeffsep=;\r\n${CSV}`),
    })
    const send = page.getByRole('button', { name: 'Send to all rows' })
    await send.waitFor()
    assert.equal(await send.isDisabled(), true)
    await choose('Template', 'Spring offer')
    await choose('Stream', 'Transactional')
    await page.getByRole('textbox', { name: 'From' }).fill('shop')
    await choose('Use of Post', 'Address')
    await choose('Use of Internal', 'Not used')
    await page.getByRole('textbox', { name: 'Name of Full name' }).fill('customer.name')
    await page.getByRole('textbox', { name: 'Name of Amount' }).fill('price')
    const subject = page.getByTestId('subject')
    await subject.getByText('For Ann; first of all').waitFor()
    await page.getByText('Row 2', { exact: true }).click()
    await subject.getByText('For Bob').waitFor()
    assert.equal(await page.getByTestId('row-address').textContent(), 'bob@receiver.example')
    await window.settled()
    assert.deepEqual(await window.faults(), [])
    await send.click()
    await page.getByRole('heading', { name: 'customers.csv' }).waitFor()
    await page.getByText('2 of 3 accepted, 1 refused').waitFor()
    await page.getByRole('link', { name: 'ann@receiver.example' }).waitFor()
    await page.getByText('Failures', { exact: true }).click()
    await page.getByText(/to: This is not an email address/).waitFor()
    await window.settled()
    assert.deepEqual(await window.faults(), [])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download failures' }).click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/)
    assert.equal(lines.length, 2)
    assert.match(lines[1] ?? '', /^4,no address,refused,,/)
    const subjects = app.host.mails.map(({ data }) => /^Subject: (.*)$/m.exec(data.toString())?.[1]?.trim())
    assert.deepEqual(subjects.sort(), ['For Ann; first of all', 'For Bob'])
  })

  test('takes a workbook, and shows what the service reads in it', async () => {
    await window.goto(`${workspace}/new`)
    const rows = [
      ['Full name', 'Amount', 'E-Mail'],
      ['Zoë, of the shop', '007', 'zoe@receiver.example'],
    ]
    await page.locator('input[type=file]').setInputFiles({
      name: 'customers.xlsx',
      mimeType: 'application/octet-stream',
      buffer: await workbookWith(rows),
    })
    await page.getByText('customers.xlsx', { exact: true }).waitFor()
    await choose('Template', 'Spring offer')
    await choose('Stream', 'Transactional')
    await page.getByRole('textbox', { name: 'From' }).fill('shop')
    await page.getByRole('textbox', { name: 'Name of Full name' }).fill('customer.name')
    await page.getByRole('textbox', { name: 'Name of Amount' }).fill('price')
    await page.getByTestId('subject').getByText('For Zoë, of the shop').waitFor()
    await page.getByRole('button', { name: 'Send to all rows' }).click()
    await page.getByRole('heading', { name: 'customers.xlsx' }).waitFor()
    const [id = ''] = [new URL(page.url()).pathname.split('/').at(-1)]
    await until('it is sent', async () => (await app.call('GET', `/v1/bulk/${id}`)).body.status === 'done')
    const { body } = await app.call('GET', `/v1/messages?recipient=zoe%40receiver.example`)
    assert.equal(body.data[0].subject, 'For Zoë, of the shop')
  })

  test('shows why a list waits, and stops it', async () => {
    const allow = (sending_allowance: number | null) =>
      app.call('PATCH', '/v1/streams/transactional', { sending_allowance })
    await allow(1)
    await window.goto(`${workspace}/new`)
    await page.locator('input[type=file]').setInputFiles({
      name: 'many.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email,name,price\na1@receiver.example,A,1\na2@receiver.example,B,2\n'),
    })
    await choose('Template', 'Spring offer')
    await choose('Stream', 'Transactional')
    await page.getByRole('textbox', { name: 'From' }).fill('shop')
    await page.getByRole('textbox', { name: 'Name of name' }).fill('customer.name')
    await page.getByRole('button', { name: 'Send to all rows' }).click()
    await page.getByRole('alert').getByText('Paused').waitFor()
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('button', { name: 'Stop sending' }).click()
    await page.getByText('Cancelled: 1 of 2 accepted').waitFor()
    await allow(null)
  })

  test('stops waiting messages of a list whose rows are all messages, as long as any waits', async () => {
    const message = { from: 'shop@example.test', subject: 's', text: 't' }
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const lines = [{ ...message, send_at }, { to: 'w1@receiver.example' }, { to: 'w2@receiver.example' }]
    const sent = await app.call('POST', '/v1/bulk', lines.map((line) => JSON.stringify(line)).join('\n'), {
      'content-type': 'application/x-ndjson',
    })
    const id = sent.body.bulk_id
    await until('it is done', async () => (await app.call('GET', `/v1/bulk/${id}`)).body.status === 'done')
    await window.goto(`${workspace}/${id}`)
    await page.getByRole('button', { name: 'Stop sending' }).click()
    await page.getByText('Cancelled: 2 of 2 accepted').waitFor()
    await page.getByRole('button', { name: 'Stop sending' }).waitFor({ state: 'detached' })
  })

  test('offers every template, and says when they cannot be read', async () => {
    for (let made = 0; made < 205; made++) {
      const { status } = await app.call('POST', '/v1/templates', { name: `Later ${made}`, html: '<p>x</p>' })
      assert.equal(status, 201)
    }
    const upload = () =>
      page.locator('input[type=file]').setInputFiles({
        name: 'few.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('sep=;\r\nName, in full;email\r\nAnn;ann@receiver.example\r\n'),
      })
    const asked = /\/api\/domains\/\w+\/templates\?/
    await page.route(asked, (route) =>
      route.fulfill({ status: 400, json: { code: 'x', detail: 'Not now.' } }),
    )
    await window.goto(`${workspace}/new`)
    await upload()
    const again = page.getByRole('alert').getByRole('button')
    await again.waitFor()
    await page.unroute(asked)
    await again.click()
    await choose('Template', 'Spring offer')
    // The line `sep=;` at the beginning of the file sets the separator.
    await page.getByRole('textbox', { name: 'Name of Name, in full' }).waitFor()
    await again.waitFor({ state: 'detached' })
  })

  test('explains why a file is not a list', async () => {
    await window.goto(`${workspace}/new`)
    await page.locator('input[type=file]').setInputFiles({
      name: 'empty.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email,name\n'),
    })
    await page
      .getByText('Upload a CSV or XLSX file with a line of names and at least one row below it.')
      .waitFor()
  })
})
