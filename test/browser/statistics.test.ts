// Statistics and the log of API requests: figures link to their events, are grouped, and show refusals by code.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { insertRows } from '../../src/store/database/rows.ts'
import { HOUR_MS, NOTHING } from '../../src/store/readers/message-counts.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { settled } from '../support/store.ts'

const DAY_MS = 24 * HOUR_MS

let app: TestApp
let browser: Browser
before(async () => {
  browser = await startBrowser()
  app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
  const send = (email: string, more: object = {}): Promise<string> => app.send({ to: [{ email }], ...more })
  for (const name of ['ann', 'bob', 'cara']) {
    await app.messageIn(await send(`${name}@example.test`, { tag: 'receipt' }), 'delivered')
  }
  await app.messageIn(await send('bounce@example.test', { tag: 'welcome' }), 'bounced')
  await app.call('POST', '/v1/messages', { from: 'nobody' })
  await settled(app.store)
})
after(async () => {
  await stopBrowser()
  await app?.stop()
})

test('every figure leads to its events, and parts narrow the figures', async () => {
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto('/')
  await window.click(page.getByRole('link', { name: 'Statistics', exact: true }))
  const groupBy = async (name: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Group by' }).click()
    await page.getByRole('option', { name }).click()
  }
  const figure = (name: string) => page.locator('.rate').filter({ hasText: name })
  await figure('Bounced').getByText('25%').waitFor()
  await figure('Delivered').getByText('75%').waitFor()
  assert.deepEqual(await window.faults(), [])

  await window.click(figure('Bounced').getByRole('link'))
  const rows = page.getByRole('row')
  await rows.filter({ hasText: 'bounce@example.test' }).waitFor()
  assert.equal(await rows.count(), 2, 'a header row and one row')
  await page.getByRole('button', { name: /^Remove filter From / }).waitFor()
  assert.deepEqual(await window.faults(), [])

  await window.follow('/statistics')
  await groupBy('Tag')
  const parts = page.getByRole('table', { name: 'Figures by tag' })
  await parts.getByRole('row').filter({ hasText: 'welcome' }).waitFor()
  await window.click(parts.getByRole('row').filter({ hasText: 'receipt' }).getByRole('link').first())
  await rows.filter({ hasText: 'cara@example.test' }).waitFor()
  assert.equal(await rows.filter({ hasText: 'bounce@example.test' }).count(), 0)
  await page.getByRole('button', { name: 'Remove filter Tag: receipt' }).click()
  await rows.filter({ hasText: 'bounce@example.test' }).first().waitFor()

  await window.follow('/statistics?group=tag')
  await parts.getByRole('button', { name: 'welcome' }).click()
  await figure('Bounced').getByText('100%').waitFor()
  await groupBy('Bounce cause')
  await page.getByText('Causes are not kept by tag or provider').waitFor()
  await window.resize(380, 'dark')
  assert.deepEqual(await window.faults(), [])
  await window.follow('/statistics?group=provider&range=24h')
  await page.getByRole('table', { name: 'Figures by receiving provider' }).waitFor()
  assert.deepEqual(await window.faults('look'), [])
  await window.resize(1280, 'dark')
  await window.follow('/statistics?group=category')
  await window.click(page.getByRole('table', { name: 'Bounces by cause' }).getByRole('link'))
  await rows.filter({ hasText: 'bounce@example.test' }).waitFor()
  await page.getByRole('button', { name: /^Remove filter Cause: / }).waitFor()
  await window.close()
})

test('the log of API requests shows refusals with their code, by which others are found', async () => {
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto('/activity')
  await window.click(page.getByRole('link', { name: 'API requests' }))
  const rows = page.getByRole('row')
  // The duration of a request may be the same number.
  const withStatus = (status: number) => rows.filter({ hasText: new RegExp(`\\b${status}(?! ms)`) })
  await withStatus(422).waitFor()
  await withStatus(202).first().waitFor()
  assert.deepEqual(await window.faults(), [])
  await window.click(page.getByRole('link', { name: 'validation_failed' }))
  await page.getByRole('button', { name: 'Remove filter Code: validation_failed' }).waitFor()
  await withStatus(202).first().waitFor({ state: 'detached' })
  assert.equal(await rows.count(), 2, 'a header row and one row')
  await rows
    .getByText(/^[a-z_[\].0-9]+: [a-z_]+$/)
    .first()
    .waitFor()
  await page.getByRole('combobox', { name: 'Method' }).selectOption('DELETE')
  await page.getByText('No matching requests').waitFor()
  await window.resize(380, 'dark')
  assert.deepEqual(await window.faults(), [])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await withStatus(202).first().waitFor()
  assert.deepEqual(await window.faults('look'), [])
  await window.click(rows.getByRole('link', { name: 'Show the message' }).first())
  await page.getByRole('tab', { name: 'Activity' }).waitFor()
  await window.close()
})

test('rates are judged by the thresholds of receivers, compared with the period before, and shown by stream', async () => {
  const { account_id, id } = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
  const hourOf = (days: number): number => Math.floor((Date.now() - days * DAY_MS) / HOUR_MS) * HOUR_MS
  const usual = { ...NOTHING, account_id, domain_id: id, stream: 'transactional', accepted: 1_000 }
  await insertRows(app.store.read, 'message_counts', [
    { ...usual, hour_at: hourOf(3), delivered: 990, bounced: 10, complained: 4 },
    { ...usual, hour_at: hourOf(10), delivered: 900, bounced: 100 },
  ])
  const window = await DashboardWindow.open(browser, app)
  const { page } = window
  await window.goto('/')
  const figure = (name: string) => page.locator('.rate').filter({ hasText: name })
  await figure('Bounced').getByText('Below 2%: good.').waitFor()
  await figure('Bounced').getByText('better than the previous period').waitFor()
  await figure('Complaints').getByText('0.3% or more: Gmail and Yahoo block such senders.').waitFor()
  assert.deepEqual(await window.faults(), [])
  await window.goto(`/domains/${id}/streams`)
  const row = page.getByRole('row', { name: /^Transactional/ })
  await row.getByText('5.5% bounced').waitFor()
  assert.deepEqual(await window.faults(), [])
  await window.click(row.getByRole('link', { name: '2,004' }))
  await page.getByRole('heading', { name: 'Statistics' }).waitFor()
  await window.close()
})
