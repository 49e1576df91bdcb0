// Verification of addresses in the dashboard: a key, a single address with its explanation, and a list of 1,000
// addresses that is uploaded and downloaded.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { workbookAsCsv } from '../../src/tables/workbook-reader.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { workbookWith } from '../support/workbook.ts'

const ADDRESSES = 1_000

/** Expression that returns the number of parts of linked addresses that are divided between two lines. */
const DIVIDED = `(() => {
  const range = document.createRange()
  const parts = [...document.querySelectorAll('td a')].flatMap(({ childNodes }) => [...childNodes])
  return parts.filter((part) => {
    range.selectNode(part)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
  }).length
})()`

describe('email verification', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let page: Page
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    window = await DashboardWindow.open(browser, app)
    page = window.page
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  test('one address is checked and explained', async () => {
    await window.goto('/verification')
    await page.getByLabel('Email address').fill('info@nowhere.invalid')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByRole('paragraph').getByText('The domain does not exist.').waitFor()
    await page.getByText('Yes: a function such as info or support, not a person').waitFor()
    await page.getByText('9,999 credits left').waitFor()
    const row = page.getByRole('row', { name: /info@nowhere\.invalid Undeliverable/ })
    await row.getByText('The domain does not exist.').waitFor()
    await window.click(row.getByRole('link', { name: 'info@nowhere.invalid' }))
    await page.getByText('Single address').waitFor()
    assert.deepEqual(await window.faults(), [])
  })

  test('a key is created, shown once, used and revoked', async () => {
    await window.follow('/verification/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Sign-up form')
    await page.getByRole('button', { name: 'Create Verification API key' }).click()
    const key = await page
      .getByRole('dialog')
      .getByText(/^verify_/)
      .textContent()
    const used = () =>
      app.call('GET', '/v1/verifyEmail?email=x@nowhere.invalid', undefined, {
        authorization: `Bearer ${key}`,
      })
    assert.equal((await used()).status, 200)
    await page.getByRole('button', { name: 'Done' }).click()
    await window.closed()
    assert.ok(!(await page.content()).includes(key ?? ''), 'the page shows the secret only once')
    const row = page.getByRole('row', { name: /Sign-up form/ })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked', { exact: true }).waitFor()
    assert.equal((await used()).status, 401)
  })

  test('a file of 1,000 addresses is dropped, verified and downloaded', async () => {
    await window.follow('/verification/lists')
    const lines = Array.from({ length: ADDRESSES }, (_, index) => `person${index}@domain${index % 7}.invalid`)
    await page.locator('input[type=file]').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['name,email', ...lines.map((email) => `=SUM(1),${email}`), ''].join('\r\n')),
    })
    await page.getByText('1,000 of 9,998 credits').waitFor()
    await page.getByText('person0@domain0.invalid, person1@domain1.invalid').waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'Column of addresses' }).inputValue(), 'email')
    assert.deepEqual(await window.faults(), [])
    assert.deepEqual(await app.store.read.selectFrom('verifications').select('id').execute(), [])
    await page.getByRole('button', { name: 'Verify 1,000 addresses' }).click()
    await page.getByRole('link', { name: 'Download results', exact: true }).waitFor()
    await page.getByText('1,000 addresses. Uploaded').waitFor()
    await page.getByText("name: '=SUM(1)").or(page.getByText('name: =SUM(1)')).first().waitFor()
    const download = page.getByRole('link', { name: 'Download results', exact: true })
    await download.waitFor()
    await page.getByText('person0@domain0.invalid').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('person50@domain1.invalid').waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
    const csv = await readFile(await file.path(), 'utf8')
    assert.equal(csv.trim().split(/\r?\n/).length, ADDRESSES + 1)
    assert.match(csv.split('\n', 2)[1] ?? '', /,'=SUM\(1\)\r?$/)
    assert.equal(file.suggestedFilename(), 'people.csv')
    await page.getByText('Deliverable', { exact: true }).last().click()
    await page.getByText('No addresses have this result.').waitFor()
    await page.getByRole('link', { name: 'Download deliverable', exact: true }).waitFor()
  })

  test('a workbook keeps its columns, its column of addresses is chosen, and its result is a workbook', async () => {
    await window.follow('/verification/lists')
    const rows = [
      ['Customer', 'Reached at'],
      ['007', 'ann@gmial.com'],
      ['8', 'nobody@nowhere.invalid'],
    ]
    await page.locator('input[type=file]').setInputFiles({
      name: 'customers.xlsx',
      mimeType: 'application/octet-stream',
      buffer: await workbookWith(rows),
    })
    await page.getByRole('combobox', { name: 'Which column of customers.xlsx has the addresses?' }).click()
    await page.getByRole('option', { name: 'Reached at' }).click()
    await page.getByRole('button', { name: 'Use this column' }).click()
    await page.getByText('ann@gmial.com, nobody@nowhere.invalid').waitFor()
    await page.getByRole('button', { name: 'Verify 2 addresses' }).click()
    await page.getByText('Did you mean ann@gmail.com?').waitFor()
    await page.getByText('Customer: 007').waitFor()
    await window.resize(320, 'dark')
    await page.getByText('Did you mean ann@gmail.com?').waitFor()
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
    const download = page.getByRole('link', { name: 'Download results', exact: true })
    await download.waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
    assert.equal(file.suggestedFilename(), 'customers.xlsx')
    const csv = await workbookAsCsv(await readFile(await file.path()), 10_000)
    assert.deepEqual(
      csv.split('\n').map((line) => [line.split(',')[0], line.split(',').at(-1)]),
      [
        ['email', 'Customer'],
        ['ann@gmial.com', '007'],
        ['nobody@nowhere.invalid', '8'],
      ],
    )
    const [other] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download results as CSV' }).click(),
    ])
    assert.equal(other.suggestedFilename(), 'customers.csv')
  })

  test('an invalid file is refused with the reason, and the credits are shown', async () => {
    await window.follow('/verification/lists')
    await page.locator('input[type=file]').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('first,second\r\na,b\r\n'),
    })
    // No column has a usual name for addresses, so the user must select the column.
    await page.getByRole('combobox', { name: 'Which column of people.csv has the addresses?' }).click()
    assert.deepEqual(await page.getByRole('option').allTextContents(), ['first', 'second'])
    await page.keyboard.press('Escape')
    await page.locator('input[type=file]').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email\r\nj\u00fcrgen@example.net\r\n', 'latin1'),
    })
    await page.getByRole('alert').getByText(/UTF-8/).waitFor()
    // UTF-16 without a byte order mark is read as well; entries that are no addresses are counted before they cost.
    await page.locator('input[type=file]').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email\tname\r\nann@x.example\tAnn\r\nnobody\tBob\r\n', 'utf16le'),
    })
    await page.getByText('1, which takes a credit as well').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Verify 2 addresses' }).waitFor({ state: 'detached' })
    await window.follow('/verification/credits')
    await page.getByText('8,996', { exact: true }).waitFor()
    assert.deepEqual(window.complaints, [])
  })

  test('earlier checks are searched, filtered and downloaded, and show the address that was meant', async () => {
    await window.goto('/verification')
    for (const email of ['ann@gmial.com', 'bob@nowhere.invalid']) {
      await page.getByLabel('Email address').fill(email)
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByRole('row', { name: email }).waitFor()
    }
    // An address that is wider than its column breaks after its @.
    const long = 'bob.with.a.rather.long.name@nowhere-to-be-found.invalid'
    await page.getByLabel('Email address').fill(long)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByRole('link', { name: long }).waitFor()
    assert.equal(await page.evaluate<number>(DIVIDED), 0)
    const search = page.getByRole('textbox', { name: 'Address', exact: true })
    await search.fill('GMIAL')
    await page.getByRole('row', { name: /bob@nowhere/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /ann@gmial\.com .*Did you mean ann@gmail\.com\?/ }).waitFor()
    await window.resize(320, 'light')
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download checks' }).click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/)
    assert.equal(lines.length, 2)
    assert.match(lines[0] ?? '', /^email,result,.*,checkedBy,checkedAt$/)
    assert.match(lines[1] ?? '', /^ann@gmial\.com,/)
    await search.fill('nothing like this')
    await page.getByText('No check matches').waitFor()
  })

  test('a list that the API creates without a name has a short name', async () => {
    const authorization = `Bearer ${app.playground.verification_key}`
    const { status } = await app.callWith('POST', '/v1/verifications', ['x@nowhere.invalid'], {
      authorization,
    })
    assert.equal(status, 202)
    await window.goto('/verification/lists')
    await window.click(page.getByRole('link', { name: /^List of .{5,25}$/ }))
    await page.getByRole('heading', { name: /^List of .{5,25}$/ }).waitFor()
  })

  test('text without a header is dropped; a list shows its progress, and is stopped', async () => {
    app.host.script = ({ verb }) => (verb === 'RCPT' ? { after: 'hang' } : undefined)
    for (const [name, text] of [
      ['people.txt', 'ann@later.example\nbob@later.example\n'],
      ['people.tsv', 'name\temail\nAnn\tann@later.example\nBob\tbob@later.example\n'],
    ] as const) {
      await window.follow('/verification/lists')
      const files = await page.evaluateHandle(`(() => {
        const files = new DataTransfer()
        files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/plain' }))
        return files
      })()`)
      await page
        .getByText('Drop a CSV, TSV, TXT or XLSX file here')
        .dispatchEvent('drop', { dataTransfer: files })
      await page.getByRole('button', { name: 'Verify 2 addresses' }).click()
      await page.getByText('2 addresses. Uploaded').waitFor()
      await page.getByText(/^Next: later\.example \(2 addresses\)\. /).waitFor()
      assert.deepEqual(await window.faults(), [])
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText(/^Cancelled after \d of 2/).waitFor()
    }
  })
})
