// Setup in the playground: its guide, instructions for publishing DNS records, and the state of an unverified domain.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { certificateFor } from '../support/authority.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'

const ZONE = 'shop.example'
const TEMPLATE = '/api/v2/domainTemplates/providers/postrider.example/services/mail'

describe('setting up', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let provider: Server
  let workspace: string
  before(async () => {
    browser = await startBrowser()
    provider = createServer(await certificateFor(['dc.test']), (request, response) => {
      const port = (provider.address() as AddressInfo).port
      const settings = { urlAPI: `https://dc.test:${port}/api`, urlSyncUX: 'https://ui.dc.test' }
      const answers: Record<string, object> = { [`/api/v2/${ZONE}/settings`]: settings, [TEMPLATE]: {} }
      const answer = answers[request.url ?? '']
      response.statusCode = answer === undefined ? 404 : 200
      response.end(JSON.stringify(answer ?? {}))
    })
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    app = await TestApp.start({
      env: { POSTRIDER_DOMAIN_CONNECT: 'postrider.example/mail' },
      zone: {
        [ZONE]: { NS: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] },
        [`_domainconnect.${ZONE}`]: { TXT: [`dc.test:${(provider.address() as AddressInfo).port}/api`] },
        'dc.test': { A: ['127.0.0.1'] },
      },
    })
    window = await DashboardWindow.open(browser, app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
    provider.closeAllConnections()
    provider.close()
    await once(provider, 'close')
  })

  test('the guide of the playground is complete except for the message, which it sends and shows', async () => {
    const { page } = window
    await window.goto('/')
    await page.getByRole('heading', { name: 'Send your first message' }).waitFor()
    await page.getByText(/^This is the playground:/).waitFor()
    assert.deepEqual(await page.locator('.step[data-done] .step-title').allTextContents(), [
      'Add a sending domain (done)',
      'Publish its DNS records (done)',
      'Create an API key or an SMTP credential (done)',
    ])
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByLabel('To', { exact: true }).fill('ann@receiver.example')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await window.click(page.getByRole('link', { name: 'View message' }))
    await page.getByText('Delivered to ann@receiver.example.').waitFor()
  })

  test('the records of a domain lead to the provider of its zone, which can publish them itself', async () => {
    const { page } = window
    await window.goto('/domains?add')
    await page.getByRole('textbox', { name: 'Domain' }).fill(ZONE)
    await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
    await page.getByText(`DNS of ${ZONE} is at Cloudflare`).waitFor()
    workspace = new URL(page.url()).pathname.replace(/\/dns$/, '')
    await page.getByText('Name servers: ada.ns.cloudflare.com, bob.ns.cloudflare.com').waitFor()
    const addressOf = (name: string) => page.getByRole('link', { name }).getAttribute('href')
    assert.equal(
      await addressOf('Open Cloudflare'),
      `https://dash.cloudflare.com/?to=/:account/${ZONE}/dns/records`,
    )
    const consent = new URL((await addressOf('Publish the records at Cloudflare')) ?? '')
    assert.deepEqual([consent.host, consent.searchParams.get('domain')], ['ui.dc.test', ZONE])
    await window.settled()
    assert.deepEqual(await window.faults(), [])
  })

  test('the MX record of inbound mail is optional, with a warning at the domain itself', async () => {
    const { page } = window
    const owner = await Person.loggedIn(app)
    const stream = {
      alias: 'replies',
      name: 'Replies',
      kind: 'inbound',
      addresses: [`*@${ZONE}`, `*@in.${ZONE}`],
    }
    const { status } = await owner.call('POST', `/api${workspace}/streams`, stream)
    assert.equal(status, 201)
    await window.goto(`${workspace}/dns`)
    const records = page.getByRole('rowgroup', { name: 'Inbound mail (MX)' })
    await records.first().waitFor()
    assert.equal(await records.getByText('Optional', { exact: true }).count(), 2)
    await records.getByText(`Takes all mail of ${ZONE} away from its present mail host.`).waitFor()
    assert.deepEqual(await window.faults(), [])
  })

  test('the records are also a zone file, shown and downloaded', async () => {
    const { page } = window
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    const shown = (await page.locator('pre').textContent()) ?? ''
    assert.match(shown, /^bounces\S*\s.*\sCNAME\s/m)
    assert.match(shown, /_domainkey\S*\s.*\sTXT\s/)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    assert.equal(file.suggestedFilename(), `${ZONE}.zone`)
    assert.equal(await readFile(await file.path(), 'utf8'), shown)
  })

  test('pages that send for a domain say that it cannot send yet', async () => {
    const { page } = window
    for (const part of ['keys', 'smtp', 'bulk', 'bulk/new']) {
      await window.follow(`${workspace}/${part}`)
      await page.getByText(`${ZONE} cannot send yet`).waitFor()
      await page.getByText(/required records are missing/).waitFor()
    }
    assert.deepEqual(await window.faults(), [])
  })
})
