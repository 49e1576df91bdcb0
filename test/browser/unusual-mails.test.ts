// Messages of unusual forms, opened in a test inbox: every view of each message fits its page, in wide and narrow windows.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { fillUnusual } from './unusual-mails.ts'

/** Browser messages about the parts of a message that its frame refuses. */
const REFUSED = /Blocked script execution|Content Security Policy/

const VIEWS = ['HTML', 'Text', /^Links/, 'Headers', 'Source', 'DKIM']

describe('a test inbox with messages of unusual forms', () => {
  let app: TestApp
  let browser: Browser
  let mails: Awaited<ReturnType<typeof fillUnusual>>
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
    mails = await fillUnusual(app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  for (const [width, colors, rules] of [
    [1280, 'light', 'all'],
    [390, 'dark', 'look'],
  ] as const) {
    test(`every view fits, ${width} pixels wide, ${colors}`, async () => {
      const window = await DashboardWindow.open(browser, app, { width, colors })
      const { page } = window
      const faults: string[] = []
      await window.goto(mails.inbox)
      faults.push(...(await window.faults(rules)))
      assert.ok(mails.paths.length > 10, `${mails.paths.length}`)
      for (const { name, path } of mails.paths) {
        await window.follow(path)
        for (const view of VIEWS) {
          await page.getByRole('tab', { name: view }).click()
          await window.settled()
          const found = view === 'HTML' ? await window.faults(rules) : await window.layoutFaults()
          faults.push(...found.map((fault) => `${name}, ${view}: ${fault}`))
        }
      }
      const refused = faults.filter((fault) => REFUSED.test(fault))
      assert.ok(refused.length > 0 && refused.every((fault) => fault.startsWith('an attack on the page')))
      assert.deepEqual(
        faults.filter((fault) => !refused.includes(fault)),
        [],
      )
      await window.close()
    })
  }
})
