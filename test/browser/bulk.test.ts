// Bulk mail in the dashboard: a user uploads a list, selects its columns, previews a row, sends the bulk, and downloads
// its failures.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { pauseQueue, resumeQueue } from '../../src/store/queue/queue-control.ts'
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

  const upload = (name: string, content: string | Buffer) =>
    page.locator('input[type=file]').setInputFiles({
      name,
      mimeType: 'text/csv',
      buffer: typeof content === 'string' ? Buffer.from(content) : content,
    })

  const check = () => page.getByRole('button', { name: 'Check and send' })

  /** Chooses the message of a bulk on the transactional stream. */
  const fillMessage = async (template: string): Promise<void> => {
    await choose('Template', template)
    await choose('Stream', 'Transactional')
    await page.getByRole('textbox', { name: 'From' }).fill('shop')
  }

  test('sends a list, shows a row before, and the failures after', async () => {
    await window.goto(workspace)
    await page.getByText('No bulk mail sent yet').waitFor()
    assert.deepEqual(await window.faults(), [])
    // An empty page has the button a second time.
    await page.getByRole('link', { name: 'Upload list' }).last().click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'customers.csv',
      mimeType: 'text/csv',
      // Spreadsheet programs write this format in countries where numbers contain a decimal comma.
      buffer: Buffer.from(`\ufeffsep=;\r\n${CSV}`),
    })
    await check().waitFor()
    assert.equal(await check().isDisabled(), true)
    await choose('Template', 'Spring offer')
    await choose('Stream', 'Transactional')
    await page.getByRole('textbox', { name: 'From' }).fill('shop')
    assert.equal(await page.getByRole('combobox', { name: 'Use of Post' }).inputValue(), 'Address')
    await choose('Use of Internal', 'Not used')
    await page.getByRole('textbox', { name: 'Name of Full name' }).fill('customer.name')
    await page.getByRole('textbox', { name: 'Name of Amount' }).fill('price')
    const subject = page.getByTestId('subject')
    await subject.getByText('For Ann; first of all').waitFor()
    await page.getByText('Row 2', { exact: true }).click()
    await subject.getByText('For Bob').waitFor()
    assert.equal(await page.getByTestId('row-address').textContent(), 'bob@receiver.example')
    await window.settled()
    const frame = page.locator('iframe[title="Preview"]').last()
    const { height = 0 } = (await frame.boundingBox()) ?? {}
    assert.ok(height > 200, `the preview has a height of ${height} pixels`)
    await page.frameLocator('iframe[title="Preview"]').last().getByText('Dear Bob, you pay 8.').waitFor()
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('button', { name: 'Send this row to me' }).click()
    await page.getByText(/^The test message to .+ is queued\.$/).waitFor()
    await until('the test is delivered', async () => app.host.mails.length === 1)
    assert.match(app.host.mails.splice(0)[0]?.data.toString() ?? '', /^Subject: For Bob\r$/m)
    await check().click()
    const question = page.getByRole('dialog', { name: 'Send to 2 recipients?' })
    await question.getByText('2 of 3 rows').waitFor()
    await question.getByText('For Ann; first of all').waitFor()
    await question.getByText('Transactional').waitFor()
    await question.getByText(/^to: This is not an email address: .* \(line 4\)$/).waitFor()
    assert.deepEqual(await window.faults(), [])
    assert.deepEqual((await app.call('GET', '/v1/bulk')).body.data, [], 'nothing is sent before the answer')
    await question.getByRole('button', { name: 'Send to 2 recipients' }).click()
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
    await check().click()
    await page.getByRole('button', { name: 'Send to 1 recipient' }).click()
    await page.getByRole('heading', { name: 'customers.xlsx' }).waitFor()
    const [id = ''] = [new URL(page.url()).pathname.split('/').at(-1)]
    await until(
      'the bulk is sent',
      async () => (await app.call('GET', `/v1/bulk/${id}`)).body.status === 'done',
    )
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
    await check().click()
    await page.getByRole('button', { name: 'Send to 2 recipients' }).click()
    await page.getByRole('alert').getByText('Paused').waitFor()
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('button', { name: 'Stop sending' }).click()
    await page.getByText('Cancelled: 1 of 2 accepted').waitFor()
    await allow(null)
  })

  test('names variables that no column fills, and rows that lack one; matches columns in any case', async () => {
    await window.goto(`${workspace}/new`)
    const rows = Array.from({ length: 70_000 }, (_, index) => `a${index}@receiver.example,N${index},1`)
    rows.push('last@receiver.example,,')
    await upload('long.csv', `email,Customer Name,Cost\n${rows.join('\n')}\n`)
    await fillMessage('Spring offer')
    const alert = page.getByRole('alert').filter({ hasText: 'No column fills these variables' })
    await alert.getByText('price', { exact: true }).waitFor()
    assert.equal(await alert.getByText('customer.name').count(), 0, 'the column Customer Name fills it')
    await page.getByTestId('subject').getByText('For N0').waitFor()
    assert.equal(await check().isDisabled(), true)
    for (const [width, colors] of [
      [320, 'light'],
      [1280, 'dark'],
    ] as const) {
      await window.resize(width, colors)
      assert.deepEqual(await window.faults('look'), [])
    }
    await alert.getByRole('checkbox', { name: 'Leave these places empty' }).check()
    // The form asks again after a change of a column name, because other variables are unfilled now.
    await page.getByRole('textbox', { name: 'Name of Customer Name' }).fill('name')
    await alert.getByText('customer.name (required)').waitFor()
    assert.equal(await alert.getByRole('checkbox').count(), 0)
    assert.equal(await check().isDisabled(), true)
    await page.getByRole('textbox', { name: 'Name of Customer Name' }).fill('customer.name')
    await page.getByRole('textbox', { name: 'Name of Cost' }).fill('price')
    await alert.waitFor({ state: 'detached' })
    await check().click()
    const question = page.getByRole('dialog', { name: 'Send to 70,000 recipients?' })
    await question.getByText('customer.name is missing (line 70,002)').waitFor()
    await question.getByText('price (line 70,002)').waitFor()
    await window.resize(320, 'light')
    assert.deepEqual(await window.faults('look'), [])
    await question.getByRole('button', { name: 'Cancel' }).click()
    await window.resize(1280, 'light')
  })

  test('counts 99,999 rows without an address before one row is sent', async () => {
    await window.goto(`${workspace}/new`)
    const bad = Array.from({ length: 99_999 }, (_, index) => `nobody ${index},N,1`)
    await upload('bad.csv', `email,customer.name,price\n${bad.join('\n')}\ngood@receiver.example,N,1\n`)
    await fillMessage('Spring offer')
    await check().click()
    const question = page.getByRole('dialog', { name: 'Send to 1 recipient?' })
    await question.getByText('99,999 rows are refused').waitFor()
    await question
      .getByText(/^to: This is not an email address: .* \(99,999 rows, the first is line 2\)$/)
      .waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await window.goto('/verification/lists')
    await upload('bad.csv', `email\n${bad.join('\n')}\ngood@receiver.example\n`.replaceAll(',N,1', ''))
    await page.getByText('99,999, each takes a credit as well').waitFor()
    await page.getByText('100,000 of 10,000 credits').waitFor()
    await page.getByText(/^The credits are enough for 10,000 addresses\./).waitFor()
    assert.deepEqual(await window.faults(), [])
  })

  test('sends a list in UTF-16 at a chosen time, and no list without an address', async () => {
    await window.goto(`${workspace}/new`)
    await upload('places.csv', 'customer.name,PRICE\nZoë,1\n')
    await fillMessage('Spring offer')
    await page.getByTestId('subject').getByText('For Zoë').waitFor()
    await page.getByText('Choose one column as the address.').waitFor()
    assert.equal(await check().isDisabled(), true)
    assert.deepEqual(await window.faults(), [])
    // The column of the addresses is found by its content.
    const csv = 'Post\tcustomer.name\tPRICE\r\nz@receiver.example\tZoë\t1\r\n'
    await upload('unicode.csv', Buffer.from(`\ufeff${csv}`, 'utf16le'))
    await fillMessage('Spring offer')
    await page.getByTestId('row-address').getByText('z@receiver.example').waitFor()
    await page.getByLabel('Send at').fill('2020-01-01T10:00')
    await page.getByText('Choose a time in the future.').waitFor()
    const year = new Date().getFullYear() + 1
    await page.getByLabel('Send at').fill(`${year}-12-31T10:00`)
    await check().click()
    // The API refuses a time that is too far away, and names the field.
    await page
      .getByRole('alert')
      .getByText(/^Send at: /)
      .waitFor()
    const soon = new Date(Date.now() + 3_600_000)
    const local = new Date(soon.getTime() - soon.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    await page.getByLabel('Send at').fill(local)
    await check().click()
    await page.getByRole('button', { name: 'Send to 1 recipient' }).click()
    await page.getByRole('heading', { name: 'unicode.csv' }).waitFor()
    await page.getByText('Scheduled', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Stop sending' }).click()
    await page.getByText(/^Cancelled: 1 of 1 accepted/).waitFor()
  })

  test('shows the reason of a refused row on a phone, and a short name of a list without a name', async () => {
    const message = { from: 'shop@example.test', template_alias: 'offer', stream: 'transactional' }
    const template_model = { customer: { name: 'Ann' }, price: 1 }
    const lines = [
      message,
      { to: 'phone@receiver.example', template_model },
      { to: 'nobody' },
      { to: 'a@b.test' },
    ]
    const sent = await app.call('POST', '/v1/bulk', lines.map((line) => JSON.stringify(line)).join('\n'), {
      'content-type': 'application/x-ndjson',
    })
    await until('the bulk is done', async () => {
      const { body } = await app.call('GET', `/v1/bulk/${sent.body.bulk_id}`)
      return body.status === 'done'
    })
    await window.goto(`${workspace}/${sent.body.bulk_id}`)
    await page.getByRole('heading', { name: /^List of .{5,25}$/ }).waitFor()
    await window.resize(320, 'light')
    await page.getByText(/^to: This is not an email address/).waitFor()
    await page.getByText(/^template_model\.customer\.name: The template requires this value/).waitFor()
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
  })

  test('says who holds the messages of a list', async () => {
    const pause = { kind: 'destination' as const, value: 'paused.example' }
    await app.store.write(pauseQueue, { ...pause, created_at: Date.now() })
    const message = { from: 'shop@example.test', subject: 's', text: 't', stream: 'transactional' }
    const lines = [message, { to: 'a@paused.example' }, { to: 'b@receiver.example' }]
    const sent = await app.call('POST', '/v1/bulk', lines.map((line) => JSON.stringify(line)).join('\n'), {
      'content-type': 'application/x-ndjson',
    })
    await window.goto(`${workspace}/${sent.body.bulk_id}`)
    const held = page.getByRole('row', { name: /a@paused\.example/ })
    await held.getByText('Held', { exact: true }).waitFor()
    await held.getByText('The operator paused paused.example just now.').waitFor()
    await page
      .getByRole('row', { name: /b@receiver\.example/ })
      .getByText('Delivered')
      .waitFor()
    assert.deepEqual(await window.faults(), [])
    const { data } = (await app.call('GET', `/v1/bulk/${sent.body.bulk_id}/rows`)).body
    assert.deepEqual(
      data.map((row: { status: string; held?: { cause: string } }) => [row.status, row.held?.cause]),
      [
        ['queued', 'destination_paused'],
        ['delivered', undefined],
      ],
    )
    await app.store.write(resumeQueue, pause)
    await held.getByText('Delivered').waitFor()
  })

  test('stops waiting messages of a list whose rows are all messages, as long as any waits', async () => {
    const message = { from: 'shop@example.test', subject: 's', text: 't' }
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const lines = [{ ...message, send_at }, { to: 'w1@receiver.example' }, { to: 'w2@receiver.example' }]
    const sent = await app.call('POST', '/v1/bulk', lines.map((line) => JSON.stringify(line)).join('\n'), {
      'content-type': 'application/x-ndjson',
    })
    const id = sent.body.bulk_id
    await until(
      'the bulk is done',
      async () => (await app.call('GET', `/v1/bulk/${id}`)).body.status === 'done',
    )
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
      .getByText('Upload a CSV or XLSX file with a header row and at least one row below it.')
      .waitFor()
  })
})
