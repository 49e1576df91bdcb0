// Every page of a domain's workspace and of the mailbox, with words longer than any line, in all widths, light and
// dark: no element is too wide, cut off or overlapping, and axe-core finds no violation.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { isOfDomain, pageRoutes, unvisited } from '../support/browser/page-routes.ts'
import { faultsOnWalk, VIEWS } from '../support/browser/walk.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { sampleReport } from '../support/dmarc-reports.ts'
import { inboundMessages } from '../support/inbound-mail.ts'
import { Person } from '../support/person.ts'

/** A word that is longer than any line. */
const LONG = 'x'.repeat(120)

describe('every page of the workspace', () => {
  let app: TestApp
  let browser: Browser
  let paths: string[]
  /** Paths of pages, each with the buttons that open a dialog or menu on the page. */
  let opening: [path: string, ...buttons: string[]][]
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
    const owner = await Person.loggedIn(app)
    const domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    const at = (path: string) => `/domains/${domain}/${path}`
    const id = await app.send({
      to: [{ email: `${LONG.slice(0, 60)}@example.test`, name: LONG }],
      cc: [{ email: 'bounce@example.test' }],
      subject: LONG,
      html: `<p>${LONG}</p>`,
      text: LONG,
      metadata: { order: LONG },
      tag: LONG.slice(0, 60),
    })
    await app.messageIn(id, 'partially_delivered')
    const mail = await app.pathInMailbox()
    const post = async (path: string, body: object | string, headers: Record<string, string> = {}) => {
      const { status, body: made } = await owner.call('POST', `/api${at(path)}`, body, headers)
      assert.ok(status < 300, JSON.stringify(made))
      return made
    }
    const make = (noun: string, body: object) =>
      post(noun, { alias: LONG.slice(0, 80), name: LONG.slice(0, 90), ...body })
    await make('streams', {
      alias: 'replies',
      kind: 'inbound',
      addresses: ['*@in.example.test'],
    })
    await app.send({
      to: [{ email: `${LONG.slice(0, 60)}@inbound.example.test` }],
      subject: LONG,
      html: `<p>${LONG}</p>`,
      text: LONG,
      attachments: [{ filename: `${LONG}.txt`, content: 'eA==' }],
    })
    const inbound = (await inboundMessages(app, 1))[0].inbound_id
    const layout = await make('layouts', { html: `<p>${LONG}</p>{{{ @content }}}` })
    const template = await make('templates', { html: `<p>{{${LONG}}}</p>`, subject: LONG })
    await post('suppressions', { email: `${LONG.slice(0, 60)}@example.test` })
    const hook = await make('webhooks', {
      url: `https://${LONG.slice(0, 60)}.example/${LONG}`,
      alias: undefined,
    })
    await post(`webhooks/${hook.webhook_id}/test`, {})
    const lines = [
      { from: 'a@example.test', template_id: template.template_id },
      { to: `${LONG.slice(0, 60)}@example.test`, template_model: { name: LONG } },
      { to: LONG },
    ].map((line) => JSON.stringify(line))
    const query = `name=${LONG.slice(0, 90)}`
    const bulk = await post(`bulk?${query}`, lines.join('\n'), { 'content-type': 'application/x-ndjson' })
    await post('reports', sampleReport('example.test', LONG.slice(0, 60)), { 'content-type': 'text/xml' })
    opening = [
      [at(`messages/${id}`), 'SMTP dialog'],
      [at(`messages/${id}`), 'Resend'],
      [at(`templates/${template.template_id}`), 'Versions', 'View version 1'],
      [at(`templates/${template.template_id}`), 'Send test message'],
      [at(`templates/${template.template_id}`), 'More'],
      [at('layouts'), 'New layout'],
      [at('streams'), 'New stream'],
      [at('suppressions'), 'Add'],
      [at('suppressions'), 'Import'],
      [at('keys'), 'New key'],
      [at('keys'), 'Revoke Playground'],
      [at('smtp'), 'New credential'],
      [at('settings'), 'Delete'],
      [at('webhooks'), 'New webhook'],
      [at(`webhooks/${hook.webhook_id}`), 'More'],
      [at(`webhooks/${hook.webhook_id}`), 'Test: Delivered'],
    ]
    paths = [
      ...['messages', 'messages?subject=nothing', `messages/${id}`].map(at),
      ...['html', 'text', 'headers', 'source'].map((view) => at(`messages/${id}?view=${view}`)),
      ...['templates', `templates/${template.template_id}`, 'layouts', `layouts/${layout.layout_id}`].map(at),
      ...['streams', 'suppressions', 'requirements', 'webhooks', `webhooks/${hook.webhook_id}`].map(at),
      ...['keys', 'smtp', 'settings'].map(at),
      ...['inbound', 'inbound?kind=bounce', `inbound/${inbound}`, 'inbound/none'].map(at),
      ...['html', 'authentication', 'headers', 'source'].map((view) => at(`inbound/${inbound}?view=${view}`)),
      ...['messages/none', 'templates/none'].map(at),
      ...['/mailbox', '/inboxes', mail, mail.replace(/mbx_.*/, 'none'), '/inboxes/none'],
      ...['bulk', 'bulk/new', `bulk/${bulk.bulk_id}`, 'dns', 'authentication'].map(at),
    ]
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  test('is listed here', async () => {
    const routes = (await pageRoutes()).filter(({ path }) => isOfDomain(path))
    assert.ok(routes.length > 15, `${routes.length}`)
    assert.deepEqual(unvisited(routes, paths), [])
  })

  test('in all widths, light and dark', async () => {
    const window = await DashboardWindow.open(browser, app)
    assert.deepEqual(await faultsOnWalk(window, paths, { views: VIEWS, fromTheLast: true }), [])
    await window.close()
  })

  test('opened parts', async () => {
    const window = await DashboardWindow.open(browser, app, { colors: 'dark', width: 380 })
    const faults: string[] = []
    await window.goto('/domains')
    for (const [path, ...buttons] of opening) {
      await window.follow(path)
      for (const name of buttons) {
        await window.page.getByRole('button', { name, exact: true }).first().click()
        await window.settled()
      }
      faults.push(...(await window.faults()).map((fault) => `${buttons.at(-1)} ${fault}`))
      await window.page.keyboard.press('Escape')
      await window.closed()
    }
    assert.deepEqual(faults, [])
    await window.close()
  })
})
